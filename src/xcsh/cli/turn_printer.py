"""Shows a turn of the agent: live on a terminal, message by message elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from xcsh.agent.events import RequestResent, RulesAttached, RulesTriggered
    from xcsh.session.events import SessionEvent

_REORDERING = (0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROL = {code: None for code in (*range(0x20), *range(0x7F, 0xA0), *_REORDERING) if chr(code) not in "\n\t"}
_ARGUMENT_SHOWN = 60
_RETRYING = "retrying"


def one_line(text: str) -> str:
    """A text of somebody else on one line, without what drives a terminal."""
    return " ".join(text.translate(_CONTROL).split())


class TurnPrinter:
    """Shows a turn (S-15): live on a terminal, discarded attempts taken back visibly; else message by message.

    Characters that would drive a terminal are left out where it is one.
    """

    def __init__(self, out: TextIO, notes: TextIO) -> None:
        self._out = out
        self._notes = notes
        self._live = out.isatty()
        self._progress = notes.isatty()
        self._messages = 0
        self._at_line_start = True
        self._streamed = False
        self._taken_back = False

    def __call__(self, event: SessionEvent) -> None:
        """The sink of a session."""
        from xcsh.agent.events import (
            MessageCompleted,
            MessageRetracted,
            RequestResent,
            RulesAttached,
            RulesTriggered,
            TextDelta,
            ToolCalled,
            ToolReturned,
        )

        if self._taken_back and not isinstance(event, RulesTriggered):
            self._say_taken_back("(taken back: the answer above was discarded, another attempt follows)")
        match event:
            case TextDelta(text) if self._live:
                self._begin()
                self._write(text.translate(_CONTROL))
            case MessageCompleted(text):
                self._complete(text)
            case MessageRetracted():
                self._retract()
            case RulesTriggered():
                self._say_triggered(event)
            case RequestResent():
                print(_resent(event), file=self._notes, flush=True)
            case RulesAttached() if self._progress:
                print(_attached(event), file=self._notes, flush=True)
            case ToolCalled() if self._progress:
                print(f"▸ {shortened(event.line)}", file=self._notes, flush=True)
            case ToolReturned(name, content, _, True) if self._progress:
                print(f"  {shortened(name)} failed: {shortened(content)}", file=self._notes, flush=True)
            case _:
                pass

    def close(self) -> None:
        """Ends the line that a turn may have broken off in."""
        if self._taken_back:
            self._say_taken_back("(taken back: the answer above was discarded)")
        self._end_line()

    def _begin(self) -> None:
        """Separates a message from the one before it."""
        if not self._streamed and self._messages:
            self._write("\n")
        self._streamed = True

    def _complete(self, text: str) -> None:
        if not self._live and text.strip():
            self._begin()
            self._write(text)
        self._end_line()
        self._messages += bool(text.strip())
        self._streamed = False

    def _retract(self) -> None:
        self._end_line()
        self._taken_back = self._streamed
        self._streamed = False

    def _say_taken_back(self, line: str) -> None:
        self._write(line + "\n")
        self._taken_back = False
        self._messages += 1

    def _say_triggered(self, event: RulesTriggered) -> None:
        """Where text was shown that no longer counts, it is said right under it; else among the notes."""
        what = "" if event.kept else "taken back, "
        line = f"⚡ stopped by {_triggered(event)}; {what}{_RETRYING}"
        if self._taken_back:
            self._say_taken_back(line)
        else:
            print(line, file=self._notes, flush=True)

    def _end_line(self) -> None:
        if not self._at_line_start:
            self._write("\n")

    def _write(self, text: str) -> None:
        if text:
            self._out.write(text)
            self._out.flush()
            self._at_line_start = text.endswith("\n")


def _resent(event: RequestResent) -> str:
    return f"{shortened(event.reason).rstrip('.')}; trying again in {event.delay:.0f} s (attempt {event.attempt})"


def _triggered(event: RulesTriggered) -> str:
    """Which rules, and at what: the texts are the model's own."""
    rules = ", ".join(
        f"{shortened(name)} ({shortened(path)})" for name, path in zip(event.rules, event.paths, strict=True)
    )
    return f"{rules} at `{shortened(event.texts[0])}`" if event.texts else rules


def _attached(event: RulesAttached) -> str:
    """Names and files are other people's text: they are shown on one line, without what drives a terminal."""
    waiting = "; the change waits for the model to read it" if event.held_back else ""
    return f"📎 {shortened(', '.join(event.rules))} attached ({shortened(event.file)}){waiting}"


def shortened(text: str) -> str:
    """As one_line, and no longer than a remark should be."""
    line = one_line(text)
    return line if len(line) <= _ARGUMENT_SHOWN else f"{line[: _ARGUMENT_SHOWN - 1]}…"
