"""The events that the capabilities add to the stream of an agent's events."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_ai import CapabilityEvent


@dataclass(kw_only=True)
class ResponseRetractedEvent(CapabilityEvent, namespace="xcsh", name="response_retracted"):
    """What was shown of the response that was being written is no part of the conversation; another follows."""


@dataclass(kw_only=True)
class RulesTriggeredEvent(CapabilityEvent, namespace="xcsh", name="ttsr_triggered"):
    """A request was ended because its output began to break rules, and is made again with them.

    `rules`: names, in the order of their matches; `paths`: their files, relative to the working folder where they
    lie in it. `matches`: the fields of `xcsh.guard.stream_guard.Match`; `texts`: what each of them matched, on one line
    of at most 80 characters, or the path where it is no text that matched. `kept`: whether the text so far stays in
    the history. `written_tokens`: how far the response had come; `unreported_tokens`: what the request used beyond what
    its provider reported, which is in the usage of the run. Both are estimates.
    """

    rules: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    matches: tuple[dict[str, object], ...] = ()
    texts: tuple[str, ...] = ()
    kept: bool = False
    written_tokens: int = 0
    unreported_tokens: int = 0


@dataclass(kw_only=True)
class RequestResentEvent(CapabilityEvent, namespace="xcsh", name="request_resent"):
    """A request failed for a reason that passes, and is made again: for the `attempt`th time, in `delay` seconds."""

    attempt: int = 0
    delay: float = 0.0
    reason: str = ""
