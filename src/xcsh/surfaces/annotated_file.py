"""A file with its line numbers and, below the lines that they are about, its diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xcsh.model.diagnostic import Diagnostic
from xcsh.surfaces.doctor import COLOURS
from xcsh.surfaces.layout import BOLD, CYAN, DIM, Style, plural, visible, wrap
from xcsh.surfaces.marking import cut, mark

WHOLE = 400
"""So many lines are shown as a whole; of a longer file its beginning and what is around the diagnostics."""

_HEAD = 60
_AROUND = 3
_MOST = 50


def annotate(lines: Sequence[str], diagnostics: Iterable[Diagnostic], style: Style) -> list[str]:
    """The lines of a file for people. What is about the file as a whole, or a line that it has not, comes first."""
    found = sorted(diagnostics, key=Diagnostic.sort_key)
    shown, rest = found[:_MOST], found[_MOST:]
    by_line: dict[int, list[Diagnostic]] = {}
    out: list[str] = []
    for item in shown:
        if item.position and 0 < item.position.line <= len(lines):
            by_line.setdefault(item.position.line, []).append(item)
        else:
            out.extend(_said(item, "", style))
    if rest:
        out.append(style.paint(f"and {plural(len(rest), 'finding')} more: xcsh doctor", DIM))
    gutter = len(str(len(lines)))
    room = max(20, style.width - gutter - 3)
    last = 0
    for number in _chosen(len(lines), by_line):
        if number > last + 1:
            out.append(style.paint(f"{'⋮':>{gutter}} {plural(number - last - 1, 'line')} left out", DIM))
        last = number
        bar = style.paint("│", CYAN)
        content = lines[number - 1]
        items = by_line.get(number, [])
        marked = mark(content, *_place(items[0]), room) if items else None
        text = marked.text if marked is not None else cut(visible(content[: room + 1]), room)
        out.append(f"{style.paint(f'{number:>{gutter}}', DIM)} {bar} {text}".rstrip())
        for at, item in enumerate(items):
            marked = mark(content, *_place(item), room)
            if at == 0 or item.position != items[at - 1].position:
                carets = style.paint("^" * marked.length, BOLD, COLOURS[item.severity])
                out.append(f"{'':{gutter}} {bar} {' ' * marked.start}{carets}")
            out.extend(_said(item, f"{'':{gutter}}   ", style))
    if last < len(lines):
        out.append(style.paint(f"{'⋮':>{gutter}} {plural(len(lines) - last, 'line')} left out", DIM))
    return out


def _place(item: Diagnostic) -> tuple[int, int]:
    """The column that a diagnostic with a place begins at, and how many characters it is about."""
    line, column = item.position or (1, 1)
    return column, item.end.column - column if item.end and item.end.line == line else 1


def _chosen(count: int, by_line: Iterable[int]) -> Iterable[int]:
    if count <= WHOLE:
        return range(1, count + 1)
    around = {number + step for number in by_line for step in range(-_AROUND, _AROUND + 1)}
    return sorted({*range(1, _HEAD + 1), *(number for number in around if 0 < number <= count)})


def _said(item: Diagnostic, margin: str, style: Style) -> list[str]:
    """What a diagnostic says, and what to do."""
    label = f"{margin}{item.severity}: "
    first, *further = wrap(label, visible(item.message), style.width, indent=len(margin) + 2)
    lines = [style.paint(label, BOLD, COLOURS[item.severity]) + first[len(label) :], *further]
    if item.hint:
        lines.extend(wrap(f"{margin}  hint: ", visible(item.hint), style.width, indent=len(margin) + 4))
    return lines
