"""Watches one stream of text for many conditions, at a cost that grows with the text and not with what came before.

What differs from one search of the finished text: a match that began more than LOOK_BACK before the text that completes
it; look-behind further than that; an unbounded look-ahead, which is decided by the next delta; and an expression whose
earlier alternative is still open when a later one is complete (`a.*z|b`), which fires at the one that is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from xcsh.guard.condition import LOOK_BACK, Condition

_TAIL = 4
_LONG = 4_096
"""From so many new characters on each literal is searched for by itself."""

_Literals = Sequence[tuple[str, Condition]]
_LEFT = 1_024
"""What is kept before the look-back, for look-behind, `\\b` and `^`."""


SHOWN = 80
"""So many characters of a match are kept for people."""


class Found(NamedTuple):
    """A match: offsets in code points from the start of the stream, and the beginning of its text."""

    condition: Condition
    start: int
    end: int
    text: str = ""


class Watch:
    """The conditions of one kind of stream, found by the ends of the literals that they require."""

    def __init__(self, conditions: Iterable[Condition]) -> None:
        self.always: list[Condition] = []
        self._tails: dict[str, list[tuple[str, Condition]]] = {}
        self._folded: dict[str, list[tuple[str, Condition]]] = {}
        for condition in conditions:
            if condition.literals is None:
                self.always.append(condition)
                continue
            tails = self._folded if condition.folds else self._tails
            for literal in condition.literals:
                tails.setdefault(literal[-_TAIL:], []).append((literal, condition))
        self._indexes = [
            (tails, sorted({len(tail) for tail in tails}), folds)
            for tails, folds in ((self._tails, False), (self._folded, True))
            if tails
        ]

    def drop(self, condition: Condition) -> None:
        """Looks no more for a condition that was given up."""
        self.always = [other for other in self.always if other is not condition]
        for tails in (self._tails, self._folded):
            for tail, found in list(tails.items()):
                tails[tail] = [(literal, other) for literal, other in found if other is not condition]

    def literals_in(self, text: str, old: int) -> Iterator[tuple[Condition, int]]:
        """The conditions of which a literal ends behind `old`, and where; of a long text the last place of each."""
        for tails, lengths, folds in self._indexes:
            searched = _lower(text) if folds else text
            if len(text) - old > _LONG:
                yield from _last_places(tails, searched, old)
                continue
            for end in range(old + 1, len(searched) + 1):
                for length in lengths:
                    found = tails.get(searched[end - length : end]) if end >= length else None
                    for literal, condition in found or ():
                        if searched.endswith(literal, 0, end):
                            yield condition, end


class Window:
    """The end of one stream, and what is being waited for in it. A condition is reported once."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._text = ""
        self._base = 0
        self._armed: dict[Condition, int] = {}
        self._held: dict[Condition, int] = {}
        self._done: set[Condition] = set()

    def feed(self, delta: str) -> list[Found]:
        """The matches that `delta` decides."""
        if not delta:
            return []
        old = len(self._text)
        self._text += delta
        size = self._base + len(self._text)
        near = max(0, old - 64)
        tail = self._text[near:]
        for condition, end in self._watch.literals_in(tail, old - near):
            if condition not in self._done:
                self._armed[condition] = self._base + near + end + condition.after
        found = [hit for condition in self._watch.always for hit in self._check(condition, old)]
        if self._armed:
            for condition, until in list(self._armed.items()):
                found += self._check(condition, old)
                if condition in self._done or (size > until and condition not in self._held):
                    del self._armed[condition]
        self._trim()
        return found

    def finish(self) -> list[Found]:
        """The matches that were held, and that the end of the stream decides."""
        found: list[Found] = []
        for condition, start in list(self._held.items()):
            match = condition.search(self._text, max(0, start - self._base))
            if match is not None:
                found.append(self._found(condition, *match))
        self._held.clear()
        self._armed.clear()
        return found

    def _check(self, condition: Condition, old: int) -> list[Found]:
        if condition in self._done:
            return []
        if condition.dead:
            self._watch.drop(condition)
            self._done.add(condition)
            return []
        held = self._held.pop(condition, None)
        start = max(0, old - condition.back)
        if held is not None:
            start = max(0, min(start, held - self._base))
        match = condition.search(self._text, start)
        if match is None:
            return []
        if condition.ahead and not condition.stands(self._text, *match):
            self._held[condition] = match[0] + self._base
            return []
        self._done.add(condition)
        return [self._found(condition, *match)]

    def _found(self, condition: Condition, start: int, end: int) -> Found:
        text = self._text[start : min(end, start + SHOWN)].encode("utf-8", "replace").decode("utf-8")
        return Found(condition, start + self._base, end + self._base, text)

    def _trim(self) -> None:
        if len(self._text) <= 2 * (LOOK_BACK + _LEFT):
            return
        cut = len(self._text) - LOOK_BACK - _LEFT
        self._text = self._text[cut:]
        self._base += cut


def _last_places(tails: Mapping[str, _Literals], text: str, old: int) -> Iterator[tuple[Condition, int]]:
    """Each condition with the last place where a literal of it ends behind `old`, in the order of the first ones.

    A search for each literal is faster than a look at every character, unless the text is short.
    """
    places: dict[Condition, tuple[int, int]] = {}
    for literal, condition in (each for found in tails.values() for each in found):
        start = max(0, old + 1 - len(literal))
        first = text.find(literal, start)
        if first >= 0:
            ends = first + len(literal), text.rfind(literal, start) + len(literal)
            before = places.get(condition, ends)
            places[condition] = min(ends[0], before[0]), max(ends[1], before[1])
    for condition, (_, last) in sorted(places.items(), key=lambda item: item[1][0]):
        yield condition, last


def _lower(text: str) -> str:
    """Of one character one character, so that places stay where they are: only ASCII has another case here."""
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
