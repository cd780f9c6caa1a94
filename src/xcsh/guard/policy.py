"""When a rule that matched may fire again, and whether it interrupts (T-11, T-12, T-15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from xcsh.model.settings import Settings
from xcsh.parsing.scopes import interrupt_mode


class Policy(NamedTuple):
    """The settings: `repeat_mode` is `once` or `after-gap`, the gap in completed turns; interrupts count by turn."""

    repeat_mode: str = "once"
    repeat_gap: int = 10
    interrupt_mode: str = "always"
    max_interrupts: int = 5


def policy_of(settings: Settings) -> Policy:
    """What the settings say; the reader of the files has checked every value."""
    return Policy(
        str(settings.get("ttsr.repeat_mode")),
        settings.number("ttsr.repeat_gap"),
        str(settings.get("ttsr.interrupt_mode")),
        settings.number("ttsr.max_interrupts"),
    )


class History:
    """What fired when, in turns; it can be saved as JSON."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._turn = 0
        self._interrupts = 0
        self._fired: dict[str, int] = {}

    def end_turn(self) -> None:
        """A prompt of the user has its final answer."""
        self._turn += 1
        self._interrupts = 0

    def may_fire(self, rule: str) -> bool:
        """Whether a rule counts now."""
        last = self._fired.get(rule)
        if last is None:
            return True
        return self.policy.repeat_mode == "after-gap" and self._turn - last >= self.policy.repeat_gap

    def interrupts(self, mode: str | None, source: str) -> bool:
        """Whether a match in `source` ends the request; `mode` is the rule's own, if it has one."""
        if self._interrupts >= self.policy.max_interrupts:
            return False
        chosen = interrupt_mode(mode) or self.policy.interrupt_mode
        if chosen == "prose-only":
            return source != "tool"
        if chosen == "tool-only":
            return source == "tool"
        return chosen != "never"

    def acknowledge(self, rules: Iterable[str], *, interrupted: bool) -> None:
        """The rules were injected now; `interrupted`: a request was ended for it."""
        self._fired.update(dict.fromkeys(rules, self._turn))
        self._interrupts += interrupted

    def save(self) -> dict[str, object]:
        """Plain values, for a session file."""
        return {"turn": self._turn, "interrupts": self._interrupts, "fired": dict(self._fired)}

    def restore(self, state: Mapping[str, object]) -> None:
        """Takes over what `save` gave; what is of another shape counts as nothing."""
        self._turn = _number(state.get("turn"))
        self._interrupts = _number(state.get("interrupts"))
        fired = state.get("fired")
        self._fired = (
            {str(name): _number(turn) for name, turn in fired.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            if isinstance(fired, dict)
            else {}
        )


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
