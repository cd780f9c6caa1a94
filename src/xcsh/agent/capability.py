"""What the capabilities of xcsh have in common."""

from __future__ import annotations

from collections.abc import AsyncIterable, Sequence
from typing import Any

from pydantic_ai import AgentStreamEvent, RunContext
from pydantic_ai.capabilities import AbstractCapability

_LISTENS: dict[tuple[type, type], bool] = {}


class EventlessCapability(AbstractCapability[Any]):
    """Leaves the stream of events alone, at no cost for each event.

    The framework passes every event through a generator of every capability, one that changes nothing included: a fifth
    of what a short event costs.
    """

    @property
    def has_wrap_run_event_stream(self) -> bool:
        return False

    def wrap_run_event_stream(
        self, ctx: RunContext[Any], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        """The stream itself, without a generator around it."""
        del ctx
        return stream

    def listens_to(self, event: AgentStreamEvent) -> bool:
        """Decided once for a kind of event: the framework asks for every single one."""
        key = type(self), type(event)
        known = _LISTENS.get(key)
        if known is None:
            known = _LISTENS[key] = super().listens_to(event)
        return known

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[Any]]) -> AbstractCapability[Any]:
        """Of two with one id the later one counts, whole."""
        return capabilities[-1]

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """None: made from a registry on disk, they have no form that a specification could hold."""
        return None
