"""The conversation on the screen. Only what is in view is painted, so that its length costs nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from xcsh.agent.events import TextDelta, ThinkingDelta
from xcsh.session.events import SessionEvent
from xcsh.tui.transcript.asking import FileAsked, Left, RuleAsked
from xcsh.tui.transcript.column import Column
from xcsh.tui.transcript.deltas import Deltas
from xcsh.tui.transcript.entries import Entry, Note
from xcsh.tui.transcript.painter import Painter, painted
from xcsh.tui.transcript.selecting import selected_text
from xcsh.tui.transcript.showing import Showing
from xcsh.tui.transcript.styles import CSS, MUTED, STYLES
from xcsh.tui.transcript.view import View
from xcsh.tui.transcript.wording import counted

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

    from xcsh.session.agent_session import AgentSession

_BRIGHT = 0.5
_FRAME, _SHARE = 1 / 30, 3.0
"""Seconds between two paintings of a stream, and how much longer than the last one took they are apart at least."""


class Transcript(ScrollView, can_focus=True):
    """Shows events in their order; follows the end while the user is there, and else stays where the user is."""

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
        self._column = Column()
        self._showing = Showing(self._column)
        self._view = View(self._column)
        self._deltas = Deltas()
        self._frame_is_set = self._settling = self._measuring = False
        self._pause = _FRAME
        self._cursor: Entry | None = None
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
        entries = await asyncio.to_thread(_earlier, session.messages)
        if self._session_id:
            self._column.clear()
            self._cursor = None
            self._view.follow()
        self._session_id = session.id
        for entry in entries:
            entry.estimate(self._width)
            self._showing.add(entry)
        found = counted(session.context.registry.diagnostics)
        if found is not None:
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

    # Painting

    @property
    def _width(self) -> int:
        return max(20, self.scrollable_content_region.width)

    def _painter(self) -> Painter | None:
        if self._view.painter is None and self.is_mounted and self.size.width:
            styles = {
                # the muted colours are a share of what shows on the background, which they have to know
                name: self.get_component_rich_style(f"transcript--{name}", partial=name not in MUTED)
                for name in STYLES
            }
            self._view.painter = Painter(self._width, styles, dark=self.background_colors[1].brightness < _BRIGHT)
        return self._view.painter

    def _settle(self) -> None:
        """Brings what is in view up to date, and keeps it where it is, or at the end."""
        if self._painter() is None or self._settling:
            return
        self._settling = True
        try:
            y = self._view.settle(self.scrollable_content_region.height)
            self.virtual_size = Size(self._width, self._column.height)
            self.scroll_to(y=y, animate=False, force=True)
        finally:
            self._settling = False
        self.refresh()
        if self._view.has_unmeasured and not self._measuring:
            self._measuring = True
            self.set_timer(_FRAME, self._measure)

    def _measure(self) -> None:
        """Measures some of what is out of view, so that nothing waits for it."""
        self._measuring = False
        self._view.measure_some()
        self._settle()

    def _forget_colours(self) -> None:
        self._view.forget(self._width)
        self._settle()

    def on_resize(self) -> None:
        """Everything is broken anew."""
        self._forget_colours()

    def notify_style_update(self) -> None:
        """As above, in other colours."""
        super().notify_style_update()
        if self.is_mounted and self._view.painter is not None:
            self.call_after_refresh(self._forget_colours)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Remembers where the user is, and paints what comes into view."""
        super().watch_scroll_y(old_value, new_value)
        self.vertical_scrollbar.position = new_value  # also of one that is about to be shown
        if not self._settling and round(old_value) != round(new_value):
            self._view.moved(round(new_value), is_end=new_value >= self.max_scroll_y)
            self._settle()

    def render_line(self, y: int) -> Strip:
        """The line of the view at `y`."""
        base = self.rich_style
        width = self.size.width
        line_number = self.scroll_offset.y + y
        found = self._view.line(line_number)
        if found is None:
            return Strip.blank(width, base)
        entry, at, strip = found
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(line_number)) is not None:
            strip = painted(strip, *span, self.screen.get_component_rich_style("screen--selection"))
        if entry is self._cursor and at == int(entry.spaced):
            strip = self._with_hint(strip, entry, width)
        return strip.extend_cell_length(width).crop(0, width).apply_style(base).apply_offsets(0, line_number)

    def _with_hint(self, strip: Strip, entry: Entry, width: int) -> Strip:
        """The line that Enter acts on: marked, with what it does at its end."""
        hint = f" {entry.hint} "
        room = max(0, width - len(hint))
        line = painted(strip.extend_cell_length(room).crop(0, room), 0, -1, Style(bold=True))
        return Strip.join([line, Strip([Segment(hint, self._view.style("cursor"))])])

    # Selecting

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is marked."""
        painter = self._painter()
        return (selected_text(self._column, painter, selection), "\n") if painter is not None else None

    def selection_updated(self, selection: Selection | None) -> None:
        """What is marked is another."""
        del selection
        self.refresh()

    # Keys and clicks

    def action_step(self, step: int) -> None:
        """Goes to the next thing that can be unfolded or opened; where there is none, scrolls."""
        if not self._step(step):
            self.scroll_relative(y=step, animate=False)

    def _step(self, step: int) -> bool:
        entries = self._column.entries
        if self._cursor not in entries:  # it was retracted, or is no longer shown
            self._cursor = None
        start = self._view.first_or_last(step) if self._cursor is None else self._column.find(self._cursor) + step
        at = next((at for at in range(start, len(entries) if step > 0 else -1, step) if entries[at].is_focusable), None)
        if at is None:
            return False
        self._cursor = entries[at]
        self._show_cursor(at)
        return True

    def _show_cursor(self, at: int) -> None:
        top, view = self._column.top(at), self.scrollable_content_region.height
        if not self.scroll_offset.y <= top < self.scroll_offset.y + view - 1:
            self.scroll_to(y=max(0, top - view // 3), animate=False)
        self.refresh()

    def action_use(self) -> None:
        """Unfolds, or opens."""
        if self._cursor is not None and self._cursor in self._column.entries:
            self._use(self._cursor)

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
        if self._cursor is None:
            self._step(-1)

    def on_blur(self) -> None:
        """No cursor without the focus."""
        self._cursor = None
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


def _earlier(messages: Sequence[ModelMessage]) -> list[Entry]:
    """The entries of earlier messages; in a thread, with everything that the first answer needs loaded."""
    from xcsh.tui.transcript.history import entries_of  # noqa: PLC0415 - not before the first paint
    from xcsh.tui.transcript.markdown import warm_up  # noqa: PLC0415

    warm_up()
    return entries_of(messages) if messages else []
