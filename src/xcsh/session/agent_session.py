"""A conversation with an agent: prompts go in, events come out, and nothing that was said is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import NamedTuple, Self

from pydantic_ai import CancellationToken
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart

from xcsh.api import rediscover
from xcsh.errors import UsageError
from xcsh.model.command import SlashCommand
from xcsh.session.changes import SessionChanges
from xcsh.session.events import (
    CommandHandled,
    CompactionCompleted,
    CompactionFailed,
    CompactionStarted,
    DiagnosticsFound,
    QueueChanged,
    SessionEvent,
    Sink,
    SteeringDelivered,
)
from xcsh.session.message_queue import Kind, MessageQueue, Queued
from xcsh.session.parts import SessionParts
from xcsh.session.prompt_pipeline import Prepared, PromptContext, calls_command, prepare, stage_for
from xcsh.session.results import ExtensionCommandError, PromptResult, StreamingBehaviorError
from xcsh.session.turn_runner import Recorder, Turn, TurnResult
from xcsh.session.undo_report import UndoReport

_EXTENSIONS = "extension-commands"


class _Held(NamedTuple):
    """What was said while the history was being made shorter."""

    text: str
    kind: Kind
    expand: bool


class AgentSession:
    """One conversation. Use it as an async context manager; `create_agent_session` makes one.

    `prompt` runs the pipeline S-1 and waits for the answer; `steer` and `follow_up` queue; `abort` ends what runs;
    `compact` makes the history shorter. What happens is an event, for each sink of `subscribe` and each reader of
    `events`. All methods belong to the event loop that the session was made in.
    """

    def __init__(
        self,
        parts: SessionParts,
        context: PromptContext,
        *,
        session_id: str,
        recorder: Recorder | None = None,
        history: Sequence[ModelMessage] = (),
        turns: int = 0,
    ) -> None:
        self.id = session_id
        self.queue = MessageQueue()
        self.context = context
        self._parts = parts
        self._runner = parts.runner(self._emit, self._delivered)
        self._link = parts.link
        self._compactor = parts.compactor
        self._reminders: list[str] = []
        self._found = list(parts.rules.diagnostics)
        self._recorder = recorder
        self._messages = list(history)
        self._turns = turns
        self._sinks: list[Sink] = []
        self._turn: Turn | None = None
        self._worker: asyncio.Task[None] | None = None
        self._answers: dict[int, asyncio.Future[TurnResult]] = {}
        self._compaction: asyncio.Task[list[ModelMessage]] | None = None
        self._held: list[_Held] = []
        self._on_their_way: dict[str, Queued] = {}
        parts.link.on_start = self._deliver_waiting

    @property
    def messages(self) -> list[ModelMessage]:
        """The history, as it is sent with the next prompt."""
        return list(self._messages)

    @property
    def is_streaming(self) -> bool:
        """Whether a turn runs."""
        return self._turn is not None

    @property
    def is_compacting(self) -> bool:
        """Whether the history is being made shorter."""
        return self._compaction is not None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def subscribe(self, sink: Sink) -> Callable[[], None]:
        """Tells `sink` every event from now on, at once and in order; returns what ends that."""
        self._sinks.append(sink)
        return lambda: self._sinks.remove(sink) if sink in self._sinks else None

    async def events(self) -> AsyncGenerator[SessionEvent]:
        """Every event from the first read on. A reader that is slow holds nothing up and misses nothing."""
        waiting: asyncio.Queue[SessionEvent] = asyncio.Queue()
        leave = self.subscribe(waiting.put_nowait)
        try:
            while True:
                yield await waiting.get()
        finally:
            leave()

    async def prompt(
        self, text: str, *, streaming_behavior: Kind | None = None, expand_prompt_templates: bool = True
    ) -> PromptResult:
        """Runs what `text` calls and sends what is left, waiting for the answer (S-1).

        While a turn streams, the text is queued by `streaming_behavior`; StreamingBehaviorError where none is given.
        FrontmatterError: of what the program itself brings (S-6). A turn that fails is a result, and an event.
        """
        if self._compaction is not None:
            return self._hold(text, streaming_behavior or "follow_up", expand=expand_prompt_templates)
        prepared = await prepare(text, self.context, expand_prompt_templates=expand_prompt_templates)
        if prepared.text is None:
            self._emit(CommandHandled(prepared.handled_by or "", text))
            return PromptResult("handled")
        if self._compaction is not None:  # it began while a command ran, whose work must not be done twice
            return self._hold(prepared.text, streaming_behavior or "follow_up", expand=False)
        if self._turn is not None:
            if streaming_behavior is None:
                raise StreamingBehaviorError
            return self._enqueue(streaming_behavior, prepared.text, text)
        answer = await asyncio.shield(self._begin(prepared.text, text, prepared.command))
        return PromptResult(answer.outcome, answer.text)

    async def send(self, prepared: Prepared, typed: str) -> PromptResult:
        """Sends what the pipeline made of a text that was typed, and waits for the answer; nothing else may run."""
        if prepared.text is None:
            raise UsageError("there is nothing to send", "call it for a text that the pipeline left over")
        if self._turn is not None or self._compaction is not None:
            raise StreamingBehaviorError
        answer = await asyncio.shield(self._begin(prepared.text, typed, prepared.command))
        return PromptResult(answer.outcome, answer.text)

    async def steer(self, text: str) -> PromptResult:
        """Delivers a text before the next request of the turn; where none runs, it is sent."""
        return await self._say("steer", text)

    async def follow_up(self, text: str) -> PromptResult:
        """Sends a text when the turn has ended; where none runs, at once."""
        return await self._say("follow_up", text)

    async def compact(self, focus: str | None = None) -> bool:
        """Makes the history shorter, after the turn that runs; True where it is. What is said meanwhile waits (S-4)."""
        await self.wait_idle()
        if self._compaction is not None:
            await asyncio.wait({self._compaction})
            return False
        self._compaction = asyncio.ensure_future(self._compactor.compact(self._messages, focus))
        self._emit(CompactionStarted(self._compactor.tokens(self._messages)))
        try:
            shorter = await self._compaction
        except asyncio.CancelledError:
            self._emit(CompactionFailed("it was ended by the user"))
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            return False
        except Exception as error:  # noqa: BLE001 - a strategy calls a model: whatever it raises, the history stays
            self._emit(CompactionFailed(self._compactor.reason(error)))
            return False
        else:
            before, self._messages = self._messages, shorter
            if self._recorder is not None:
                self._recorder.messages(shorter)
            self._emit(CompactionCompleted(self._compactor.tokens(before), self._compactor.tokens(shorter)))
            return True
        finally:
            self._compaction = None
            await self._replay()

    async def abort(self) -> None:
        """Ends the compaction or the turn: its connection is closed, the queue is kept. Returns when it has ended."""
        if self._compaction is not None:
            self._compaction.cancel()
            await asyncio.wait({self._compaction})
        turn = self._turn
        if turn is not None:
            turn.token.cancel()
            await asyncio.wait({self._answers[turn.number]})

    async def reload(self) -> None:
        """Reads the files again. The prompt keeps its bytes: what changed is appended (R-56). New findings are told."""
        before = self.context.registry.diagnostics
        registry = await asyncio.to_thread(rediscover, self.context.registry)
        self.context = self.context._replace(registry=registry)
        self._parts.rules.reload(registry)
        self._found = list(self._parts.rules.diagnostics)
        new = tuple(item for item in registry.diagnostics if item not in before)
        if new:
            self._emit(DiagnosticsFound(new))

    async def undo(self) -> UndoReport | None:
        """Takes back the file changes of the newest turn that has some, after the turn that runs; None without one.

        The model is told with the next prompt. Of a session that is not written down nothing can be taken back.
        """
        return await self._take_back(SessionChanges.undo, "undid the file changes of an earlier turn")

    async def redo(self) -> UndoReport | None:
        """Takes back the newest undo; None where there is none."""
        return await self._take_back(SessionChanges.redo, "made the file changes again that were undone")

    async def _take_back(
        self, action: Callable[[SessionChanges], Awaitable[UndoReport | None]], what: str
    ) -> UndoReport | None:
        await self.wait_idle()
        changes = self._parts.changes
        report = await action(changes) if changes is not None else None
        if report is not None:
            self._reminders.append(
                f'<system-reminder reason="undo">\nThe user {what}. Read the files again before you change them.\n'
                f"{report.text}\n</system-reminder>"
            )
        return report

    async def wait_idle(self) -> None:
        """Returns when no turn runs and none is about to begin."""
        while self._worker is not None and not self._worker.done():
            await asyncio.wait({self._worker})

    async def close(self) -> None:
        """Ends what runs, and closes the file of the session."""
        await self.abort()
        if self._worker is not None and not self._worker.done():
            self._worker.cancel()
            await asyncio.wait({self._worker})
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.close()

    async def _say(self, kind: Kind, text: str) -> PromptResult:
        if stage_for(text, self.context) == _EXTENSIONS:
            raise ExtensionCommandError(text)
        if self._compaction is not None:
            return self._hold(text, kind, expand=True)
        prepared = await prepare(text, self.context)
        if prepared.text is None:
            self._emit(CommandHandled(prepared.handled_by or "", text))
            return PromptResult("handled")
        if self._compaction is not None:
            return self._hold(prepared.text, kind, expand=False)
        self._send(kind, prepared.text, text, prepared.command)
        return PromptResult("queued")

    def _send(self, kind: Kind, text: str, typed: str, command: SlashCommand | None = None) -> None:
        if self._turn is not None:
            self._enqueue(kind, text, typed)
        else:
            self._begin(text, typed, command)

    def _hold(self, text: str, kind: Kind, *, expand: bool) -> PromptResult:
        self._held.append(_Held(text, kind, expand))
        self._tell_queue()
        return PromptResult("queued")

    async def _replay(self) -> None:
        """What was said while the history was being made shorter, in order (S-4)."""
        held, self._held = self._held, []
        for entry in held:
            if not entry.expand:
                self._send(entry.kind, entry.text, entry.text)
            elif calls_command(entry.text, self.context):
                await self._replay_command(entry)
            else:
                await self._say(entry.kind, entry.text)
        self._send_waiting()

    async def _replay_command(self, entry: _Held) -> None:
        """Through `prompt`, but for the waiting: later entries must not wait for an answer."""
        prepared = await prepare(entry.text, self.context)
        if prepared.text is None:
            self._emit(CommandHandled(prepared.handled_by or "", entry.text))
        else:
            self._send(entry.kind, prepared.text, entry.text, prepared.command)

    def _enqueue(self, kind: Kind, text: str, typed: str) -> PromptResult:
        entry = self.queue.add(kind, text, typed)
        self._tell_queue()
        if self._recorder is not None:
            self._recorder.prompt(text, kind=kind)
        if kind == "steer":
            self._deliver(entry)
        return PromptResult("queued")

    def _deliver(self, entry: Queued) -> None:
        enqueue_id = self._link.deliver(entry.text)
        if enqueue_id is not None:
            self._on_their_way[enqueue_id] = entry

    def _deliver_waiting(self) -> None:
        reminders, self._reminders = self._reminders, []
        for text in reminders:
            self._link.deliver(text)
        for entry in self.queue.of("steer"):
            self._deliver(entry)

    def _delivered(self, enqueue_id: str) -> None:
        entry = self._on_their_way.pop(enqueue_id, None)
        if entry is not None and self.queue.take(entry.id) is not None:
            self._emit(SteeringDelivered(entry.text))
            self._tell_queue()

    def _begin(self, text: str, typed: str, command: SlashCommand | None = None) -> asyncio.Future[TurnResult]:
        """Starts a turn, and after it those that wait. Nothing is awaited, so that no other turn comes between."""
        self._turns += 1
        turn = Turn(self._turns, text, typed, CancellationToken(), command)
        self._turn = turn
        answer = self._answers[turn.number] = asyncio.get_running_loop().create_future()
        self._worker = asyncio.create_task(self._work(turn))
        return answer

    async def _work(self, turn: Turn) -> None:
        answer = self._answers[turn.number]
        try:
            async with self._parts.commands(self._emit).around(turn.command) as model:
                result = await self._runner.run(turn, self._messages, model)
        except BaseException as error:
            self._turn = None
            if isinstance(error, Exception):
                answer.set_exception(error)
            else:
                answer.cancel()
                raise
            return
        finally:
            del self._answers[turn.number]
        self._tell_findings()
        self._settle(result.messages[len(self._messages) :])
        self._messages = result.messages
        self._turn = None
        if not answer.done():
            answer.set_result(result)
        if result.outcome == "completed":
            self._send_waiting()

    def _tell_findings(self) -> None:
        new = tuple(item for item in self._parts.rules.diagnostics if item not in self._found)
        self._found += new
        if new:
            self._emit(DiagnosticsFound(new))

    def _settle(self, new: Sequence[ModelMessage]) -> None:
        """A text that went into the history in the moment that its turn ended is delivered, event or not."""
        said = [part.content for message in new if isinstance(message, ModelRequest) for part in message.parts
                if isinstance(part, UserPromptPart)]  # fmt: skip
        for enqueue_id, entry in list(self._on_their_way.items()):
            if entry.text in said:
                self._delivered(enqueue_id)
        self._on_their_way.clear()

    def _send_waiting(self) -> None:
        if self._turn is None and self._compaction is None and (entry := self.queue.next()) is not None:
            self._tell_queue()
            self._begin(entry.text, entry.typed)

    def _tell_queue(self) -> None:
        steering, follow_ups = self._waiting("steer"), self._waiting("follow_up")
        if self._recorder is not None:
            self._recorder.queue(steering, follow_ups)
        self._emit(QueueChanged(steering, follow_ups))

    def _waiting(self, kind: Kind) -> tuple[str, ...]:
        return self.queue.texts(kind) + tuple(entry.text for entry in self._held if entry.kind == kind)

    def _emit(self, event: SessionEvent) -> None:
        for sink in list(self._sinks):
            sink(event)
