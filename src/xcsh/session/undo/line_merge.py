"""Takes a change of a text back out of a later version of it, where that is plain to do; else says what differs."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher, unified_diff
from itertools import pairwise
from typing import NamedTuple

_MOST_PAIRS = 1_000_000
"""Lines of one side times lines of the other, above which no lines are compared: that takes too long."""

_SHOWN_LINES, _SHOWN_CHARACTERS = 20, 200


class _Hunk(NamedTuple):
    """The lines `start` to `end` of the base are replaced by `lines`."""

    start: int
    end: int
    lines: tuple[bytes, ...]


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What `ours` is with the changes from `base` to `theirs`; None where the two touch the same or adjoining lines.

    Every change from `base` to `ours` is kept whole. Bytes stay what they are: line ends and a missing last one, too.
    None as well for what is no text, or too different to compare.
    """
    if b"\0" in base or b"\0" in ours or b"\0" in theirs:
        return None
    lines = _lines(base)
    mine, others = _hunks(lines, _lines(ours)), _hunks(lines, _lines(theirs))
    if mine is None or others is None:
        return None
    hunks = sorted({*mine, *others})
    for one, next_one in pairwise(hunks):
        if next_one.start <= one.end:
            return None
    pieces: list[bytes] = []
    at = 0
    for hunk in hunks:
        pieces += lines[at : hunk.start]
        pieces += hunk.lines
        at = hunk.end
    return b"".join(pieces + lines[at:])


def differences(before: bytes, after: bytes) -> str:
    """The first lines of a unified diff, for people."""
    if b"\0" in before or b"\0" in after:
        return "the content is no text"
    old, new = (content.decode("utf-8", "backslashreplace").splitlines() for content in (before, after))
    if len(old) * len(new) > _MOST_PAIRS:
        return f"{len(old):,} lines became {len(new):,}"
    shown = [line[:_SHOWN_CHARACTERS] for line in unified_diff(old, new, n=1, lineterm="")][2:]
    more = len(shown) - _SHOWN_LINES
    return "\n".join(shown[:_SHOWN_LINES] + ([f"… and {more} more lines"] if more > 0 else []))


def line_counts(before: bytes, after: bytes) -> tuple[int, int]:
    """How many lines come and how many go; all of both where comparing them takes too long."""
    old, new = _lines(before), _lines(after)
    hunks = _hunks(old, new)
    if hunks is None:
        return len(new), len(old)
    return sum(len(hunk.lines) for hunk in hunks), sum(hunk.end - hunk.start for hunk in hunks)


def _hunks(base: Sequence[bytes], other: Sequence[bytes]) -> list[_Hunk] | None:
    """What to replace in `base` to get `other`; None where comparing them takes too long."""
    most = min(len(base), len(other))
    head = next((at for at in range(most) if base[at] != other[at]), most)
    tail = next((at for at in range(most - head) if base[-1 - at] != other[-1 - at]), most - head)
    old, new = base[head : len(base) - tail], other[head : len(other) - tail]
    if len(old) * len(new) > _MOST_PAIRS:
        return None
    return [
        _Hunk(head + first, head + last, tuple(new[start:end]))
        for tag, first, last, start, end in SequenceMatcher(None, old, new).get_opcodes()
        if tag != "equal"
    ]


def _lines(content: bytes) -> list[bytes]:
    """The lines with their ends. Only a line feed ends one: a carriage return before it belongs to the line."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])
