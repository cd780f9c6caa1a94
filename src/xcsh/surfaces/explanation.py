"""What is said of one item or file, and the questions that are asked of every kind of item."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xcsh.model.codes import CODES, UNREAD_CODES
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.document import BlockState
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.source import Origin, Source
from xcsh.surfaces.layout import shown_path
from xcsh.surfaces.shapes import Shape


class Gate(NamedTuple):
    """One question that was asked of a file, whether it passed, and what was seen."""

    gate: str
    passed: bool
    detail: str


class Explanation(NamedTuple):
    """One item or file: what it is, its gates in the order in which they were asked, and what it shadows.

    `label` is where it stands, in capitals; `shape` makes its JSON; `reaches` says to whom it gets, where it does.
    """

    kind: str
    name: str
    label: str
    level: str
    path: str
    shape: Callable[[], Shape]
    gates: tuple[Gate, ...]
    shadows: tuple[str, ...] = ()
    reaches: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    provider: Provider | None = None


def diagnostics_on(registry: Registry, path: str) -> tuple[Diagnostic, ...]:
    """The diagnostics on one file."""
    return tuple(item for item in registry.diagnostics if item.path == path)


def found_gate(origin: Origin, sources: tuple[Source, ...], registry: Registry) -> Gate:
    """By which row of its provider's table a file was found."""
    if origin.row >= len(sources):
        return Gate("found", passed=True, detail=shown_path(origin.path, registry.environment))
    source = sources[origin.row]
    where = source.path
    if source.extensions and not origin.path.replace("\\", "/").endswith(source.path):
        endings = [extension.removeprefix(".") for extension in source.extensions]
        where += f"/*.{endings[0]}" if len(endings) == 1 else f"/*.{{{','.join(endings)}}}"
    return Gate("found", passed=True, detail=f"{where}, place {origin.row + 1} of the provider {origin.provider}")


def frontmatter_gate(diagnostics: tuple[Diagnostic, ...], block: str, *, known: bool = True) -> Gate:
    """How the frontmatter was read; `block` is its BlockState, `known` is False for a tool that has none."""
    if not known:
        return Gate("frontmatter", passed=True, detail="this tool knows none; the text is taken as it stands")
    found = [item for item in diagnostics if CODES[item.code].gate == "frontmatter"]
    if not found:
        none = "none" if block == BlockState.ABSENT else "read as it stands"
        return Gate("frontmatter", passed=block != BlockState.FAILED, detail=none)
    first = next((item for item in found if item.code in UNREAD_CODES), found[0])
    line = f"line {first.position.line}: " if first.position else ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Gate("frontmatter", block != BlockState.FAILED, f"{line}{first.message}{more}")
