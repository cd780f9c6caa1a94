"""One condition of a rule, ready to be searched for, with its budget of time."""

from __future__ import annotations

import time

from xcsh.guard.decided import END, decided
from xcsh.guard.engine import SECONDS, Engine, OverrunError, Searching, compile_javascript
from xcsh.guard.form import ENDLESS, form_of

LOOK_BACK = 4_096
"""How far before new text a match may begin; a longer one is found only where its text arrives at once."""

BUDGET = 0.05
"""CPU seconds that one condition may take beyond the price of its searches; with the last one it stays below 0.1."""

FREE = 10e-6
RATE = 30e-9
"""The price of a search and of a character that it looks at, in seconds: several times what a search takes that goes
over the text once, so that no such condition ever runs into debt, however long the stream. What grows faster does.
Text beyond ASCII counts double, and whole: the engine converts it first.
"""

_TRIES = 3
_LONGEST_LITERAL = 32
_PROBES = tuple(first + "\ue000\n Z0b\n_a\ue001" for first in ("a", "Z", "0", "_", " ", "\n", "\r", "\ue000"))
"""What may follow: word characters, others, line ends, as much as `\\b`, `\\B` and `$` see, and then some more text."""


class Condition:
    """A condition of the rule `rule`, `source` as its author wrote it. `dead` says why it is searched for no more;
    `spent` is the CPU time of all its searches, in seconds.
    """

    __slots__ = (
        "_anchored",
        "_decided",
        "_denies",
        "_engine",
        "_expression",
        "_left",
        "_likely",
        "after",
        "ahead",
        "back",
        "dead",
        "folds",
        "literals",
        "looks",
        "rule",
        "source",
        "spent",
    )

    def __init__(self, rule: str, source: str, engine: Engine = compile_javascript) -> None:
        """Raises ValueError for a source that does not compile."""
        self.rule = rule
        self.source = source
        self.dead = ""
        self.spent = 0.0
        self._left = BUDGET
        self._likely = _PROBES[0]
        self._engine = engine
        self._anchored: Searching | None = None
        self._decided: Searching | None = None
        self._expression: Searching = engine(source)
        form = form_of(self._expression.body)
        self.looks = form.looks
        self._denies = form.looks or "(?<!" in self._expression.body
        self.ahead = 1 if form.ahead == ENDLESS else min(int(form.ahead), LOOK_BACK)
        self.back = int(min(form.greatest + form.ahead, LOOK_BACK))
        self.after = int(min(form.after + form.ahead, LOOK_BACK))
        self.folds = "i" in self._expression.flags
        self.literals = _usable(form.literals, folds=self.folds)

    def search(self, text: str, start: int) -> tuple[int, int] | None:
        """The leftmost match from `start` on; None also where the condition ran out of its budget, now or before."""
        return self._run(self._expression, text, start)

    def stands(self, text: str, start: int, end: int) -> bool:
        """Whether the match at `start` to `end` of `text` would still be one, whatever text follows (T-7a)."""
        if len(text) - end >= self.ahead:
            return True
        if self._anchored is None:
            self._anchored, self._decided = self._prepared()
        if self._decided is not None:
            if not self._begins_at(self._decided, text + END, start):
                return False
            if not self._denies:
                return True
        likely = self._likely
        for probe in (likely, *(other for other in _PROBES if other != likely)):
            if not self._begins_at(self._anchored, text + probe, start):
                self._likely = probe
                return False
        shorter = len(text) - self.ahead
        return not self.looks or (shorter > start and self._begins_at(self._anchored, text[:shorter], start))

    def _begins_at(self, anchored: Searching, text: str, start: int) -> bool:
        """Whether a match begins at `start`, which is not the end of `text`."""
        found = self._run(anchored, text, start)
        return found is not None and found[0] == start and (found[1] > start or anchored is self._expression)

    def _prepared(self) -> tuple[Searching, Searching | None]:
        """Anchored, the condition itself and what of it a text decides; None where it is too odd for that."""
        body, flags = self._expression.body, self._expression.flags
        try:
            return self._anchor(body), self._anchor(decided(body, flags))
        except ValueError:
            pass
        try:
            return self._anchor(body), None
        except ValueError:
            return self._expression, None  # as long or as deep as the engine allows

    def _anchor(self, body: str) -> Searching:
        """An expression that takes some text at once where `body` matches, and none where it does not. The condition
        itself, where it fails, would be tried at all places behind: a long word would be read to its end from each of
        its letters.
        """
        flags = f"(?{self._expression.flags})" if self._expression.flags else ""
        return self._engine(f"{flags}(?!{body})|[\\s\\S]")

    def _run(self, expression: Searching, text: str, start: int) -> tuple[int, int] | None:
        if self.dead:
            return None
        begun = time.thread_time()
        found = None
        for left in reversed(range(_TRIES)):
            try:
                found = expression.search(text, start)
                break
            except OverrunError:
                # Its limit is one of wall time. Where little of that was ours, the machine was busy.
                if not left or time.thread_time() - begun > SECONDS / 2:
                    self.dead = "one search of it took too long"
                    break
        self._pay(time.thread_time() - begun, len(text) - start if text.isascii() else 2 * len(text))
        return found

    def _pay(self, seconds: float, looked_at: int) -> None:
        """Each search is paid from the budget, and earns its price, so that cheap ones make good for dear ones."""
        self.spent += seconds
        self._left = min(BUDGET, self._left + FREE + RATE * looked_at - seconds)
        if self._left < 0 and not self.dead:
            self.dead = "its searches took too long together"


def _usable(literals: frozenset[str] | None, *, folds: bool) -> frozenset[str] | None:
    if not literals or (folds and not all(text.isascii() for text in literals)):
        return None
    cut = frozenset(text[-_LONGEST_LITERAL:] for text in literals)
    return frozenset(text.lower() for text in cut) if folds else cut
