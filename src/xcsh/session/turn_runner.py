"""Runs one turn: a text goes to the agent, events come out, and the history is as long as it got."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterable, Callable, Sequence
from typing import Literal, NamedTuple

from pydantic_ai import Agent, CancellationToken, RunContext
from pydantic_ai.exceptions import AgentRunError, RunCancelled
from pydantic_ai.messages import (
    AgentStreamEvent,
    EnqueuedMessagesEvent,
    ModelMessage,
    ModelRequest,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from xcsh.agent.failures import failed_turn
from xcsh.agent.reading import StreamReader
from xcsh.agent.stream_rules.remembering import carried
from xcsh.errors import FailedTurnError, UsageError
from xcsh.model.command import SlashCommand
from xcsh.session.events import Sink, TurnAborted, TurnCompleted, TurnFailed, TurnStarted, Usage
from xcsh.session.measuring import Used, usage_of_run
from xcsh.session.recording import Recording
from xcsh.session.run_link import RunLink
from xcsh.session.session_model import SessionModel
from xcsh.session.store import valid_history

TurnOutcome = Literal["completed", "failed", "aborted"]


class Turn(NamedTuple):
    """A text to send. `typed` is what the user typed, before commands were expanded; `command` is what was expanded."""

    number: int
    text: str
    typed: str
    token: CancellationToken
    command: SlashCommand | None = None


class FinishedTurn(NamedTuple):
    """What became of a turn, the history after it, and what it used."""

    outcome: TurnOutcome
    text: str
    messages: list[ModelMessage]
    used: Used


class TurnRunner:
    """Runs the turns of one conversation, one at a time."""

    def __init__(
        self,
        agent: Agent[object, str],
        answering: SessionModel,
        link: RunLink,
        emit: Sink,
        recording: Recording,
        on_delivered: Callable[[str], None],
        *,
        conversation_id: str,
        limits: UsageLimits | None = None,
    ) -> None:
        """`on_delivered` gets the id of each text that `link.deliver` queued, when the model is about to see it."""
        self._agent = agent
        self._answering = answering
        self._link = link
        self._emit = emit
        self._on_delivered = on_delivered
        self._conversation_id = conversation_id
        self._recording = recording
        self._cost: float | None = 0.0  # of the turn so far
        self._limits = limits or UsageLimits(request_limit=None)

    async def run(self, turn: Turn, history: Sequence[ModelMessage], model: Model | None = None) -> FinishedTurn:
        """Sends the text and waits for the answer. A turn that fails or is aborted is a result and an event.

        `model`: for this turn, in place of the session's own.

        Cancelled from outside, it leaves the history in the recorder as far as it came.
        """
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
        self._link.listener = reader.read
        self._link.on_response = self._responded
        self._cost = 0.0
        try:
            result = await self._agent.run(
                turn.text,
                message_history=list(history) or None,
                model=model or self._answering.chosen,
                model_settings=self._answering.settings,
                run_id=run_id,
                conversation_id=self._conversation_id,
                usage=usage,
                usage_limits=self._limits,
                cancellation_token=turn.token,
                event_stream_handler=read,
            )
        except RunCancelled as error:
            return self._ended(turn, "aborted", history, self._so_far(turn, history, error.all_messages()), usage)
        except (AgentRunError, UsageError) as error:
            return self.failed(turn, history, error, usage)
        except asyncio.CancelledError:
            self._ended(turn, "aborted", history, self._so_far(turn, history), usage)
            raise
        else:
            reader.finish()
            return self._ended(turn, "completed", history, result.all_messages(), usage, result.output)
        finally:
            self._link.leave()

    def _responded(self, ctx: RunContext[object]) -> None:
        report = usage_of_run(ctx)
        self._cost = report.cost
        self._emit(report)

    def failed(
        self, turn: Turn, history: Sequence[ModelMessage], error: Exception, usage: RunUsage | None = None
    ) -> FinishedTurn:
        """What becomes of a turn that this raised in: it is told, and the history is kept as far as it came."""
        usage = usage or RunUsage()
        failure = failed_turn(error) if isinstance(error, AgentRunError) else _broken(error)
        self._emit(TurnFailed(turn.number, str(failure), failure.hint, _plain(usage)))
        return self._ended(turn, "failed", history, self._so_far(turn, history), usage)

    def aborted(self, turn: Turn, history: Sequence[ModelMessage]) -> FinishedTurn:
        """What becomes of a turn that was ended before it ran."""
        return self._ended(turn, "aborted", history, self._so_far(turn, history), RunUsage())

    def _so_far(
        self, turn: Turn, history: Sequence[ModelMessage], known: Sequence[ModelMessage] | None = None
    ) -> list[ModelMessage]:
        """The history of a turn that has no answer, as it can be sent; with the prompt, however early it broke off."""
        messages = valid_history(self._link.whole(known) or history)
        if not self._link.has_sent and _prompts(messages, turn.text) <= _prompts(history, turn.text):
            messages.append(ModelRequest([UserPromptPart(turn.text)]))
        return messages

    def _ended(
        self,
        turn: Turn,
        outcome: TurnOutcome,
        before: Sequence[ModelMessage],
        after: Sequence[ModelMessage],
        usage: RunUsage,
        text: str = "",
    ) -> FinishedTurn:
        used = _plain(usage)
        messages = carried(before, after)
        self._recording.messages(messages)
        whole, self._cost = Used(*used, self._cost), 0.0
        self._recording.turn(outcome, whole.record)
        if outcome == "completed":
            self._emit(TurnCompleted(turn.number, text, used))
        elif outcome == "aborted":
            self._emit(TurnAborted(turn.number, used))
        return FinishedTurn(outcome, text, messages, whole)


def _broken(error: Exception) -> FailedTurnError:
    """Of something that no provider and no tool is known to raise, or of a model that is absent."""
    if isinstance(error, UsageError):
        return FailedTurnError(str(error), error.hint)
    return FailedTurnError(f"the turn broke off: {type(error).__name__}: {error}", "try again; the queue is kept")


def _prompts(messages: Sequence[ModelMessage], text: str) -> int:
    parts = (part for message in messages if isinstance(message, ModelRequest) for part in message.parts)
    return sum(isinstance(part, UserPromptPart) and part.content == text for part in parts)


def _plain(usage: RunUsage) -> Usage:
    return Usage(usage.requests, usage.input_tokens, usage.output_tokens)
