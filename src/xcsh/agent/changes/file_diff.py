"""What a change did to a text, for people: a unified diff of bounded length, and how many lines came and went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from pydantic_ai import CapabilityEvent

MOST_LINES, MOST_CHARACTERS = 400, 40_000
"""Of a diff that is told: what is beyond is counted."""

_CONTEXT = 3
_MOST_PAIRS = 250_000
"""Lines of one side times lines of the other, above which lines are not compared one by one: that takes too long."""


class FileDiff(NamedTuple):
    """`text`: hunks with their `@@` lines, without the names of files; `left`: how many of its lines are not in it.

    `added` and `removed` are None where the content is no text: there is nothing to count.
    """

    text: str
    added: int | None
    removed: int | None
    left: int = 0


@dataclass(kw_only=True)
class FileDiffEvent(CapabilityEvent, namespace="xcsh", name="file_diff"):
    """A tool has changed a file: the fields of `FileDiff`. `path` is below the working folder, as the tool was told."""

    path: str
    operation: str
    text: str
    added: int | None
    removed: int | None
    left: int


def file_diff(before: bytes, after: bytes) -> FileDiff:
    """The diff from one content to another. Its time is bounded, whatever the two hold."""
    try:
        old, new = before.decode("utf-8"), after.decode("utf-8")
    except UnicodeDecodeError:
        return FileDiff("", None, None)
    if "\0" in old or "\0" in new:
        return FileDiff("", None, None)
    return cut_diff(_lines_of_diff(_lines(old), _lines(new)))


def cut_diff(lines: Iterator[str] | Sequence[str]) -> FileDiff:
    """Counts the lines of a diff and keeps the first of them."""
    kept: list[str] = []
    size = added = removed = left = 0
    for line in lines:
        added += line.startswith("+")
        removed += line.startswith("-")
        size += len(line) + 1
        if left or len(kept) == MOST_LINES or size > MOST_CHARACTERS:
            left += 1
        else:
            kept.append(line)
    return FileDiff("\n".join(kept), added, removed, left)


def _lines_of_diff(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The hunks. What both sides begin and end with is not compared; what is too much to compare is replaced whole."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    skipped = max(0, head - _CONTEXT)
    rest = max(0, tail - _CONTEXT)
    old, new = old[skipped : len(old) - rest], new[skipped : len(new) - rest]
    for hunk in _hunks(old, new, head - skipped, min(tail, _CONTEXT)):
        first, last = hunk[0], hunk[-1]
        ours, theirs = _range(skipped + first[1], last[2] - first[1]), _range(skipped + first[3], last[4] - first[3])
        yield f"@@ -{ours} +{theirs} @@"
        for tag, start, end, new_start, new_end in hunk:
            if tag == "equal":
                yield from (f" {line}" for line in old[start:end])
            else:
                yield from (f"-{line}" for line in old[start:end])
                yield from (f"+{line}" for line in new[new_start:new_end])


def _hunks(old: Sequence[str], new: Sequence[str], head: int, tail: int) -> list[list[tuple[str, int, int, int, int]]]:
    if len(old) * len(new) <= _MOST_PAIRS:
        groups = SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT)
        return [[(str(tag), *rest) for tag, *rest in group] for group in groups]  # type: ignore[misc]
    end, new_end = len(old) - tail, len(new) - tail
    whole = [("equal", 0, head, 0, head), ("replace", head, end, head, new_end)]
    return [[*whole, ("equal", end, len(old), new_end, len(new))]]


def _range(start: int, length: int) -> str:
    """Lines as the head of a hunk names them: counted from 1; an empty range stands behind the line before it."""
    return f"{start + (length > 0)},{length}"


def _lines(text: str) -> list[str]:
    """The lines without their ends. Only a line feed ends one; a carriage return before it is no difference to see."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
