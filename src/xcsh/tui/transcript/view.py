"""The part of a column that is on the screen: where it is, what is painted of it, and how long that is kept."""

from __future__ import annotations

import time

from rich.style import Style
from textual.strip import Strip

from xcsh.tui.transcript.column import Column
from xcsh.tui.transcript.entries import Entry, Note
from xcsh.tui.transcript.painter import Painter

_MOST_PAINTED = 400
"""Entries whose painted lines are kept."""

_MOST_LINES, _KEPT_LINES = 40_000, 32_000
"""Of a transcript: beyond the first, what is oldest goes, until the second is reached."""

_SLICE = 0.010
"""Seconds of measuring at a time."""


class View:
    """`painter` is None until the width is known. A place is an entry and a line of it, which heights do not move."""

    def __init__(self, column: Column) -> None:
        self.painter: Painter | None = None
        self._column = column
        self._painted: dict[Entry, None] = {}  # the one painted last at the end
        self._follows = True
        self._place: tuple[Entry, int] | None = None
        self._height = 1

    def style(self, name: str) -> Style:
        """A style of the painter's."""
        return self.painter.style(name) if self.painter is not None else Style.null()

    @property
    def follows(self) -> bool:
        """Whether the end is in view, and what comes will be."""
        return self._follows

    def follow(self) -> None:
        """The end is in view from now on."""
        self._follows, self._place = True, None

    def stay(self) -> None:
        """What is in view stays, also where it is the end."""
        if self._column.height > self._height:
            self._follows = False

    def moved(self, y: int, *, is_end: bool) -> None:
        """The user has scrolled to the line `y`."""
        self._follows = is_end
        self._remember(y)

    def settle(self, height: int) -> int:
        """Paints what is in view, `height` lines, and returns the line at its top."""
        self._height = height
        self._shorten()
        self._guess()
        y = 0
        for _ in range(8):
            y = self._top()
            if not self._paint(y, y + height):
                break
        self._remember(y)
        self._let_go(y, y + height)
        return y

    def line(self, number: int) -> tuple[Entry, int, Strip] | None:
        """The entry at a line, which line of it that is, and how it looks; None beyond the end."""
        if self.painter is None:
            return None
        index, at = self._column.at(number)
        if index >= len(self._column):
            return None
        entry = self._column.entries[index]
        self._paint_entry(entry, index)
        strips = entry.strips or []
        return entry, at, strips[at] if at < len(strips) else Strip([])

    def first_or_last(self, step: int) -> int:
        """The first entry in view for a step downwards, the last for one upwards."""
        y = self._top()
        index, _ = self._column.at(y if step > 0 else y + self._height - 1)
        return min(index, len(self._column) - 1)

    def forget(self, width: int) -> None:
        """Everything is to be painted anew, for a width. The heights are guesses until then."""
        self.painter = None
        for entry in self._column:
            entry.estimate(width)
        self._painted.clear()
        self._column.touch(0)

    @property
    def has_unmeasured(self) -> bool:
        """Whether some heights are guesses."""
        return any(not entry.measured for entry in self._column)

    def measure_some(self) -> None:
        """Paints entries whose heights are guesses, for a few milliseconds, the latest first."""
        until = time.monotonic() + _SLICE
        for index in range(len(self._column) - 1, -1, -1):
            entry = self._column.entries[index]
            if not entry.measured:
                self._paint_entry(entry, index)
                if time.monotonic() > until:
                    return

    def _guess(self) -> None:
        """Guesses the heights of what is new, so that what is far above the end is not painted for it."""
        if self.painter is None:
            return
        for index in range(len(self._column) - 1, -1, -1):
            entry = self._column.entries[index]
            if entry.measured or entry.guessed:
                return
            entry.estimate(self.painter.width)
            self._column.touch(index)

    def _top(self) -> int:
        column = self._column
        last = max(0, column.height - self._height)
        if self._follows or self._place is None:
            return last
        entry, at = self._place
        try:
            index = column.find(entry)
        except ValueError:
            return 0
        return min(last, column.top(index) + min(at, entry.height - 1))

    def _remember(self, y: int) -> None:
        index, at = self._column.at(y)
        self._place = (self._column.entries[index], at) if index < len(self._column) else None

    def _paint(self, start: int, end: int) -> bool:
        """Paints the entries between two lines; whether one of them is of another height than it was."""
        index, _ = self._column.at(start)
        changed = False
        while index < len(self._column) and self._column.top(index) < end:
            changed |= self._paint_entry(self._column.entries[index], index)
            index += 1
        return changed

    def _paint_entry(self, entry: Entry, index: int) -> bool:
        if self.painter is None or entry.strips is not None:
            return False
        before = entry.height
        entry.paint(self.painter)
        self._painted.pop(entry, None)
        self._painted[entry] = None
        if entry.height == before:
            return False
        self._column.touch(index)
        return True

    def _let_go(self, start: int, end: int) -> None:
        """Drops lines that were painted long ago and are not in view."""
        if len(self._painted) <= _MOST_PAINTED:
            return
        first, _ = self._column.at(start)
        last, _ = self._column.at(end)
        in_view = set(self._column.entries[first : last + 1])
        for entry in list(self._painted)[: len(self._painted) - _MOST_PAINTED // 2]:
            if entry not in in_view:
                entry.strips = None
                del self._painted[entry]

    def _shorten(self) -> None:
        """Keeps memory bounded: what is oldest goes, and a line says so."""
        if self._column.height <= _MOST_LINES:
            return
        index, _ = self._column.at(self._column.height - _KEPT_LINES)
        for entry in self._column.entries[:index]:
            self._painted.pop(entry, None)
        self._column.remove(0, index)
        self._column.insert(0, [Note("… what was before is no longer shown: /export has all of it")])
