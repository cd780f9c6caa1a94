"""How well a few typed letters fit a name: those that begin it, begin its words or follow each other fit best."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_CONSECUTIVE = 8
_WORD_START = 7
_FIRST = 10
_EXACT = 1_000
_PREFIX = 500
_WHOLE = 200
_WORD_WHOLE = 300
_SEPARATORS = frozenset("/-_.: \\")


@lru_cache(maxsize=64)
def fitting(query: str) -> Callable[[str], re.Match[str] | None]:
    """A quick test whether the letters of a lower-case query stand in a lower-case name in their order; linear."""
    parts = [f"[^{re.escape(letter)}]*{re.escape(letter)}" for letter in query]
    return re.compile("".join(parts), re.DOTALL).match


def score(query: str, name: str) -> int | None:
    """How well a query fits a name, higher is better; None where its letters do not stand in it. Case is ignored.

    A name that begins with the query beats one with a word that does, that one with it anywhere, and that one with its
    letters apart. Among equals the shorter name is better.
    """
    if not query:
        return -len(name)
    wanted, lower = query.lower(), name.lower()
    if len(lower) != len(name):  # a letter that is two in lower case: places would be off
        name = lower
    at = lower.find(wanted)
    if at == 0:
        return (_EXACT if len(lower) == len(wanted) else _PREFIX) - len(name)
    if at > 0:
        word = at if _starts_word(name, at) else _word_with(lower, name, wanted, at)
        return (_WORD_WHOLE if word is not None else _WHOLE) - (at if word is None else word) - len(name) // 4
    places = _places(wanted, lower, name)
    return None if places is None else _apart(places, name)


def _starts_word(name: str, at: int) -> bool:
    return at == 0 or name[at - 1] in _SEPARATORS or (name[at].isupper() and not name[at - 1].isupper())


def _word_with(lower: str, name: str, wanted: str, at: int) -> int | None:
    """Where a later word begins with the query."""
    while (at := lower.find(wanted, at + 1)) >= 0:
        if _starts_word(name, at):
            return at
    return None


def _places(wanted: str, lower: str, name: str) -> list[int] | None:
    """Where the letters stand: each at the next word's beginning where the others still fit after it, else the next."""
    if fitting(wanted)(lower) is None:
        return None
    latest = _latest(wanted, lower)
    places: list[int] = []
    at = 0
    for letter, last in zip(wanted, latest, strict=True):
        first = lower.find(letter, at)
        chosen = first
        if not (places and first == places[-1] + 1):
            while first != -1 and first <= last:
                if _starts_word(name, first):
                    chosen = first
                    break
                first = lower.find(letter, first + 1)
        places.append(chosen)
        at = chosen + 1
    return places


def _latest(wanted: str, lower: str) -> list[int]:
    """The last place where each letter may stand so that those after it still fit."""
    at = len(lower)
    found: list[int] = []
    for letter in reversed(wanted):
        at = lower.rfind(letter, 0, at)
        found.append(at)
    return found[::-1]


def _apart(places: list[int], name: str) -> int:
    total = -len(name) // 4
    before = -1
    for number, at in enumerate(places):
        if number and at == before + 1:
            total += _CONSECUTIVE
        elif _starts_word(name, at):
            total += _FIRST if at == 0 else _WORD_START
        else:
            total -= min(at - before, 10)
        before = at
    return min(total, _WHOLE - len(name))
