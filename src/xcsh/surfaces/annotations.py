"""Findings as lines that GitHub Actions turns into annotations of a change."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.surfaces.layout import visible

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def annotation_lines(diagnostics: Iterable[Diagnostic], root: str) -> list[str]:
    """A workflow command a finding. Files are named relative to `root`, the absolute folder of the checkout."""
    return [_line(item, root) for item in diagnostics]


def _line(item: Diagnostic, root: str) -> str:
    properties: dict[str, object] = {}
    if item.path:
        properties["file"] = inside(item.path, root) or item.path
    if item.path and item.position is not None:
        properties |= {"line": item.position.line, "col": item.position.column}
        if item.end is not None:
            properties |= {"endLine": item.end.line, "endColumn": item.end.column}
    properties["title"] = item.code
    named = ",".join(f"{key}={_escaped(str(value), _PROPERTY)}" for key, value in properties.items())
    text = "\n".join(visible(part) for part in (item.message, item.hint) if part)
    return f"::{_LEVELS.get(item.severity, 'notice')} {named}::{_escaped(text, _DATA)}"


def inside(path: str, root: str) -> str:
    """A path relative to a folder that it lies in, with slashes; empty for one outside."""
    folder = root.rstrip("/\\")
    return path[len(folder) + 1 :].replace("\\", "/") if path.startswith((folder + "/", folder + "\\")) else ""


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(character) or visible(character) for character in text)
