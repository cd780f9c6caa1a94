"""What a conversation has used, as the heading says it: context, tokens, and the price where it is known."""

from __future__ import annotations

from xcsh.agent.events import UsageReported
from xcsh.session.events import CompactionCompleted, SessionEvent, TurnAborted, TurnCompleted, TurnFailed, TurnStarted

_THOUSAND, _MILLION, _CENT = 1_000, 1_000_000, 0.01
NOTHING = UsageReported(0, 0, 0, None, 0, None)


class Gauge:
    """Adds up what events report. `before`: what earlier messages of the session have used."""

    def __init__(self, before: UsageReported = NOTHING) -> None:
        self._tokens = before.input_tokens + before.output_tokens
        self._cost: float | None = before.cost if before.requests else 0.0
        self._turn = NOTHING
        self._context = before.context_tokens
        self._window = before.context_window

    def add(self, event: SessionEvent) -> bool:
        """Whether the text is another after the event."""
        match event:
            case UsageReported():
                self._turn = event
                self._context, self._window = event.context_tokens, event.context_window
            case TurnStarted() | TurnCompleted() | TurnFailed() | TurnAborted():
                self._end_turn()
            case CompactionCompleted(tokens_after=after):
                self._context = after
            case _:
                return False
        return True

    @property
    def text(self) -> str:
        """`18 % context · 36k tokens · $0.04`; what is not known is left out, and so is everything at the start."""
        tokens = self._tokens + self._turn.input_tokens + self._turn.output_tokens
        if not tokens:
            return ""
        parts = [f"{_short(tokens)} tokens"]
        if self._window:
            parts.insert(0, f"{min(100, round(100 * self._context / self._window))} % context")
        cost = self._total_cost()
        if cost is not None:
            parts.append(f"${cost:.2f}" if cost >= _CENT or not cost else "<$0.01")
        return " · ".join(parts)

    def _total_cost(self) -> float | None:
        """None where the price of some part is not known: a sum of the rest would be wrong."""
        if self._cost is None or (self._turn.requests and self._turn.cost is None):
            return None
        return self._cost + (self._turn.cost or 0.0)

    def _end_turn(self) -> None:
        self._cost = self._total_cost()
        self._tokens += self._turn.input_tokens + self._turn.output_tokens
        self._turn = NOTHING


def _short(count: int) -> str:
    if count < 10 * _THOUSAND:
        return f"{count:,}"
    return f"{count / _THOUSAND:.0f}k" if count < _MILLION else f"{count / _MILLION:.1f}M"
