"""Carries an interrupt out of a step of durable execution as a response: an error would be a failed step there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse

from xcsh.agent.stream_rules.response_watch import ResponseInterruptedError
from xcsh.guard.stream_guard import Match

KEY = "xcsh_interrupt"


def is_durable(ctx: RunContext[Any]) -> bool:
    """Whether the requests of this run are made in steps of an engine, which may repeat a step that fails."""
    found: list[AbstractCapability[Any]] = []
    if ctx.root_capability is not None:
        ctx.root_capability.apply(found.append)
    return any(getattr(capability, "in_durable_context", False) is True for capability in found)


def packed(matches: Sequence[Match], response: ModelResponse) -> ModelResponse:
    """An answer without parts, so that nobody is shown any, whose metadata holds the interrupt as JSON values."""
    [written] = ModelMessagesTypeAdapter.dump_python([response], mode="json")
    interrupt = {"matches": [list(match) for match in matches], "response": written}
    return replace(response, parts=[], state="complete", metadata={KEY: interrupt})


def unpacked(response: ModelResponse) -> ResponseInterruptedError | None:
    """The interrupt that a response carries, if it does. The usage of the response is that of the interrupted one."""
    interrupt: object = (response.metadata or {}).get(KEY)
    if not isinstance(interrupt, dict):
        return None
    fields = cast("dict[str, Any]", interrupt)
    [written] = ModelMessagesTypeAdapter.validate_python([fields["response"]])
    if not isinstance(written, ModelResponse):
        return None
    matches = tuple(Match(*match) for match in fields["matches"])
    return ResponseInterruptedError(matches, written, counted=True)
