"""Makes entries of events, in their order. What is retracted goes away; a notice stays in its place (S-14, S-24)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from xcsh.agent.events import (
    FileChanged,
    MessageCompleted,
    MessageRetracted,
    RulesAttached,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
)
from xcsh.session.events import (
    SessionEvent,
    SteeringDelivered,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from xcsh.session.store.marks import without_tokens
from xcsh.tui.transcript.blocks import Block
from xcsh.tui.transcript.column import Column
from xcsh.tui.transcript.entries import Answered, Called, Entry, Said, Thought
from xcsh.tui.transcript.wording import call_line, note_of

if TYPE_CHECKING:
    from xcsh.tui.transcript.markdown import GrowingMarkdown


class Showing:
    """Keeps the entries of a column as the events say. `unfold`: whether what folds begins unfolded."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._message: list[Entry] = []  # of the message that is being written, which may be retracted
        self._growing: GrowingMarkdown | None = None
        self._tail: Answered | None = None
        self._is_first = True  # no text of the message stands there yet
        self._thought: Thought | None = None
        self._calls: dict[str, Called] = {}
        self.unfold = False
        self.last_answer = ""

    def add(self, entry: Entry) -> None:
        """Puts an entry at the end."""
        if entry.folds:
            entry.unfolded = self.unfold
        self._column.append(entry)

    def show(self, event: SessionEvent) -> None:  # noqa: C901 - a table
        """Takes the next event. Of deltas, which come by the thousand, many may be joined to one."""
        match event:
            case TextDelta(text=text):
                self._write(text)
            case ThinkingDelta(text=text):
                self._think(text)
            case MessageCompleted(text=text):
                self._complete(text)
            case MessageRetracted():
                self._retract()
            case TurnStarted(text=text, typed=typed):
                self._end_turn()
                self.add(Said(without_tokens(typed if typed != text and typed.startswith("/") else text)))
            case SteeringDelivered(text=text):
                self._end_message()
                self.add(Said(without_tokens(text)))
            case ToolCalled() | FileChanged() | ToolReturned():
                self._tool(event)
            case _:
                if isinstance(event, TurnCompleted | TurnFailed | TurnAborted):
                    self._end_turn()
                if isinstance(event, RulesAttached) and event.held_back:
                    self._hold_back(event.file)
                note = note_of(event)
                if note is not None:
                    self.add(note)

    def _write(self, text: str) -> None:
        if self._growing is None:
            from xcsh.tui.transcript.markdown import GrowingMarkdown  # noqa: PLC0415 - heavy: with the first answer

            self._end_thought()
            self._growing = GrowingMarkdown()
        self._growing.add(text)
        self._advance(self._growing, whole=False)

    def _advance(self, growing: GrowingMarkdown, *, whole: bool) -> None:
        """Puts what stays before what still grows."""
        at = len(self._column)
        if self._tail is not None:
            at = self._drop(self._tail)
            self._message.remove(self._tail)
            self._tail = None
        entries = [self._answered(block) for block in growing.take(whole=whole)]
        if growing.rest.source.strip():
            is_first = self._is_first
            self._tail = self._answered(growing.rest)
            self._is_first = is_first  # it is painted again, in another entry
            entries.append(self._tail)
        self._column.insert(at, entries)
        self._message += entries

    def _answered(self, block: Block) -> Answered:
        entry = Answered(block, is_first=self._is_first)
        self._is_first = False
        return entry

    def _drop(self, entry: Entry) -> int:
        """Takes an entry out, and returns where it stood."""
        try:
            at = self._column.find(entry)
        except ValueError:  # so long ago that it is no longer shown
            return 0
        self._column.remove(at, at + 1)
        return at

    def _think(self, text: str) -> None:
        self._end_text()
        if self._thought is None:
            self._thought = Thought("", is_over=False)
            self.add(self._thought)
            self._message.append(self._thought)
        self._thought.text += text
        self._changed(self._thought)

    def _complete(self, text: str) -> None:
        if text and self._is_first and self._growing is None:
            self._write(text)
        self.last_answer = text or self.last_answer
        self._end_message()

    def _retract(self) -> None:
        for entry in self._message:
            self._drop(entry)
        self._growing = self._tail = self._thought = None
        self._is_first = True
        self._message.clear()

    def _tool(self, event: ToolCalled | FileChanged | ToolReturned) -> None:
        if isinstance(event, ToolCalled):
            self._end_message()
            call = Called(call_line(event.name, event.arguments), event.name, event.call_id)
            before = self._column.entries[-1] if len(self._column) else None
            call.spaced = not isinstance(before, Called)
            self._calls[event.call_id] = call
            self.add(call)
            return
        call = self._calls.get(event.call_id)
        if call is None:
            return
        if isinstance(event, FileChanged):
            call.changes.append(event)
        else:
            call.result, call.failed = event.content, event.failed
        self._changed(call)

    def _hold_back(self, file: str) -> None:
        """A call waits for the model to read rules: that is no failure, though the call did nothing."""
        for call in self._calls.values():
            if call.is_change_of(file):
                call.held_back = True
                self._changed(call)

    def _end_turn(self) -> None:
        self._end_message()
        for call in self._calls.values():
            if call.result is None:
                call.result, call.failed = "it was ended before it had a result", True
                self._changed(call)
        self._calls.clear()

    def _end_message(self) -> None:
        self._end_text()
        self._end_thought()
        self._is_first = True
        self._message.clear()

    def _end_text(self) -> None:
        growing, self._growing = self._growing, None
        if growing is not None:
            self._advance(growing, whole=True)

    def _end_thought(self) -> None:
        thought, self._thought = self._thought, None
        if thought is not None:
            thought.is_over = True
            self._changed(thought)

    def _changed(self, entry: Entry) -> None:
        entry.changed()
        with suppress(ValueError):  # as above
            self._column.touch(self._column.find(entry))
