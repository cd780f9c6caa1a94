"""Diagnostics for people: code, sentence, place, the line itself with a caret, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.registry import Registry
from xcsh.surfaces.layout import BLUE, BOLD, CYAN, DIM, GREEN, RED, YELLOW, Style, columns, plural, shown_path, visible
from xcsh.surfaces.shapes import summary

LinesOf = Callable[[str], Sequence[str]]
"""The decoded lines of a file by its path; empty where it cannot be read."""

_COLOURS = {Severity.ERROR: RED, Severity.WARNING: YELLOW, Severity.INFORMATION: BLUE, Severity.HINT: DIM}


def render_doctor(registry: Registry, diagnostics: Sequence[Diagnostic], lines_of: LinesOf, style: Style) -> list[str]:
    """The lines of `xcsh doctor`."""
    lines: list[str] = []
    for diagnostic in diagnostics:
        lines.extend([*render_diagnostic(registry, diagnostic, lines_of, style), ""])
    return [*lines, _total(registry, diagnostics, style)]


def render_diagnostic(registry: Registry, diagnostic: Diagnostic, lines_of: LinesOf, style: Style) -> list[str]:
    """One diagnostic with the excerpt that it is about."""
    head = style.paint(f"{diagnostic.severity}[{diagnostic.code}]", BOLD, _COLOURS[diagnostic.severity])
    lines = [f"{head} {visible(diagnostic.message)}"]
    if diagnostic.path:
        place = f":{diagnostic.position.line}:{diagnostic.position.column}" if diagnostic.position else ""
        lines.append(f"  {style.paint('-->', CYAN)} {shown_path(diagnostic.path, registry.environment)}{place}")
    if diagnostic.position and diagnostic.path:
        lines.extend(_excerpt(diagnostic, lines_of(diagnostic.path), style))
    lines.extend(f"  also: {shown_path(path, registry.environment)}" for path in diagnostic.related)
    if diagnostic.hint:
        lines.append(f"  {style.paint('hint:', BOLD)} {visible(diagnostic.hint)}")
    return lines


def _excerpt(diagnostic: Diagnostic, text: Sequence[str], style: Style) -> list[str]:
    """The line before, the line, and a caret under the characters meant, cut to the width of the terminal."""
    assert diagnostic.position is not None  # noqa: S101 - the only caller has checked
    line, column = diagnostic.position
    if not 0 < line <= len(text):
        return []
    gutter = len(str(line))
    room = max(20, style.width - gutter - 5)
    lines: list[str] = []
    if line > 1 and text[line - 2].strip():
        lines.append(f"{line - 1:{gutter + 2}} {style.paint('|', CYAN)} {_cut(visible(text[line - 2]), room)}")
    content = text[line - 1]
    before, rest = visible(content[: column - 1]), content[column - 1 :]
    length = diagnostic.end.column - column if diagnostic.end and diagnostic.end.line == line else 1
    marked = visible(rest[: max(1, length)])
    start = columns(before)
    offset = max(0, start - room // 2) if start + 1 > room else 0
    shown = _cut((before + visible(rest))[offset:], room)
    carets = "^" * max(1, min(columns(marked), room - (start - offset)))
    lines.append(f"{line:{gutter + 2}} {style.paint('|', CYAN)} {shown}")
    lines.append(f"{'':{gutter + 2}} {style.paint('|', CYAN)} {' ' * (start - offset)}{style.paint(carets, BOLD)}")
    return lines


def _cut(text: str, room: int) -> str:
    return text if columns(text) <= room else text[: room - 1] + "…"


def _total(registry: Registry, diagnostics: Iterable[Diagnostic], style: Style) -> str:
    counts = summary(diagnostics)
    found = [plural(counts[severity], severity) for severity in counts if counts[severity]]
    files = plural(registry.found, "file")
    if not found:
        return style.paint(f"nothing to report · {files}", GREEN)
    return style.paint(" · ".join([*found, files]), BOLD)
