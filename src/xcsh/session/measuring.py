"""What a conversation uses: tokens, their price where it is known, and how much of the context is filled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import AbstractModel
from pydantic_ai_harness.compaction import estimate_context_tokens, resolve_context_window

from xcsh.agent.events import UsageReported

_COST, _PRICED = "cost", "priced_requests"


class Used(NamedTuple):
    """What turns have used, answers that were discarded included. `cost` in US dollars, None where it is not known."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0

    def plus(self, other: Used) -> Used:
        """Both together; the price of one that is not known makes that of both unknown."""
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        tokens = self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        return Used(self.requests + other.requests, *tokens, cost)

    @property
    def record(self) -> dict[str, int | float]:
        """As numbers that can be summed up over turns."""
        tokens: dict[str, int | float] = {
            "requests": self.requests,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }
        return tokens if self.cost is None else {**tokens, _COST: self.cost, _PRICED: self.requests}


def used_of_record(usage: Mapping[str, int | float]) -> Used:
    """What the sums of a session file say. The price is known where that of every request is."""
    requests, sent, written = (int(usage.get(name, 0)) for name in ("requests", "input_tokens", "output_tokens"))
    known = int(usage.get(_PRICED, 0)) == requests
    return Used(requests, sent, written, float(usage.get(_COST, 0.0)) if known else None)


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


def used_in(messages: Sequence[ModelMessage]) -> Used:
    """What the responses of a history have used. What is no longer in it is not counted."""
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    costs = [response.usage.cost for response in responses]
    known = [float(cost) for cost in costs if cost is not None]
    return Used(
        len(responses),
        sum(response.usage.input_tokens for response in responses),
        sum(response.usage.output_tokens for response in responses),
        sum(known) if len(known) == len(costs) else None,
    )


def usage_of_session(used: Used, messages: Sequence[ModelMessage], model: AbstractModel | None) -> UsageReported:
    """What was used, and how much of the context the history fills; no price before the first request."""
    return UsageReported(
        used.requests,
        used.input_tokens,
        used.output_tokens,
        used.cost if used.requests else None,
        estimate_context_tokens(messages) if used.requests else 0,
        resolve_context_window(model) if model is not None else None,
    )
