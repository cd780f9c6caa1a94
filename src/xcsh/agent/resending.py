"""A request that failed for a reason that passes is made again, after a pause that everybody can see."""

from __future__ import annotations

import asyncio
import copy
import random
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.agent import ModelRequestNode
from pydantic_ai.capabilities import AbstractCapability, AgentNode, NodeResult
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import ModelRequest, ModelResponse
from pydantic_ai.settings import ModelSettings

from xcsh.agent.aborted import take_interrupted
from xcsh.agent.capability import EventlessCapability
from xcsh.agent.failures import failed_turn
from xcsh.agent.stream_rules.events import RequestResentEvent, ResponseRetractedEvent

_PASSING = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
_LONGEST = 60.0
"""Seconds: a provider that asks for a longer pause is believed, and the turn fails at once."""


class Resending(EventlessCapability):
    """Makes a request again that met a rate limit, a failing server, a connection that was cut, or a stall.

    No tool of a response that broke off has run, so a request is always safe to repeat. What was shown of it is taken
    back: `ResponseRetractedEvent`, then `RequestResentEvent`, then the pause, which doubles each time unless the
    provider names one. The client's own repetitions are switched off, because nobody sees those.
    """

    id: str | None = "resending"

    def __init__(
        self,
        *,
        attempts: int = 4,
        pause: float = 1.0,
        stall: float = 120.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`attempts`: how often one request is made at most. `stall`: seconds without a byte that end a request.

        The events of a run are delivered when its next request begins, which is after the pause. Where `tell` is set,
        it gets them before it, in place of the run.
        """
        self.tell: Callable[[ResponseRetractedEvent | RequestResentEvent], None] | None = None
        self._attempts = attempts
        self._pause = pause
        self._stall = stall
        self._sleep = sleep
        self._failures = 0

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """A copy that counts the failures of one run."""
        del ctx
        return copy.copy(self)

    def get_model_settings(self) -> ModelSettings:
        """No repetitions that nobody sees, and no waiting for ever."""
        return ModelSettings(max_retries=0, timeout=self._stall)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: Any, response: ModelResponse
    ) -> ModelResponse:
        """An answer: the count begins anew."""
        del ctx, request_context
        self._failures = 0
        return response

    async def on_node_run_error(
        self, ctx: RunContext[Any], *, node: AgentNode[Any], error: Exception
    ) -> NodeResult[Any]:
        """Turns a failure that passes into another attempt; every other one goes on."""
        if not isinstance(node, ModelRequestNode) or not isinstance(error, _PASSING):
            raise error
        self._failures += 1
        delay = self._delay(error)
        if self._failures >= self._attempts or delay > _LONGEST:
            raise error
        if take_interrupted(ctx.messages) is not None:
            await self._say(ctx, ResponseRetractedEvent())
        request = ctx.messages.pop() if ctx.messages and isinstance(ctx.messages[-1], ModelRequest) else node.request
        reason = str(failed_turn(error))
        await self._say(ctx, RequestResentEvent(attempt=self._failures + 1, delay=delay, reason=reason))
        await self._sleep(delay)
        return ModelRequestNode(request if isinstance(request, ModelRequest) else node.request)

    async def _say(self, ctx: RunContext[Any], event: ResponseRetractedEvent | RequestResentEvent) -> None:
        if self.tell is not None:
            self.tell(event)
        else:
            await ctx.emit(event)

    def _delay(self, error: ModelAPIError) -> float:
        if error.retry_after is not None:
            return error.retry_after
        doubled = self._pause * 2 ** (self._failures - 1)
        return doubled * random.uniform(0.75, 1.25)  # noqa: S311 - so that many clients do not come back at once
