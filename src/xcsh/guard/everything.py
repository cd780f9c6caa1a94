"""Whether a condition fires on whatever is written, and when: at its beginning or at its end."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.guard.condition import Condition

_WORD = "aZ05_bcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY12346789"
_OTHERS = "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~\u00e9\u4f60"
_FIRST = "aZ0#-"
"""With these the answers begin that are tried for the time at which the condition fires."""
_LONG = "incomprehensibilities counterrevolutionaries, uncharacteristically!"
_ANSWERS = tuple(
    f"{mark} {_LONG} {_LONG} {_LONG}\n\n{mark} {_LONG} {_LONG}{end}"
    for mark in ("#", "-", '"', "Q")
    for end in (".", "")
)
"""Answers of several long lines of long words, so that what is for short ones does not match."""


def when_it_fires(condition: Condition) -> str:
    """When a condition fires on every answer, for people: "at its first character"; empty where it is not for all.

    Nothing is said of conditions that forbid what stands around: `^(?!Sure)` is for nearly all answers, and meant so.
    """
    if "(?!" in condition.source or "(?<!" in condition.source:
        return ""
    if not _all(condition, _WORD) or not _all(condition, _ANSWERS):
        return ""
    if not _all(condition, _OTHERS):
        return "at its first letter or digit" if _early(condition, "aZ0") else "in its first words"
    if _early(condition, _FIRST):
        return "at its first character"
    return "at its end" if _late(condition) else "in its first lines"


def _all(condition: Condition, texts: Iterable[str]) -> bool:
    return all(condition.search(text, 0) is not None for text in texts)


def _early(condition: Condition, firsts: str) -> bool:
    """Whether it fires on one character already, whatever follows."""
    return all((span := condition.search(first, 0)) is not None and condition.stands(first, *span) for first in firsts)


def _late(condition: Condition) -> bool:
    """Whether no text makes it fire as long as more may follow."""
    text = _ANSWERS[0]
    found = ((text[:size], condition.search(text[:size], 0)) for size in range(1, len(text), 7))
    return not any(span is not None and condition.stands(part, *span) for part, span in found)
