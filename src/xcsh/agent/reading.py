"""Turns the framework's stream of events into the events of a turn."""

from __future__ import annotations

from pydantic_ai import AgentRunResultEvent, AgentStreamEvent
from pydantic_ai.messages import (
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai_harness.filesystem import FileChangeRequestEvent, FileEditedEvent, FileWrittenEvent

from xcsh.agent.attachments.events import RulesAttachedEvent
from xcsh.agent.changes.file_diff import FileDiffEvent, cut_diff
from xcsh.agent.events import (
    FileChanged,
    MessageCompleted,
    MessageRetracted,
    RequestResent,
    RulesAttached,
    RulesTriggered,
    Sink,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
)
from xcsh.agent.stream_rules.events import RequestResentEvent, ResponseRetractedEvent, RulesTriggeredEvent


class StreamReader:
    """Follows one run. A response that ends is a message.

    One that is retracted, or that another one replaces before its end, was discarded: its events say so first.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._open = False
        self._texts: dict[int, str] = {}
        self._changes: dict[str, dict[str, FileChanged]] = {}
        self._requested: dict[tuple[str, str], FileChangeRequestEvent] = {}

    def read(self, event: AgentStreamEvent | AgentRunResultEvent[str]) -> None:  # noqa: C901 - a table
        """Takes the next event of the run."""
        match event:
            case PartStartEvent(index=index, part=part):
                if index == 0 and self._open:
                    self._retract()
                self._open = True
                self._started(index, part)
            case PartDeltaEvent(index=index, delta=delta):
                self._grew(index, delta)
            case PartEndEvent(next_part_kind=None):
                self._complete()
            case FunctionToolCallEvent(part=call):
                self._complete()
                self._sink(ToolCalled(call.tool_name, dict(call.args_as_dict()), call.tool_call_id))
            case FunctionToolResultEvent(part=result):
                for change in self._changes.pop(result.tool_call_id, {}).values():
                    self._sink(change)
                failed = result.outcome != "success"
                self._sink(ToolReturned(result.tool_name, result.model_response_str(), result.tool_call_id, failed))
            case RulesAttachedEvent():
                self._sink(RulesAttached(event.rules, event.paths, event.file, event.held_back))
            case AgentRunResultEvent():
                self.finish()
            case FileChangeRequestEvent() | FileWrittenEvent() | FileDiffEvent():
                self._changed(event)
            case _:
                self._interrupted(event)

    def finish(self) -> None:
        """The run has its answer; a last message that no event ended is complete."""
        self._complete()

    def _changed(self, event: FileChangeRequestEvent | FileWrittenEvent | FileDiffEvent) -> None:
        """Remembers what a call does to a file, until it returns. The journal, where there is one, knows it best."""
        call = event.tool_call_id or ""
        if isinstance(event, FileDiffEvent):
            change = FileChanged(event.path, event.operation, event.added, event.removed, event.text, event.left, call)
            self._changes.setdefault(call, {})[event.path] = change
        elif isinstance(event, FileChangeRequestEvent):
            self._requested[call, event.path] = event
        elif event.path not in self._changes.get(call, {}):
            asked = self._requested.pop((call, event.path), None)
            told = event if isinstance(event, FileEditedEvent) else asked
            operation = asked.operation if asked is not None else "write"
            lines = told.diff.splitlines() if told is not None else []
            diff = cut_diff([line for line in lines if not line.startswith(("--- ", "+++ "))])
            cut = told is None or told.truncated
            counts = (None, None) if cut else (diff.added, diff.removed)
            change = FileChanged(event.path, operation, *counts, diff.text, None if cut else diff.left, call)
            self._changes.setdefault(call, {})[event.path] = change

    def _interrupted(self, event: object) -> None:
        if isinstance(event, ResponseRetractedEvent) and self._open:
            self._retract()
        elif isinstance(event, RulesTriggeredEvent):
            if event.kept:
                self._complete()
            self._sink(RulesTriggered(event.rules, event.paths, event.kept, event.written_tokens, event.texts))
        elif isinstance(event, RequestResentEvent):
            self._sink(RequestResent(event.attempt, event.delay, event.reason))

    def _started(self, index: int, part: object) -> None:
        if isinstance(part, TextPart):
            self._text(index, part.content)
        elif isinstance(part, ThinkingPart) and part.content:
            self._sink(ThinkingDelta(part.content))

    def _grew(self, index: int, delta: object) -> None:
        if isinstance(delta, TextPartDelta):
            self._text(index, delta.content_delta)
        elif isinstance(delta, ThinkingPartDelta) and delta.content_delta:
            self._sink(ThinkingDelta(delta.content_delta))

    def _text(self, index: int, text: str) -> None:
        self._texts[index] = self._texts.get(index, "") + text
        if text:
            self._sink(TextDelta(text))

    def _complete(self) -> None:
        if self._open:
            self._sink(MessageCompleted("".join(self._texts.values())))
        self._open = False
        self._texts.clear()

    def _retract(self) -> None:
        self._sink(MessageRetracted())
        self._open = False
        self._texts.clear()
