"""The hunks of a diff as texts: what stood in the file, what stands there now, and where."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEAD = re.compile(r"@@ -(?P<old>\d+)(?:,(?P<removed>\d+))? \+(?P<new>\d+)(?:,(?P<added>\d+))? @@")


class Hunk(NamedTuple):
    """Lines that stand together in the file, before and after. `old`: None where the file was not there, or empty.

    `line`: of the first one afterwards, counted from 1; None where the diff does not say it.
    """

    old: str | None
    new: str
    line: int | None


def hunks(diff: str) -> list[Hunk]:
    """The hunks of a unified diff without the names of files. Of one that was cut off, what there is of it."""
    found: list[Hunk] = []
    before: list[str] = []
    after: list[str] = []
    first: int | None = None
    is_new = False

    def end() -> None:
        if before or after:
            old = None if is_new else "\n".join(before)
            found.append(Hunk(old, "\n".join(after), first))
        before.clear()
        after.clear()

    for line in diff.split("\n"):
        if (head := _HEAD.match(line)) is not None:
            end()
            first = max(1, int(head["new"]))
            is_new = head["removed"] == "0" and head["old"] == "0"
            continue
        mark, text = line[:1], line[1:]
        if mark in (" ", "-"):
            before.append(text)
        if mark in (" ", "+"):
            after.append(text)
    end()
    return found
