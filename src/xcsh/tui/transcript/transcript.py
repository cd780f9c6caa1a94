"""The conversation on the screen: the events that it shows, and the keys and clicks that it takes."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType

from xcsh.agent.events import TextDelta, ThinkingDelta
from xcsh.diagnosis import with_every_finding
from xcsh.session.events import SessionEvent
from xcsh.tui.transcript.asking import FileAsked, Left, RuleAsked
from xcsh.tui.transcript.deltas import Deltas
from xcsh.tui.transcript.earlier import earlier
from xcsh.tui.transcript.entries import Entry, Note
from xcsh.tui.transcript.entry_view import EntryView
from xcsh.tui.transcript.showing import Showing
from xcsh.tui.transcript.styles import CSS, STYLES
from xcsh.tui.transcript.wording import counted

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

_FRAME, _SHARE = 1 / 30, 3.0
"""Seconds between two paintings of a stream, and how much longer than the last one took they are apart at least."""


class Transcript(EntryView):
    """Shows events in their order."""

    FOCUS_ON_CLICK = False  # what is typed after a click goes on in the prompt
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{name}" for name in STYLES}
    DEFAULT_CSS = CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", "previous", show=False),
        Binding("down", "step(1)", "next", show=False),
        Binding("enter", "use", "unfold, open", show=False),
        Binding("escape", "leave", "back to the prompt", show=False),
    ]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._showing = Showing(self._column)
        self._deltas = Deltas()
        self._frame_is_set = False
        self._pause = _FRAME
        self._session_id = ""

    @property
    def last_answer(self) -> str:
        """The text of the last message of the model."""
        return self._showing.last_answer

    @property
    def plain(self) -> str:
        """Everything that it holds, as text."""
        self._show_deltas()
        return "\n".join(entry.plain for entry in self._column)

    async def show(self, event: SessionEvent) -> None:
        """Puts an event on the screen. Deltas are joined, and shown with the next frame."""
        if isinstance(event, TextDelta | ThinkingDelta):
            self._deltas.add(event)
            if not self._frame_is_set:
                self._frame_is_set = True
                self.set_timer(self._pause, self._frame)
            return
        self._show_deltas()
        self._showing.show(event)
        self._settle()

    async def say(self, text: str) -> None:
        """Shows a text of the application itself."""
        self._show_deltas()
        self._showing.add(Note(text))
        self._settle()

    async def open(self, session: AgentSession) -> None:
        """Shows the earlier messages of a session, in place of another session's."""
        changes = session.changes.told if session.changes is not None else ()
        entries = await asyncio.to_thread(earlier, session.messages, changes)
        whole = await asyncio.to_thread(with_every_finding, session.context.registry)
        if self._session_id:
            self._column.clear()
            self._cursor.leave()
            self._view.follow()
        self._session_id = session.id
        for entry in entries:
            entry.estimate(self._width)
            self._showing.add(entry)
        if (found := counted(whole.diagnostics)) is not None:
            self._showing.add(found)
        self._settle()

    def unfold_all(self) -> None:
        """Unfolds everything that is folded, also what comes; the second time folds it."""
        self._showing.unfold = unfold = not self._showing.unfold
        for entry in self._column:
            if entry.folds and entry.unfolded != unfold:
                entry.unfolded = unfold
                entry.estimate(self._width)
        self._column.touch(0)
        self._settle()

    # Frames

    def _frame(self) -> None:
        self._frame_is_set = False
        started = time.monotonic()
        self._show_deltas()
        self._settle()
        self._pause = max(_FRAME, _SHARE * (time.monotonic() - started))

    def _show_deltas(self) -> None:
        for delta in self._deltas.take():
            self._showing.show(delta)

    # Keys and clicks

    def action_step(self, step: int) -> None:
        """Goes to the next thing that can be unfolded or opened; where there is none, scrolls."""
        at = self._cursor.step(step)
        if at is not None:
            self._show_cursor(at)
        else:
            self.scroll_relative(y=step, animate=False)

    def _show_cursor(self, at: int) -> None:
        top, view = self._column.top(at), self.scrollable_content_region.height
        if not self.scroll_offset.y <= top < self.scroll_offset.y + view - 1:
            self.scroll_to(y=max(0, top - view // 3), animate=False)
        self.refresh()

    def action_use(self) -> None:
        """Unfolds, or opens."""
        if (entry := self._cursor.entry) is not None:
            self._use(entry)

    def action_leave(self) -> None:
        """Back to the prompt."""
        self.post_message(Left())

    def _use(self, entry: Entry) -> None:
        if entry.rules:
            self.post_message(RuleAsked(entry.rules))
        elif entry.folds:
            entry.unfolded = not entry.unfolded
            entry.changed()
            self._column.touch(self._column.find(entry))
            self._view.stay()
            self._settle()

    def on_focus(self) -> None:
        """The cursor is at the last thing in view that can be used."""
        if self._cursor.entry is None and (at := self._cursor.step(-1)) is not None:
            self._show_cursor(at)

    def on_blur(self) -> None:
        """No cursor without the focus."""
        self._cursor.leave()
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """What is typed here is meant for the prompt."""
        if event.is_printable and event.character:
            event.stop()
            self.post_message(Left(event.character))

    def on_click(self, event: events.Click) -> None:
        """Opens a place; unfolds or opens what the line is the head of. Marking text is no click."""
        if self.text_selection is not None:
            return
        place = event.style.meta.get("place")
        if place is not None:
            self.post_message(FileAsked(*place))
            return
        found = self._view.line(self.scroll_offset.y + event.get_content_offset_capture(self).y)
        if found is not None and found[1] == int(found[0].spaced) and found[0].is_focusable:
            self._use(found[0])
