"""One condition of a rule, ready to be searched for, with its budget of time."""

from __future__ import annotations

import time

from xcsh.guard.engine import Engine, OverrunError, Searching, compile_javascript
from xcsh.guard.form import ENDLESS, form_of

LOOK_BACK = 4_096
"""How far before new text a match may begin; a longer one is found only where its text arrives at once."""

BUDGET = 0.05
"""Seconds that the slow searches of one condition may take together; with the last one it stays below 0.1."""

_SLOW = 0.003
_LONGEST_LITERAL = 32
_PROBES = tuple(first + "\ue000\n Z0b\n_a\ue001" for first in ("a", "Z", "0", "_", " ", "\n", "\r", "\ue000"))
"""What may follow: word characters, others, line ends, as much as `\\b`, `\\B` and `$` see, and then some more text."""


class Condition:
    """A condition of the rule `rule`, `source` as its author wrote it. `dead` says why it is searched for no more."""

    __slots__ = (
        "_expression",
        "_likely",
        "_spent",
        "after",
        "ahead",
        "back",
        "dead",
        "folds",
        "literals",
        "looks",
        "rule",
        "source",
    )

    def __init__(self, rule: str, source: str, engine: Engine = compile_javascript) -> None:
        """Raises ValueError for a source that does not compile."""
        self.rule = rule
        self.source = source
        self.dead = ""
        self._spent = 0.0
        self._likely = _PROBES[0]
        self._expression: Searching = engine(source)
        form = form_of(self._expression.body)
        self.looks = form.looks
        self.ahead = 1 if form.ahead == ENDLESS else min(int(form.ahead), LOOK_BACK)
        self.back = int(min(form.greatest + form.ahead, LOOK_BACK))
        self.after = int(min(form.after + form.ahead, LOOK_BACK))
        self.folds = "i" in self._expression.flags
        self.literals = _usable(form.literals, folds=self.folds)

    def search(self, text: str, start: int) -> tuple[int, int] | None:
        """The leftmost match from `start` on; None also where the condition ran out of its budget, now or before."""
        if self.dead:
            return None
        begun = time.thread_time()
        try:
            found = self._expression.search(text, start)
        except OverrunError:
            self.dead = "one search of it took too long"
            return None
        spent = time.thread_time() - begun
        if spent > _SLOW:
            self._spent += spent
            if self._spent > BUDGET:
                self.dead = "its searches took too long together"
        return found

    def stands(self, text: str, start: int, end: int) -> bool:
        """Whether the match at `start` to `end` of `text` would still be one, whatever text follows (T-7a)."""
        if len(text) - end >= self.ahead:
            return True
        for probe in (self._likely, *_PROBES):
            if not self._begins_at(text + probe, start):
                self._likely = probe
                return False
        shorter = len(text) - self.ahead
        return not self.looks or (shorter > start and self._begins_at(text[:shorter], start))

    def _begins_at(self, text: str, start: int) -> bool:
        found = self.search(text, start)
        return found is not None and found[0] == start


def _usable(literals: frozenset[str] | None, *, folds: bool) -> frozenset[str] | None:
    if not literals or (folds and not all(text.isascii() for text in literals)):
        return None
    cut = frozenset(text[-_LONGEST_LITERAL:] for text in literals)
    return frozenset(text.lower() for text in cut) if folds else cut
