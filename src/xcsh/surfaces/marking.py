"""A line of a file with the characters that a finding is about, as far as a terminal has room for it."""

from __future__ import annotations

from typing import NamedTuple

from xcsh.surfaces.layout import columns, visible


class Marked(NamedTuple):
    """A printable line, and where its marked characters begin and how many columns they take."""

    text: str
    start: int
    length: int


def mark(line: str, column: int, length: int, room: int) -> Marked:
    """The line cut to `room` columns so that the characters from the 1-based `column` on are in it."""
    before, rest = visible(line[: column - 1]), line[column - 1 :]
    marked = visible(rest[: max(1, length)])
    if columns(before) + 1 > room:
        while columns(before) > room // 2:
            before = before[max(1, (columns(before) - room // 2) // 2) :]
    start = columns(before)
    return Marked(cut(before + visible(rest[: room + 1]), room), start, max(1, min(columns(marked), room - start)))


def cut(text: str, room: int) -> str:
    """A printable text, or its beginning with an ellipsis."""
    return text if columns(text) <= room else text[: room - 1] + "…"
