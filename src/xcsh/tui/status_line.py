"""The last line of the screen: what is being done and for how long, what waits, and the keys that count now."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple

from textual.timer import Timer
from textual.widgets import Static

from xcsh.session.events import SessionEvent
from xcsh.surfaces.layout import columns
from xcsh.tui.activity import Activity

_SHOWN_FROM = 3
_MINUTE = 60
_IDLE_KEYS = ("Enter send", "Ctrl+J new line", "F2 rules", "Shift+Tab transcript", "/help")
_WORKING_KEYS = ("Esc interrupt", "Enter steer", "Alt+Enter queue")


class Shown(NamedTuple):
    """What the line says. `waiting`: texts that are not sent yet. `below`: the end of the transcript is not in view.

    `asks`: the user is asked for consent, and nothing goes on until there is an answer.
    """

    doing: str = ""
    seconds: int = 0
    waiting: int = 0
    below: bool = False
    opening: bool = False
    asks: bool = False


def status_text(shown: Shown, width: int) -> str:
    """The parts that fit into `width` columns, what matters most first; none is cut in two."""
    news: list[str] = []
    if shown.opening:
        news.append("opening …" + (f" {shown.waiting} to be sent" if shown.waiting else ""))
    elif shown.asks:
        news.append("● waiting for your answer")
    elif shown.doing:
        news.append(f"● {shown.doing}{_took(shown.seconds)}")
    if shown.waiting and not shown.opening:
        news.append(f"{shown.waiting} waiting: F3")
    if shown.below:
        news.append("↓ more: PgDn")
    keys = _WORKING_KEYS if shown.doing else _IDLE_KEYS
    return _joined([*news, *(() if shown.asks else keys)], width)  # the question says its own


def _took(seconds: int) -> str:
    if seconds < _SHOWN_FROM:
        return ""
    return f" {seconds} s" if seconds < _MINUTE else f" {seconds // _MINUTE} min {seconds % _MINUTE} s"


def _joined(parts: Iterable[str], width: int) -> str:
    line = ""
    for part in parts:
        longer = f"{line} · {part}" if line else part
        if columns(longer) > width:
            break
        line = longer
    return line


class StatusLine(Static):
    """Follows the events of the session; while something runs, a second at a time."""

    def __init__(self) -> None:
        super().__init__(id="status", markup=False)
        self._activity = Activity()
        self._shown = Shown(opening=True)
        self._since = 0.0
        self._questions = 0
        self._ticking: Timer | None = None

    def follow(self, event: SessionEvent) -> None:
        """Takes over what an event says is being done."""
        begun = self._activity.begun
        if not self._activity.add(event):
            return
        if self._activity.begun != begun:
            self._since = time.monotonic()
        doing = self._activity.doing
        if doing and self._ticking is None:
            self._ticking = self.set_interval(1.0, self._tick)
        elif not doing and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        self._show(self._shown._replace(doing=doing))
        self._tick()

    def begin_anew(self) -> None:
        """Another session: what the one before did has ended."""
        self._activity = Activity()
        self._show(self._shown._replace(doing=""))

    def set_waiting(self, waiting: int, *, opening: bool) -> None:
        """How many texts wait to be sent, and whether the session is still to come."""
        self._show(self._shown._replace(waiting=waiting, opening=opening))

    @contextmanager
    def asking(self) -> Generator[None]:
        """A question about consent is open meanwhile; there may be several."""
        self._questions += 1
        self._show(self._shown._replace(asks=True))
        try:
            yield
        finally:
            self._questions -= 1
            self._show(self._shown._replace(asks=self._questions > 0))

    def set_below(self, *, below: bool) -> None:
        """Whether there is more of the transcript below what is in view."""
        self._show(self._shown._replace(below=below))

    def on_resize(self) -> None:
        """Other parts fit."""
        self._write()

    def _tick(self) -> None:
        if self._shown.doing:
            self._show(self._shown._replace(seconds=int(time.monotonic() - self._since)))

    def _show(self, shown: Shown) -> None:
        if shown != self._shown:
            self._shown = shown
            self._write()

    def _write(self) -> None:
        self.update(status_text(self._shown, self.content_size.width or 80))
