"""Breaks long lines: to a width, and in parts that are parsed and painted one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST, LONG = 5_000, 4_500
"""Letters of a line: a longer one is broken in parts of these lengths, whose last is what is left."""

_WORD = re.compile(r"(?<=\s)(?=[^\W\d_])")


def broken(line: str, width: int) -> Iterator[str]:
    """A line of ASCII in lines of at most so many letters, between words where there are some.

    The spaces at the end of a line that has no room for them are left out.
    """
    start = 0
    while len(line) - start > width:
        end = start + width
        if line[end] != " ":
            space = line.rfind(" ", start, end)
            if space >= start and not line[start:space].isspace() and space > start:
                end = space + 1
        else:
            while end < len(line) and line[end] == " ":
                end += 1
        yield line[start : min(end, start + width)]
        start = end
    if start < len(line):
        yield line[start:]


def shorter(line: str) -> Iterator[str]:
    """The parts of a line, which is most often one: each but the last begins a word and is at least LONG letters."""
    start = 0
    while len(line) - start > _LONGEST:
        end = start + _LONGEST
        for match in _WORD.finditer(line, start + LONG, end):
            end = match.start()
        yield line[start:end]
        start = end
    yield line[start:]
