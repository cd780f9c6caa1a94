"""How the lines of a file end, so that what is written into it ends its lines so too."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LONE = re.compile(r"(?<!\r)\n")


def line_end(text: str) -> str:
    """How most lines of a text end."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def with_line_ends_of(before: str, after: str) -> str:
    """`after`, a changed `before`, whose changed lines end as most do there, and the last one as the last did."""
    end = line_end(before)
    start = _alike(before, after)
    same = _alike(before[start:][::-1], after[start:][::-1])
    changed = after[start : len(after) - same]
    if end == "\r\n":
        changed = _LONE.sub(end, changed)
    text = after[:start] + changed + after[len(after) - same :]
    body = text.rstrip("\r\n")
    if not body:
        return ""
    return body + (before[len(before.rstrip("\r\n")) :] if before.strip() else end)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))
