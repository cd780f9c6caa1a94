"""Capabilities for pydantic-ai agents, and one turn of an agent that has them. Loaded where first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xcsh.agent.loading import load_public

if TYPE_CHECKING:
    from xcsh.agent.attachment_events import RulesAttachedEvent
    from xcsh.agent.attachments import RuleAttachments
    from xcsh.agent.resending import Resending
    from xcsh.agent.response_watch import ResponseInterruptedError
    from xcsh.agent.rulebook import Rulebook
    from xcsh.agent.stream_events import RequestResentEvent, ResponseRetractedEvent, RulesTriggeredEvent
    from xcsh.agent.stream_rules import StreamRules
    from xcsh.agent.turn import TurnResult, build_agent, run_turn

__all__ = [
    "RequestResentEvent",
    "Resending",
    "ResponseInterruptedError",
    "ResponseRetractedEvent",
    "RuleAttachments",
    "Rulebook",
    "RulesAttachedEvent",
    "RulesTriggeredEvent",
    "StreamRules",
    "TurnResult",
    "build_agent",
    "run_turn",
]

_HOMES = {
    "RequestResentEvent": "xcsh.agent.stream_events",
    "Resending": "xcsh.agent.resending",
    "ResponseInterruptedError": "xcsh.agent.response_watch",
    "ResponseRetractedEvent": "xcsh.agent.stream_events",
    "RuleAttachments": "xcsh.agent.attachments",
    "Rulebook": "xcsh.agent.rulebook",
    "RulesAttachedEvent": "xcsh.agent.attachment_events",
    "RulesTriggeredEvent": "xcsh.agent.stream_events",
    "StreamRules": "xcsh.agent.stream_rules",
    "TurnResult": "xcsh.agent.turn",
    "build_agent": "xcsh.agent.turn",
    "run_turn": "xcsh.agent.turn",
}


def __getattr__(name: str) -> Any:
    """Loads a public name; MissingExtraError says which package is missing where xcsh[agent] is not installed."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = load_public(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
