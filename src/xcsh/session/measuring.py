"""What a conversation uses: tokens, their price where it is known, and how much of the context is filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import AbstractModel
from pydantic_ai_harness.compaction import estimate_context_tokens, resolve_context_window

from xcsh.agent.events import UsageReported


def usage_of_run(ctx: RunContext[Any]) -> UsageReported:
    """What a run has used so far. A price is given where every response of the run has one."""
    usage = ctx.usage
    run = [message for message in ctx.messages if isinstance(message, ModelResponse) and message.run_id == ctx.run_id]
    priced = usage.cost is not None and all(response.usage.cost is not None for response in run)
    return UsageReported(
        usage.requests,
        usage.input_tokens,
        usage.output_tokens,
        float(usage.cost or 0) if priced else None,
        estimate_context_tokens(ctx.messages),
        resolve_context_window(ctx.model),
    )


def usage_of_history(messages: Sequence[ModelMessage], model: AbstractModel | None) -> UsageReported:
    """What the responses of a history have used. What is no longer in it is not counted."""
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    costs = [response.usage.cost for response in responses]
    known = [float(cost) for cost in costs if cost is not None]
    return UsageReported(
        len(responses),
        sum(response.usage.input_tokens for response in responses),
        sum(response.usage.output_tokens for response in responses),
        sum(known) if known and len(known) == len(costs) else None,
        estimate_context_tokens(messages) if responses else 0,
        resolve_context_window(model) if model is not None else None,
    )
