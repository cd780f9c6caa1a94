"""A session's hold on the run of its agent: its messages as they grow, and texts to deliver into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AgentNode, NodeResult
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import AgentStreamEvent, ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestContext

from xcsh.agent.capability import EventlessCapability

OnMessages = Callable[[Sequence[ModelMessage]], None]


class RunLink(EventlessCapability):
    """Follows the run that the session started; runs of sub-agents are none of its business.

    `on_messages` gets the history whenever it is complete: before each request, and after each step. `on_start` is
    called when the run can take texts, `listener` for what the run itself would tell too late, `on_response` when a
    response is in the history.
    """

    id: str | None = "session"

    def __init__(self, on_messages: OnMessages) -> None:
        self._on_messages = on_messages
        self.on_start: Callable[[], None] = lambda: None
        self.listener: Callable[[AgentStreamEvent], None] = lambda _: None
        self.on_response: Callable[[RunContext[Any]], None] = lambda _: None
        self._answered: ModelMessage | None = None
        self._context: RunContext[Any] | None = None
        self._sent: list[ModelMessage] = []
        self._run_id = ""

    def expect(self, run_id: str) -> None:
        """The run with this id is the session's next one."""
        self._run_id = run_id
        self._context = None
        self._sent = []

    def leave(self) -> None:
        """The run has ended."""
        self._run_id = ""
        self._context = None

    def tell(self, event: AgentStreamEvent) -> None:
        """Passes an event to whoever reads those of the run, at once."""
        self.listener(event)

    def deliver(self, text: str) -> str | None:
        """Queues a text for the run's next request and returns its id; None where no run takes it."""
        if self._context is None:
            return None
        try:
            return self._context.enqueue(text, priority="asap")
        except UserError:  # the run has ended in this moment
            return None

    @property
    def has_sent(self) -> bool:
        """Whether the run has come to its first request, with which the prompt is in the history."""
        return bool(self._sent)

    def whole(self, messages: Sequence[ModelMessage] | None) -> list[ModelMessage]:
        """The run's history at its end, with what was taken out of it for a moment; empty where it has not begun.

        A request that is about to be made again is not in the framework's history while its pause lasts. `messages`:
        that history, where it is known already.
        """
        known = messages or (self._context.messages if self._context is not None else ())
        return list(known) if len(known) >= len(self._sent) else list(self._sent)

    async def before_run(self, ctx: RunContext[Any]) -> None:
        if ctx.run_id == self._run_id:
            self._context = ctx
            self.on_start()

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        if ctx.run_id == self._run_id:
            self._context = ctx
            self._sent = list(ctx.messages)
            self._on_messages(ctx.messages)
        return request_context

    async def after_node_run(
        self, ctx: RunContext[Any], *, node: AgentNode[Any], result: NodeResult[Any]
    ) -> NodeResult[Any]:
        del node
        if ctx.run_id == self._run_id and ctx.messages:
            self._context = ctx
            self._on_messages(self.whole(None))
            last = ctx.messages[-1]
            if isinstance(last, ModelResponse) and last is not self._answered:
                self._answered = last
                self.on_response(ctx)
        return result
