"""Makes a history shorter, with a strategy of the harness: when the user says so, and when the context is full."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.usage import RunUsage
from pydantic_ai_harness.compaction import (
    DEFAULT_CONTEXT_WINDOW,
    SummarizingCompaction,
    compact_now,
    drain_summary_events,
    estimate_context_tokens,
    estimate_token_count,
    resolve_context_window,
)

from xcsh.agent.capability import EventlessCapability
from xcsh.agent.failures import failed_turn
from xcsh.agent.stream_rules.remembering import carried
from xcsh.session.events import CompactionCompleted, CompactionFailed, CompactionStarted, Sink

Adopt = Callable[[list[ModelMessage]], None]
"""Puts the shorter history in the place of the one that it was made of."""


class Compactor:
    """Has a model write a summary of everything but the end of a history.

    What was said first stays, and so do attached rules; which stream rules fired is remembered.
    """

    def __init__(
        self,
        model: Callable[[], Model],
        emit: Sink,
        *,
        keep_tokens: int,
        capabilities: Sequence[AbstractCapability[Any]] = (),
    ) -> None:
        """`model` is asked for anew each time. `keep_tokens`: how much of the end stays word for word.
        `capabilities` are those of the request for the summary.
        """
        self._model = model
        self._emit = emit
        self._keep = keep_tokens
        self._capabilities = capabilities

    async def shorten(
        self,
        messages: Sequence[ModelMessage],
        focus: str | None,
        adopt: Adopt,
        *,
        keep_tokens: int | None = None,
        usage: RunUsage | None = None,
    ) -> bool:
        """Whether the history became shorter; then `adopt` has got it. `focus`: what the summary must not lose.

        Everything that happens is an event, also that it is cancelled. `usage` is added to.
        """
        history = list(messages)
        keep = self._keep if keep_tokens is None else min(self._keep, keep_tokens)
        strategy = SummarizingCompaction[Any](
            max_messages=1,
            keep_tokens=keep,
            summarization_capabilities=self._capabilities,
            event_stream_handler=drain_summary_events,  # it streams, so that a stall is noticed and an abort heard
        )
        self._emit(CompactionStarted(estimate_token_count(history)))
        try:
            shorter = await compact_now(
                strategy, history, model=self._model(), deps=None, focus=focus, usage=usage or RunUsage()
            )
        except asyncio.CancelledError:
            self._emit(CompactionFailed("it was ended by the user"))
            raise
        except Exception as error:  # noqa: BLE001 - a strategy calls a model: whatever it raises, the history stays
            self._emit(CompactionFailed(_reason(error)))
            return False
        if shorter == history:
            self._emit(CompactionFailed("there is nothing to leave out yet"))
            return False
        shorter = carried(history, shorter)
        adopt(shorter)
        self._emit(CompactionCompleted(estimate_token_count(history), estimate_token_count(shorter)))
        return True


class AutomaticCompaction(EventlessCapability):
    """Makes the history of a run shorter before a request that would fill too much of the model's context window.

    Where that fails, the request is made as it is. What is said meanwhile is said while the turn streams.
    """

    id: str | None = "automatic-compaction"

    def __init__(self, compactor: Compactor, at_percent: int) -> None:
        """`at_percent`: of the window; 0 for never."""
        self._compactor = compactor
        self._at = at_percent
        self._tried: ModelResponse | None = None

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """A copy that knows after which response it has tried."""
        del ctx
        return copy.copy(self)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Shortens the history where it is time to, once after each response."""
        window = resolve_context_window(request_context.model) or DEFAULT_CONTEXT_WINDOW
        most = window * self._at // 100
        last = next((message for message in reversed(ctx.messages) if isinstance(message, ModelResponse)), None)
        if not self._at or last is None or last is self._tried:
            return request_context
        parameters = request_context.model_request_parameters
        if estimate_context_tokens(ctx.messages, model_request_parameters=parameters) < most:
            return request_context
        self._tried = last
        spent = RunUsage()

        def adopt(shorter: list[ModelMessage]) -> None:
            ctx.messages[:] = shorter
            request_context.messages = list(shorter)

        await self._compactor.shorten(ctx.messages, None, adopt, keep_tokens=most // 2, usage=spent)
        spent.requests = 0  # a limit of requests is for the turn's own
        ctx.usage.incr(spent)
        return request_context


def _reason(error: Exception) -> str:
    return str(failed_turn(error)) if isinstance(error, AgentRunError) else f"{type(error).__name__}: {error}"
