"""A conversation with an agent: prompts go in, events come out, and nothing that was said is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Self

from pydantic_ai import CancellationToken
from pydantic_ai.messages import ModelMessage

from xcsh.agent.events import UsageReported
from xcsh.errors import UsageError
from xcsh.session.audience import Audience, log_failure
from xcsh.session.events import DiagnosticsFound, ModelChanged, SessionEvent, Sink
from xcsh.session.measuring import usage_of_history
from xcsh.session.message_queue import Kind, MessageQueue
from xcsh.session.outbox import Held, Outbox, Waiting
from xcsh.session.parts import SessionParts
from xcsh.session.preparing import Preparing
from xcsh.session.prompt_pipeline import Prepared, PromptContext, stage_for
from xcsh.session.recording import Recording
from xcsh.session.reloading import reread
from xcsh.session.results import ClosedSessionError, ExtensionCommandError, PromptResult, StreamingBehaviorError
from xcsh.session.turn_runner import Turn, TurnResult
from xcsh.session.undo.report import UndoReport
from xcsh.session.undo.session_changes import SessionChanges

_EXTENSIONS = "extension-commands"


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
        history: Sequence[ModelMessage] = (),
        turns: int = 0,
    ) -> None:
        self.id = session_id
        self.context = context
        self._parts = parts
        self._audience = Audience()
        self._emit = self._audience.tell
        self._recording = Recording(parts.recorder, self._emit)
        self._outbox = Outbox(parts.link, self._recording, self._emit)
        self._runner = parts.runner(self._emit, self._recording, self._outbox.delivered)
        self._found = list(parts.rules.diagnostics)
        self._messages = list(history)
        self._turns = turns
        self._turn: Turn | None = None
        self._worker: asyncio.Task[None] | None = None
        self._answers: dict[int, asyncio.Future[TurnResult]] = {}
        self.model, self.changes = parts.model, parts.changes
        self.model.on_change = self._model_changed
        self._preparing = Preparing(lambda: self.context, self._emit)
        self._compaction: asyncio.Task[bool] | None = None
        self._holding: asyncio.Future[None] | None = None
        self._closed = self._opening = False
        parts.link.on_start = self._outbox.deliver_waiting

    def restore(self, steering: Sequence[str], follow_ups: Sequence[str], state: Mapping[str, object]) -> None:
        """Takes over what waited when the session was left; it is sent after the next prompt."""
        self._outbox.restore(steering, follow_ups, state)

    @property
    def messages(self) -> list[ModelMessage]:
        """The history, as it is sent with the next prompt."""
        return list(self._messages)

    @property
    def usage(self) -> UsageReported:
        """What the history has used, and how full the context is. It takes a while for a long one."""
        return usage_of_history(self._messages, self.model.model)

    @property
    def queue(self) -> MessageQueue:
        """What waits to be sent."""
        return self._outbox.queue

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """What waits to be sent, one by one, in the order in which it will be."""
        return self._outbox.waiting

    @property
    def model_name(self) -> str:
        """The model that answers, as it was named."""
        return self.model.name

    @property
    def thinking(self) -> str:
        """How hard it is told to think; empty where it is told nothing."""
        return self.model.thinking

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
        return self._audience.subscribe(sink)

    def events(self) -> AsyncGenerator[SessionEvent]:
        """Every event from the first read on. A reader that is slow holds nothing up and misses nothing."""
        return self._audience.events()

    async def prompt(
        self, text: str, *, streaming_behavior: Kind | None = None, expand_prompt_templates: bool = True
    ) -> PromptResult:
        """Runs what `text` calls and sends what is left, waiting for the answer (S-1).

        While a turn streams, the text is queued by `streaming_behavior`; StreamingBehaviorError where none is given.
        FrontmatterError: of what the program itself brings (S-6). A turn that fails is a result, and an event.
        """
        entry = await self._entry(streaming_behavior or "follow_up", text, expand=expand_prompt_templates)
        if isinstance(entry, PromptResult):
            return entry
        if self._turn is not None and self._holding is None and streaming_behavior is None:
            raise StreamingBehaviorError
        return self._queued(entry) or await self._answer(entry)

    async def send(self, prepared: Prepared, typed: str) -> PromptResult:
        """Sends what the pipeline made of a text that was typed, and waits for the answer; nothing else may run."""
        if prepared.text is None:
            raise UsageError("there is nothing to send", "call it for a text that the pipeline left over")
        if self._turn is not None or self._holding is not None:
            raise StreamingBehaviorError
        return await self._answer(Held("follow_up", prepared.text, typed, expand=False, command=prepared.command))

    async def steer(self, text: str) -> PromptResult:
        """Delivers a text before the next request of the turn; where none runs, it is sent."""
        return await self._say("steer", text)

    async def follow_up(self, text: str) -> PromptResult:
        """Sends a text when the turn has ended; where none runs, at once."""
        return await self._say("follow_up", text)

    def withdraw(self, entry: Waiting | None = None) -> list[str]:
        """Takes back what waits and is not on its way yet, or one of `waiting`, and returns it as it was typed."""
        return self._outbox.take_back(entry)

    def send_now(self, entry: Waiting) -> bool:
        """Sends one of `waiting` at once, or before the next request of the turn; False where that cannot be."""
        if self._turn is not None:
            return self._outbox.hasten(entry)
        if self._holding is not None or (taken := self._outbox.take(entry)) is None:
            return False
        self._begin(Held(taken.kind, taken.text, taken.typed, expand=False, command=taken.command))
        return True

    async def compact(self, focus: str | None = None) -> bool:
        """Makes the history shorter, after the turn that runs; True where it is. What is said meanwhile waits (S-4)."""
        self._check_open()
        while (running := self._holding or self._worker) is not None and not running.done():
            compacting = self.is_compacting
            await asyncio.wait({running})
            if compacting or self._closed:
                return False
        self._hold()
        self._compaction = asyncio.ensure_future(self._parts.compactor.shorten(self._messages, focus, self._adopt))
        try:
            return await self._compaction
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            return False
        finally:
            self._compaction = None
            await self._replay()

    async def abort(self) -> None:
        """Ends the turn, the compaction and the handlers of commands; the queue is kept. Returns when it has ended."""
        ending: set[asyncio.Future[Any]] = {*self._preparing.cancel()}
        if self._compaction is not None and self._compaction.cancel():
            ending.add(self._compaction)
        if (turn := self._turn) is not None:
            turn.token.cancel()
            ending.add(self._answers[turn.number])
            if self._opening and self._worker is not None:
                self._worker.cancel()
        if ending:
            await asyncio.wait(ending)

    async def reload(self) -> None:
        """Reads the files again. The prompt keeps its bytes: what changed is appended (R-56). New findings are told."""
        self.context, events = await asyncio.to_thread(reread, self.context)
        self._parts.rules.reload(self.context.registry)
        self._found = list(self._parts.rules.diagnostics)
        for event in events:
            self._emit(event)

    def note(self, text: str) -> None:
        """Tells the model something with the next prompt, once: what the user has done beside the conversation."""
        self._outbox.note(text)

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
            self._outbox.remind(
                f'<system-reminder reason="undo">\nThe user {what}. Read the files again before you change them.\n'
                f"{report.text}\n</system-reminder>"
            )
        return report

    async def wait_idle(self) -> None:
        """Returns when no turn and no compaction runs, and none is about to begin."""
        while running := {each for each in (self._worker, self._holding) if each is not None and not each.done()}:
            await asyncio.wait(running)

    async def close(self) -> None:
        """Ends what runs, and closes the file of the session; what waits is in it."""
        try:
            await self._close()
        finally:
            await self.model.close()
            if self.context.servers is not None:
                await self.context.servers.close()

    async def _close(self) -> None:
        self._closed = True
        await self.abort()
        if self._worker is not None and not self._worker.done():
            self._worker.cancel()
            await asyncio.wait({self._worker})
        self._recording.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedSessionError

    async def _say(self, kind: Kind, text: str) -> PromptResult:
        self._check_open()
        if stage_for(text, self.context) == _EXTENSIONS:
            raise ExtensionCommandError(text)
        entry = await self._entry(kind, text)
        if isinstance(entry, PromptResult):
            return entry
        if self._queued(entry) is None:
            self._begin(entry)
        return PromptResult("queued")

    async def _entry(self, kind: Kind, text: str, *, expand: bool = True) -> Held | PromptResult:
        """What is to be sent, or what has become of it already. While texts are held, it has not been looked at."""
        self._check_open()
        if self._holding is not None:
            return Held(kind, text, text, expand=expand)
        prepared = await self._preparing.prepare(text, expand=expand)
        if prepared is None or prepared.text is None:
            return PromptResult("aborted" if prepared is None else "handled")
        self._check_open()
        return Held(kind, prepared.text, text, expand=False, command=prepared.command)

    def _queued(self, entry: Held) -> PromptResult | None:
        """Holds or queues a text; None where nothing runs."""
        if self._holding is not None:
            self._outbox.hold(entry)
        elif self._turn is not None:
            self._outbox.enqueue(entry)
        else:
            return None
        return PromptResult("queued")

    def _hold(self) -> None:
        """From now on what is said waits, until `_replay`."""
        self._holding = asyncio.get_running_loop().create_future()

    async def _replay(self) -> None:
        """What was held, in order, and what is said meanwhile behind it (S-4)."""
        try:
            while (entry := self._outbox.first_held) is not None and not self._closed:
                prepared = await self._preparing.prepare_held(entry)
                if self._outbox.first_held is not entry or self._closed:
                    continue  # it was taken back
                if prepared is None or prepared.text is None:
                    self._outbox.release(answered=True)
                else:
                    self._go_on(entry, entry._replace(text=prepared.text, command=prepared.command, expand=False))
        finally:
            holding, self._holding = self._holding, None
            if holding is not None:
                holding.set_result(None)
            self._send_waiting()

    def _go_on(self, held: Held, entry: Held) -> None:
        """The new text is written down before the old one is given up: after a crash one of them is there."""
        changed = entry.text != held.text
        if self._turn is None and not self.queue.entries:
            if not changed:
                self._outbox.release(answered=False)
            self._begin(entry)
            if changed:
                self._outbox.release(answered=True)
        else:
            self._outbox.enqueue(entry, acknowledged=not changed)
            self._outbox.release(answered=changed)
            self._send_waiting()

    def _adopt(self, shorter: list[ModelMessage]) -> None:
        self._messages = shorter
        self._recording.messages(shorter)

    async def _answer(self, entry: Held) -> PromptResult:
        self._check_open()
        result = await asyncio.shield(self._begin(entry))
        return PromptResult(result.outcome, result.text)

    def _begin(self, entry: Held) -> asyncio.Future[TurnResult]:
        """Starts a turn, and after it those that wait. Nothing is awaited, so that no other turn comes between."""
        self._turns += 1
        turn = self._turn = Turn(self._turns, entry.text, entry.typed, CancellationToken(), entry.command)
        answer = self._answers[turn.number] = asyncio.get_running_loop().create_future()
        self._recording.prompt(entry.text)
        self._worker = asyncio.create_task(self._work(turn))
        return answer

    async def _work(self, turn: Turn) -> None:
        answer = self._answers[turn.number]
        result: TurnResult | None = None
        try:
            self._opening = True  # what the command wants may be asked about, for as long as the user likes
            async with self._parts.commands(self._emit).around(turn.command) as model:
                self._opening = False
                result = await self._runner.run(turn, self._messages, model)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._opening or task is None:
                answer.cancel()
                raise
            task.uncancel()
            result = self._runner.aborted(turn, self._messages)
        except Exception as error:  # noqa: BLE001 - a mistake of ours: it is told, and nothing of the user's is lost
            log_failure(f"turn {turn.number}", error)
            result = result or self._runner.failed(turn, self._messages, error)
        finally:
            self._turn, self._opening = None, False
            del self._answers[turn.number]
        self._tell_findings()
        self._outbox.settle(self._messages, result.messages)
        self._messages = result.messages
        if not answer.done():
            answer.set_result(result)
        if result.outcome != "completed" or self._holding is not None:
            return
        if self._outbox.first_held is None:
            self._send_waiting()
        else:  # of an earlier process, or of a replay that was broken off
            self._hold()
            await self._replay()

    def _model_changed(self) -> None:
        chosen = {"model": self.model_name, "model_was_chosen": True} if self.model.chosen else {}
        self._recording.state(thinking=self.thinking, **chosen)
        self._emit(ModelChanged(self.model_name, self.thinking))

    def _tell_findings(self) -> None:
        new = tuple(item for item in self._parts.rules.diagnostics if item not in self._found)
        self._found += new
        if new:
            self._emit(DiagnosticsFound(new))

    def _send_waiting(self) -> None:
        if self._turn is None and self._compaction is None and not self._closed and (entry := self._outbox.next()):
            self._begin(Held(entry.kind, entry.text, entry.typed, expand=False, command=entry.command))
