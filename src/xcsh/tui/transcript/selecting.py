"""The text of a transcript that is marked with the mouse."""

from __future__ import annotations

from textual.geometry import Offset
from textual.selection import Selection

from xcsh.tui.transcript.column import Column
from xcsh.tui.transcript.painter import Painter


def selected_text(column: Column, painter: Painter, selection: Selection) -> str:
    """The lines between two places, as they are painted, without the spaces at their ends."""
    start = selection.start or Offset(0, 0)
    end = selection.end or Offset(-1, column.height)
    index, _ = column.at(start.y)
    lines: list[str] = []
    top = column.top(index)
    first = top
    while index < len(column) and top <= end.y:
        strips = column.entries[index].paint(painter)
        lines += [strip.text.rstrip() for strip in strips]
        index += 1
        top = column.top(index)
    lines = lines[start.y - first : end.y - first + 1]
    if lines and end.x >= 0 and end.y - start.y < len(lines):
        lines[-1] = lines[-1][: end.x]
    if lines:
        lines[0] = lines[0][start.x :]
    return "\n".join(lines)
