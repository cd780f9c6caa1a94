"""What was typed and is not sent yet, a line each above the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from xcsh.session.events import QueueChanged
from xcsh.session.store.marks import without_tokens
from xcsh.surfaces.layout import columns, fit, visible

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

_MOST_LINES = 3
_STEERING, _LATER, _OPENING = "before the next request", "after the turn", "when the session is open"


class Waiting(Static):
    """Takes no room where nothing waits."""

    DEFAULT_CSS = """
    Waiting { display: none; height: auto; padding: 0 1; color: $text-muted; }
    Waiting.-some { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="waiting", markup=False)
        self._texts: list[tuple[str, str]] = []

    @property
    def count(self) -> int:
        """How many texts wait."""
        return len(self._texts)

    def queue(self, event: QueueChanged) -> None:
        """Shows the queue of the session."""
        self._set([(text, _STEERING) for text in event.steering] + [(text, _LATER) for text in event.follow_ups])

    def open(self, session: AgentSession) -> None:
        """Shows what waits in a session that goes on."""
        times = {"steer": _STEERING}
        self._set([(entry.typed, times.get(entry.kind, _LATER)) for entry in session.waiting])

    def early(self, texts: Sequence[str]) -> None:
        """Shows what was typed before there was a session."""
        self._set([(text, _OPENING) for text in texts])

    def on_resize(self) -> None:
        """Other widths."""
        self._write()

    def _set(self, texts: list[tuple[str, str]]) -> None:
        self._texts = [(without_tokens(text), when) for text, when in texts]
        self.set_class(bool(texts), "-some")
        self._write()

    def _write(self) -> None:
        if self._texts:
            lines = waiting_lines(self._texts, max(20, self.container_size.width - 2))
            self.update(Content("\n").join(map(Content, lines)))


def waiting_lines(texts: Sequence[tuple[str, str]], width: int) -> list[str]:
    """The first texts on a line each, with when they are sent; of more, how many there are."""
    shown = texts if len(texts) <= _MOST_LINES else texts[: _MOST_LINES - 1]
    lines = [_line(visible(" ".join(text.split())), when, width) for text, when in shown]
    if len(texts) > len(shown):
        lines.append(f"  … {len(texts) - len(shown)} more: F3")
    return lines


def _line(text: str, when: str, width: int) -> str:
    room = width - columns(when) - 4
    return f"⧗ {text if columns(text) <= room else fit(text, room)}  {when}"
