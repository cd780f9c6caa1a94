"""Findings in the Static Analysis Results Interchange Format 2.1.0, which code scanners and editors read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import quote

from xcsh.model.codes import CODES
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.surfaces.annotations import inside

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning"}
_ROOT = "SRCROOT"


def sarif_log(diagnostics: Sequence[Diagnostic], root: str, version: str) -> dict[str, object]:
    """One run as JSON values. Files in `root`, the absolute folder of the checkout, are named relative to it.

    Columns are code points, which the log says of itself. `version` is that of this package.
    """
    codes = sorted({item.code for item in diagnostics})
    driver = {
        "name": "xcsh",
        "semanticVersion": version,
        "rules": [_rule(code) for code in codes],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_ROOT: {"uri": f"{_file_uri(root.rstrip('/'))}/"}},
                "results": [_result(item, codes.index(item.code), root) for item in diagnostics],
            }
        ],
    }


def _rule(code: str) -> dict[str, object]:
    row = CODES.get(code)
    if row is None:  # of a provider that is not ours
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": row.summary},
        "fullDescription": {"text": row.explanation},
        "defaultConfiguration": {"level": _LEVELS.get(row.severity, "note")},
        **({"help": {"text": row.hint}} if row.hint else {}),
    }


def _result(item: Diagnostic, index: int, root: str) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": item.code,
        "ruleIndex": index,
        "level": _LEVELS.get(item.severity, "note"),
        "message": {"text": f"{item.message}\n{item.hint}" if item.hint else item.message},
    }
    if item.path:
        result["locations"] = [{"physicalLocation": _place(item, root)}]
    related = [path for path in item.related if path != item.path]
    if related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": {"artifactLocation": _artifact(path, root)}}
            for number, path in enumerate(related)
        ]
    return result


def _place(item: Diagnostic, root: str) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": _artifact(item.path, root)}
    if item.position is not None:
        region = {"startLine": item.position.line, "startColumn": item.position.column}
        if item.end is not None:
            region |= {"endLine": item.end.line, "endColumn": item.end.column}
        place["region"] = region
    return place


def _artifact(path: str, root: str) -> dict[str, object]:
    relative = inside(path, root)
    if relative:
        return {"uri": _quoted(relative), "uriBaseId": _ROOT}
    return {"uri": _file_uri(path)}


def _quoted(path: str) -> str:
    """A part of a URI; of a name that is no text its bytes."""
    return quote(os.fsencode(path))


def _file_uri(path: str) -> str:
    """An absolute path as a URI; one with a drive too, which begins with no slash."""
    if path[1:2] == ":" or path.startswith("\\\\"):
        path = path.replace("\\", "/").rstrip("/")
        return f"file:{_quoted(path)}" if path.startswith("//") else f"file:///{path[:2]}{_quoted(path[2:])}"
    return f"file://{_quoted(path)}"
