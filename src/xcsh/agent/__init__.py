"""Capabilities for pydantic-ai agents, and one turn of an agent that has them. Loaded where first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xcsh.agent.loading import load_public

if TYPE_CHECKING:
    from xcsh.agent.attachments.capability import RuleAttachments
    from xcsh.agent.attachments.events import RulesAttachedEvent
    from xcsh.agent.building import TurnResult, build_agent, run_turn
    from xcsh.agent.changes.journal import ChangeJournal
    from xcsh.agent.consent.capability import Consent
    from xcsh.agent.consent.request import Always, ConsentRequest, No, Once, Session
    from xcsh.agent.consent.settings import keep_in_settings, permissions_of
    from xcsh.agent.project_rules import ProjectRules
    from xcsh.agent.resending import Resending
    from xcsh.agent.rulebook import Rulebook
    from xcsh.agent.stream_rules.capability import StreamRules
    from xcsh.agent.stream_rules.events import RequestResentEvent, ResponseRetractedEvent, RulesTriggeredEvent
    from xcsh.agent.stream_rules.response_watch import ResponseInterruptedError

__all__ = [
    "Always",
    "ChangeJournal",
    "Consent",
    "ConsentRequest",
    "No",
    "Once",
    "ProjectRules",
    "RequestResentEvent",
    "Resending",
    "ResponseInterruptedError",
    "ResponseRetractedEvent",
    "RuleAttachments",
    "Rulebook",
    "RulesAttachedEvent",
    "RulesTriggeredEvent",
    "Session",
    "StreamRules",
    "TurnResult",
    "build_agent",
    "keep_in_settings",
    "permissions_of",
    "run_turn",
]

_HOMES = {
    "Always": "xcsh.agent.consent.request",
    "ChangeJournal": "xcsh.agent.changes.journal",
    "Consent": "xcsh.agent.consent.capability",
    "ConsentRequest": "xcsh.agent.consent.request",
    "No": "xcsh.agent.consent.request",
    "Once": "xcsh.agent.consent.request",
    "ProjectRules": "xcsh.agent.project_rules",
    "RequestResentEvent": "xcsh.agent.stream_rules.events",
    "Resending": "xcsh.agent.resending",
    "ResponseInterruptedError": "xcsh.agent.stream_rules.response_watch",
    "ResponseRetractedEvent": "xcsh.agent.stream_rules.events",
    "RuleAttachments": "xcsh.agent.attachments.capability",
    "Rulebook": "xcsh.agent.rulebook",
    "RulesAttachedEvent": "xcsh.agent.attachments.events",
    "RulesTriggeredEvent": "xcsh.agent.stream_rules.events",
    "Session": "xcsh.agent.consent.request",
    "StreamRules": "xcsh.agent.stream_rules.capability",
    "TurnResult": "xcsh.agent.building",
    "build_agent": "xcsh.agent.building",
    "keep_in_settings": "xcsh.agent.consent.settings",
    "permissions_of": "xcsh.agent.consent.settings",
    "run_turn": "xcsh.agent.building",
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
