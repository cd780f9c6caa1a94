"""A conversation with an agent: prompts go in, events come out, and nothing that was said is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Self

from pydantic_ai.messages import ModelMessage

from xcsh.agent.events import UsageReported
from xcsh.errors import UsageError
from xcsh.session.audience import Audience
from xcsh.session.dispatching import Dispatcher
from xcsh.session.events import ModelChanged, SessionEvent, Sink
from xcsh.session.findings import Findings
from xcsh.session.measuring import usage_of_session
from xcsh.session.message_queue import Kind, MessageQueue
from xcsh.session.outbox import Held, Outbox, Waiting
from xcsh.session.parts import SessionParts
from xcsh.session.preparing import Preparing
from xcsh.session.prompt_pipeline import Prepared, PromptContext, calls_extension
from xcsh.session.recording import Recording
from xcsh.session.reloading import reread
from xcsh.session.results import ClosedSessionError, ExtensionCommandError, PromptResult, StreamingBehaviorError
from xcsh.session.turns import Turns
from xcsh.session.undo.report import UndoReport
from xcsh.session.undo.session_changes import SessionChanges


class AgentSession:
    """One conversation. Use it as an async context manager; `create_agent_session` makes one.

    `prompt` runs the pipeline S-1 and waits for the answer; `steer` and `follow_up` queue; `abort` ends what runs;
    `compact` makes the history shorter. What happens is an event, for each sink of `subscribe` and each reader of
    `events`. All methods belong to the event loop that the session was made in.
    """

    def __init__(self, parts: SessionParts, context: PromptContext) -> None:
        self.id, self.context = parts.id, context
        self._parts = parts
        self._audience = Audience()
        self._emit = self._audience.tell
        self._recording = Recording(parts.recorder, self._emit)
        self._outbox = Outbox(parts.link, self._recording, self._emit)
        self._preparing = Preparing(lambda: self.context, self._emit)
        self._findings = Findings(parts.rules, self._emit)
        runner = parts.runner(self._emit, self._recording, self._outbox.delivered)
        self._turns = Turns(runner, parts.commands(self._emit), self._outbox, self._recording, parts.before)
        self._turns.on_end = self._findings.tell_new
        self._dispatcher = Dispatcher(self._turns, self._outbox, self._preparing)
        self.model, self.permissions = parts.model, parts.permissions
        self.changes, self.images = parts.changes, parts.images
        self.model.on_change = self._model_changed
        parts.link.on_start = self._outbox.deliver_waiting

    def restore(self, steering: Sequence[str], follow_ups: Sequence[str], state: Mapping[str, object]) -> None:
        """Takes over what waited when the session was left; it is sent after the next prompt."""
        self._outbox.restore(steering, follow_ups, state)

    @property
    def messages(self) -> list[ModelMessage]:
        """The history, as it is sent with the next prompt."""
        return list(self._turns.messages)

    @property
    def usage(self) -> UsageReported:
        """What the turns have used, and how full the context is. It takes a while for a long history."""
        return usage_of_session(self._turns.used, self._turns.messages, self.model.model)

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
        return self._turns.is_running

    @property
    def is_compacting(self) -> bool:
        """Whether the history is being made shorter."""
        return self._dispatcher.is_working

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
        FrontmatterError: of what the program itself brings (S-6). UsageError: there is no model, and nothing is sent.
        A turn that fails is a result, and an event.
        """
        entry = await self._entry(streaming_behavior or "follow_up", text, expand=expand_prompt_templates)
        if isinstance(entry, PromptResult):
            return entry
        if self.is_streaming and not self._dispatcher.is_paused and streaming_behavior is None:
            raise StreamingBehaviorError
        return await self._answer(entry)

    async def send(self, prepared: Prepared, typed: str) -> PromptResult:
        """Sends what the pipeline made of a text that was typed, and waits for the answer; nothing else may run."""
        self._check_open()
        if prepared.text is None:
            raise UsageError("there is nothing to send", "call it for a text that the pipeline left over")
        if self.is_streaming or self._dispatcher.is_paused:
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
        """Sends one of `waiting` at once, or before the next request of the turn; False where that cannot be.

        UsageError: there is no model.
        """
        self.context.check(entry.command)
        return self._dispatcher.send_now(entry)

    async def compact(self, focus: str | None = None) -> bool:
        """Makes the history shorter, after the turn that runs; True where it is. What is said meanwhile waits (S-4)."""
        self._check_open()
        compactor, turns = self._parts.compactor, self._turns
        return await self._dispatcher.pause_for(lambda: compactor.shorten(turns.messages, focus, turns.adopt))

    async def abort(self) -> None:
        """Ends the turn, the compaction and the handlers of commands; the queue is kept. Returns when it has ended."""
        ending = {*self._preparing.cancel(), *self._dispatcher.cancel(), *self._turns.cancel()}
        if ending:
            await asyncio.wait(ending)

    async def reload(self) -> None:
        """Reads the files again. The prompt keeps its bytes: what changed is appended (R-56). New findings are told."""
        self.context, events = await asyncio.to_thread(reread, self.context)
        self._parts.rules.reload(self.context.registry)
        self._findings.forget()
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
        report = await action(self.changes) if self.changes is not None else None
        if report is not None:
            self._outbox.remind(report.reminder(what))
        return report

    async def wait_idle(self) -> None:
        """Returns when no turn and no compaction runs, and none is about to begin."""
        await self._dispatcher.wait_idle()

    async def close(self) -> None:
        """Ends what runs, and closes the file of the session; what waits is in it."""
        self._turns.closed = True
        try:
            await self.abort()
            await self._turns.stop()
            self._recording.close()
        finally:
            await self.model.close()
            if self.context.servers is not None:
                await self.context.servers.close()

    def _check_open(self) -> None:
        if self._turns.closed:
            raise ClosedSessionError

    async def _say(self, kind: Kind, text: str) -> PromptResult:
        self._check_open()
        if calls_extension(text, self.context):
            raise ExtensionCommandError(text)
        entry = await self._entry(kind, text)
        if isinstance(entry, PromptResult):
            return entry
        self._dispatcher.send(entry)
        return PromptResult("queued")

    async def _entry(self, kind: Kind, text: str, *, expand: bool = True) -> Held | PromptResult:
        """What is to be sent, or what has become of it already. While texts are held, it has not been looked at."""
        self._check_open()
        if self._dispatcher.is_paused:
            self.context.check(None)
            return Held(kind, text, text, expand=expand)
        entry = await self._preparing.entry(kind, text, expand=expand)
        if isinstance(entry, Held):
            self._check_open()
            self.context.check(entry.command)
        return entry

    async def _answer(self, entry: Held) -> PromptResult:
        if (answer := self._dispatcher.send(entry)) is None:
            return PromptResult("queued")
        result = await asyncio.shield(answer)
        return PromptResult(result.outcome, result.text)

    def _model_changed(self) -> None:
        chosen = {"model": self.model_name, "model_was_chosen": True} if self.model.chosen else {}
        self._recording.state(thinking=self.thinking, **chosen)
        self._emit(ModelChanged(self.model_name, self.thinking))
