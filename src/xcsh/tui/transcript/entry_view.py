"""Entries on the screen: only those in view are painted, so that how many there are costs nothing."""

from __future__ import annotations

from typing import Any

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from xcsh.tui.transcript.asking import Moved
from xcsh.tui.transcript.column import Column
from xcsh.tui.transcript.cursor import Cursor
from xcsh.tui.transcript.painter import Painter, painted
from xcsh.tui.transcript.selecting import selected_text
from xcsh.tui.transcript.styles import MUTED, STYLES
from xcsh.tui.transcript.view import View

_BRIGHT = 0.5
_MEASURES = 1 / 30
"""Seconds between measuring some of what is out of view."""


class EntryView(ScrollView, can_focus=True):
    """Follows the end while the user is there, and else stays where the user is. Text in it can be marked."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._column = Column()
        self._view = View(self._column)
        self._cursor = Cursor(self._column, self._view)
        self._settling = self._measuring = False
        self._is_at_end = True

    def follow(self) -> None:
        """Goes to the end, and stays there with what comes."""
        self._view.follow()
        self._settle()

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
        if self._is_at_end != self._view.follows:
            self._is_at_end = self._view.follows
            self.post_message(Moved(is_end=self._is_at_end))
        if self._view.has_unmeasured and not self._measuring:
            self._measuring = True
            self.set_timer(_MEASURES, self._measure)

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
        if self._cursor.is_at(entry, at):
            strip = self._cursor.marked(strip, width)
        return strip.extend_cell_length(width).crop(0, width).apply_style(base).apply_offsets(0, line_number)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is marked."""
        painter = self._painter()
        return (selected_text(self._column, painter, selection), "\n") if painter is not None else None

    def selection_updated(self, selection: Selection | None) -> None:
        """What is marked is another."""
        del selection
        self.refresh()
