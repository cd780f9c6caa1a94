"""Where the user is among the entries that fold or open: what a step leads to, and how the line there looks."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from xcsh.tui.transcript.column import Column
from xcsh.tui.transcript.entries import Entry
from xcsh.tui.transcript.painter import painted
from xcsh.tui.transcript.view import View


class Cursor:
    """At an entry of a column, or nowhere."""

    def __init__(self, column: Column, view: View) -> None:
        self._column = column
        self._view = view
        self._entry: Entry | None = None

    @property
    def entry(self) -> Entry | None:
        """Where it is. One that was retracted, or is no longer shown, is none."""
        if self._entry is not None and self._entry not in self._column.entries:
            self._entry = None
        return self._entry

    def leave(self) -> None:
        """It is nowhere."""
        self._entry = None

    def step(self, step: int) -> int | None:
        """Goes to the next entry, upwards or downwards, that Enter does something with; its index, None for no such."""
        entries, entry = self._column.entries, self.entry
        start = self._view.first_or_last(step) if entry is None else self._column.find(entry) + step
        at = next((at for at in range(start, len(entries) if step > 0 else -1, step) if entries[at].is_focusable), None)
        if at is not None:
            self._entry = entries[at]
        return at

    def is_at(self, entry: Entry, line: int) -> bool:
        """Whether it is at this line of an entry: the first that says something."""
        return entry is self._entry and line == int(entry.spaced)

    def marked(self, strip: Strip, width: int) -> Strip:
        """The line where it is: marked, with what Enter does at its end."""
        hint = f" {self._entry.hint} " if self._entry is not None else ""
        room = max(0, width - len(hint))
        line = painted(strip.extend_cell_length(room).crop(0, room), 0, -1, Style(bold=True))
        return Strip.join([line, Strip([Segment(hint, self._view.style("cursor"))])])
