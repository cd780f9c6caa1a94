"""Diagnostics for people: code, sentence, place, the line itself with a caret, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.registry import Registry
from xcsh.sources.excerpt import lines_of as lines_of_file
from xcsh.sources.mcp_paths import mcp_paths
from xcsh.surfaces.layout import (
    BLUE,
    BOLD,
    CYAN,
    DIM,
    GREEN,
    RED,
    YELLOW,
    Style,
    plural,
    shown_path,
    visible,
    wrap,
)
from xcsh.surfaces.marking import cut, mark
from xcsh.surfaces.shapes import summary

LinesOf = Callable[[str], Sequence[str]]
"""The decoded lines of a file by its path; empty where it cannot be read."""

_CONSEQUENCE = "inactive-rule"
"""What follows from other findings on a file stands below them."""

_SHOWN = 5
"""How often a warning or a remark with one code is shown. Errors are few, or should all be seen."""

COLOURS = {Severity.ERROR: RED, Severity.WARNING: YELLOW, Severity.INFORMATION: BLUE, Severity.HINT: DIM}


def files_looked_at(registry: Registry) -> list[str]:
    """Every file and folder that a registry with every finding has them from, each once."""
    return list(dict.fromkeys((*registry.paths(), *mcp_paths(registry.environment))))


def doctor_lines(registry: Registry, style: Style, *, whole: bool = False) -> list[str]:
    """What `xcsh doctor` prints for a registry that has every finding; `whole` as with `--all`. Reads files."""
    files = len(files_looked_at(registry))
    return render_doctor(registry, registry.diagnostics, files, lines_of_file, style, whole=whole)


def render_doctor(
    registry: Registry,
    diagnostics: Sequence[Diagnostic],
    files: int,
    lines_of: LinesOf,
    style: Style,
    *,
    whole: bool = False,
) -> list[str]:
    """The lines of `xcsh doctor`, the most severe findings first; `files` is how many were looked at.

    What is no error and was shown five times already is counted in one line, unless `whole`.
    """
    lines: list[str] = []
    of_kind: dict[tuple[str, str], list[Diagnostic]] = {}
    for diagnostic in sorted(diagnostics, key=_most_severe_first):
        alike = of_kind.setdefault((diagnostic.severity, diagnostic.code), [])
        alike.append(diagnostic)
        if whole or len(alike) <= _SHOWN or diagnostic.severity == Severity.ERROR:
            lines.extend([*render_diagnostic(registry, diagnostic, lines_of, style), ""])
    folded = [] if whole else [alike for alike in of_kind.values() if _is_folded(alike)]
    lines.extend(_rest(alike[_SHOWN:], style) for alike in folded)
    if folded:
        lines.extend(["", "all of them: xcsh doctor --all"])
    return [*lines, _total(diagnostics, files, style)]


def _most_severe_first(diagnostic: Diagnostic) -> tuple[int, str, bool, int, int]:
    line, column = diagnostic.position or (0, 0)
    is_consequence = diagnostic.code == _CONSEQUENCE
    return (Severity.ORDER[diagnostic.severity], diagnostic.path, is_consequence, line, column)


def _is_folded(alike: Sequence[Diagnostic]) -> bool:
    return len(alike) > _SHOWN and alike[0].severity != Severity.ERROR


def _rest(alike: Sequence[Diagnostic], style: Style) -> str:
    files = len({diagnostic.path for diagnostic in alike})
    label = style.paint(f"{alike[0].severity}[{alike[0].code}]", BOLD, COLOURS[alike[0].severity])
    return f"{label} {len(alike):,} more, in {plural(files, 'file')}"


def render_diagnostic(registry: Registry, diagnostic: Diagnostic, lines_of: LinesOf, style: Style) -> list[str]:
    """One diagnostic with the excerpt that it is about."""
    label = f"{diagnostic.severity}[{diagnostic.code}]"
    first, *further = wrap(f"{label} ", visible(diagnostic.message), style.width, indent=4)
    lines = [style.paint(label, BOLD, COLOURS[diagnostic.severity]) + first[len(label) :], *further]
    if diagnostic.path:
        place = f":{diagnostic.position.line}:{diagnostic.position.column}" if diagnostic.position else ""
        lines.append(f"  {style.paint('-->', CYAN)} {shown_path(diagnostic.path, registry.environment)}{place}")
    if diagnostic.position and diagnostic.path:
        lines.extend(_excerpt(diagnostic, lines_of(diagnostic.path), style))
    others = (path for path in diagnostic.related if path != diagnostic.path)
    lines.extend(f"  also: {shown_path(path, registry.environment)}" for path in others)
    if diagnostic.hint:
        first, *further = wrap("  hint: ", visible(diagnostic.hint), style.width)
        lines.extend([f"  {style.paint('hint:', BOLD)}{first[7:]}", *further])
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
        lines.append(f"{line - 1:{gutter + 2}} {style.paint('|', CYAN)} {cut(visible(text[line - 2]), room)}")
    length = diagnostic.end.column - column if diagnostic.end and diagnostic.end.line == line else 1
    marked = mark(text[line - 1], column, length, room)
    carets = style.paint("^" * marked.length, BOLD)
    lines.append(f"{line:{gutter + 2}} {style.paint('|', CYAN)} {marked.text}")
    lines.append(f"{'':{gutter + 2}} {style.paint('|', CYAN)} {' ' * marked.start}{carets}")
    return lines


def _total(diagnostics: Iterable[Diagnostic], looked_at: int, style: Style) -> str:
    counts = summary(diagnostics)
    found = [plural(counts[severity], severity) for severity in counts if counts[severity]]
    files = plural(looked_at, "file")
    if not found:
        return style.paint(f"nothing to report · {files}", GREEN)
    return style.paint(" · ".join([*found, files]), BOLD)
