"""The events that stream rules add to the stream of an agent's events."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_ai import CapabilityEvent


@dataclass(kw_only=True)
class ResponseRetractedEvent(CapabilityEvent, namespace="xcsh", name="response_retracted"):
    """What was shown of the response that was being written is no part of the conversation; another follows."""


@dataclass(kw_only=True)
class RulesTriggeredEvent(CapabilityEvent, namespace="xcsh", name="ttsr_triggered"):
    """A request was ended because its output began to break rules, and is made again with them.

    `rules`: names, in the order of their matches. `matches`: the fields of `xcsh.guard.stream_guard.Match`. `kept`:
    whether the text so far stays in the history. `unreported_tokens`: an estimate of what the aborted request used
    beyond what its provider reported; it is in the usage of the run.
    """

    rules: tuple[str, ...] = ()
    matches: tuple[dict[str, object], ...] = ()
    kept: bool = False
    unreported_tokens: int = 0
