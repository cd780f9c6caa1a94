"""Runs one turn: a text goes to the agent, events come out, and the history is as long as it got."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from pydantic_ai import Agent, CancellationToken, RunContext
from pydantic_ai.exceptions import AgentRunError, RunCancelled
from pydantic_ai.messages import AgentStreamEvent, EnqueuedMessagesEvent, ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from xcsh.agent.failures import failed_turn
from xcsh.agent.reading import StreamReader
from xcsh.model.command import SlashCommand
from xcsh.session.events import Sink, TurnAborted, TurnCompleted, TurnFailed, TurnStarted, Usage
from xcsh.session.run_link import RunLink

TurnOutcome = Literal["completed", "failed", "aborted"]


class Recorder(Protocol):
    """Where a session is written down as it goes; `xcsh.session.store.SessionFile` is one."""

    def prompt(self, text: str, *, kind: str = "prompt") -> None:
        """A text of the user is acknowledged: it is kept, whatever happens next."""
        ...

    def messages(self, history: Sequence[ModelMessage]) -> None:
        """The history as it is now."""
        ...

    def queue(self, steering: Sequence[str], follow_ups: Sequence[str]) -> None:
        """What waits to be sent."""
        ...

    def note(self, kind: str, data: Mapping[str, object]) -> None:
        """Anything else that is to be kept."""
        ...

    def turn(self, outcome: str, usage: Mapping[str, object]) -> None:
        """A turn has ended."""
        ...

    def close(self) -> None:
        """Nothing more comes."""
        ...


class Turn(NamedTuple):
    """A text to send. `typed` is what the user typed, before commands were expanded; `command` is what was expanded."""

    number: int
    text: str
    typed: str
    token: CancellationToken
    command: SlashCommand | None = None


class TurnResult(NamedTuple):
    """What became of a turn, and the history after it."""

    outcome: TurnOutcome
    text: str
    messages: list[ModelMessage]


class TurnRunner:
    """Runs the turns of one conversation, one at a time."""

    def __init__(
        self,
        agent: Agent[object, str],
        link: RunLink,
        emit: Sink,
        on_delivered: Callable[[str], None],
        *,
        conversation_id: str,
        recorder: Recorder | None = None,
        limits: UsageLimits | None = None,
    ) -> None:
        """`on_delivered` gets the id of each text that `link.deliver` queued, when the model is about to see it."""
        self._agent = agent
        self._link = link
        self._emit = emit
        self._on_delivered = on_delivered
        self._conversation_id = conversation_id
        self._recorder = recorder
        self._limits = limits or UsageLimits(request_limit=None)

    async def run(self, turn: Turn, history: Sequence[ModelMessage], model: Model | None = None) -> TurnResult:
        """Sends the text and waits for the answer. A turn that fails or is aborted is a result and an event.

        `model`: for this turn, in place of the agent's own.

        Cancelled from outside, it leaves the history in the recorder as far as it came.
        """
        if self._recorder is not None:
            self._recorder.prompt(turn.text)
        self._emit(TurnStarted(turn.number, turn.text, turn.typed))
        run_id = uuid.uuid4().hex
        usage = RunUsage()
        reader = StreamReader(self._emit)

        async def read(ctx: RunContext[object], events: AsyncIterable[AgentStreamEvent]) -> None:
            del ctx
            async for event in events:
                reader.read(event)
                if isinstance(event, EnqueuedMessagesEvent):
                    self._on_delivered(event.enqueue_id)

        self._link.expect(run_id)
        messages = list(history)
        try:
            result = await self._agent.run(
                turn.text,
                message_history=messages or None,
                model=model,
                run_id=run_id,
                conversation_id=self._conversation_id,
                usage=usage,
                usage_limits=self._limits,
                cancellation_token=turn.token,
                event_stream_handler=read,
            )
        except RunCancelled as error:
            return self._ended(turn, "aborted", "", error.all_messages() or messages, usage)
        except AgentRunError as error:
            failure = failed_turn(error)
            self._emit(TurnFailed(turn.number, str(failure), failure.hint, _plain(usage)))
            return self._ended(turn, "failed", "", self._link.messages or messages, usage)
        except asyncio.CancelledError:
            self._ended(turn, "aborted", "", self._link.messages or messages, usage)
            raise
        else:
            reader.finish()
            return self._ended(turn, "completed", result.output, result.all_messages(), usage)
        finally:
            self._link.leave()

    def _ended(
        self, turn: Turn, outcome: TurnOutcome, text: str, messages: list[ModelMessage], usage: RunUsage
    ) -> TurnResult:
        used = _plain(usage)
        if self._recorder is not None:
            self._recorder.messages(messages)
            self._recorder.turn(outcome, used._asdict())
        if outcome == "completed":
            self._emit(TurnCompleted(turn.number, text, used))
        elif outcome == "aborted":
            self._emit(TurnAborted(turn.number, used))
        return TurnResult(outcome, text, messages)


def _plain(usage: RunUsage) -> Usage:
    return Usage(usage.requests, usage.input_tokens, usage.output_tokens)
