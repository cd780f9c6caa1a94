"""What `xcsh -p` writes: the answer as text, one JSON object, or every event as a line of JSON (S-15)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol, TextIO

from xcsh.cli.output import say_finding
from xcsh.cli.turn_printer import TurnPrinter, one_line
from xcsh.errors import FailedTurnError

if TYPE_CHECKING:
    from xcsh.session.events import SessionEvent, TurnFailed

FORMATS = ("text", "json", "jsonl")


class Output(Protocol):
    """A sink of a session that knows how a turn ended."""

    def __call__(self, event: SessionEvent) -> None: ...

    def close(self) -> None:
        """No more events come, for whatever reason."""
        ...

    def finish(self, session: str | None, model: str) -> int:
        """The exit code. FailedTurnError: the turn failed, and nothing has said so yet."""
        ...


def output_for(form: str, out: TextIO, notes: TextIO) -> Output:
    """The output of that format; remarks go to `notes`."""
    if form == "text":
        return TextOutput(out, notes)
    return JsonOutput(out, notes, lines=form == "jsonl")


class _Remarks:
    """What is said on standard error whatever the format, and how the last turn ended."""

    def __init__(self, notes: TextIO) -> None:
        self._notes = notes
        self.failed: TurnFailed | None = None
        self.aborted = False

    def read(self, event: SessionEvent) -> None:
        from xcsh.session.events import DiagnosticsFound, Notice, TurnAborted, TurnFailed

        match event:
            case TurnFailed():
                self.failed = event
            case TurnAborted():
                self.aborted = True
            case Notice(text):
                print(one_line(text), file=self._notes, flush=True)
            case DiagnosticsFound(diagnostics):
                for diagnostic in diagnostics:
                    say_finding(diagnostic)
            case _:
                pass


class TextOutput:
    """The answer for people."""

    def __init__(self, out: TextIO, notes: TextIO) -> None:
        self._printer = TurnPrinter(out, notes)
        self._remarks = _Remarks(notes)

    def __call__(self, event: SessionEvent) -> None:
        self._printer(event)
        self._remarks.read(event)

    def close(self) -> None:
        self._printer.close()

    def finish(self, session: str | None, model: str) -> int:
        del session, model
        if self._remarks.failed is not None:
            raise FailedTurnError(self._remarks.failed.message, self._remarks.failed.hint)
        if self._remarks.aborted:
            raise FailedTurnError("the turn was ended before its answer", "try again")
        return 0


class JsonOutput:
    """The turn for programs: with `lines` every event when it happens, and always one object at the end."""

    def __init__(self, out: TextIO, notes: TextIO, *, lines: bool) -> None:
        self._out = out
        self._lines = lines
        self._remarks = _Remarks(notes)
        self._text = ""
        self._usage: dict[str, object] = {}
        self._diagnostics: list[object] = []

    def __call__(self, event: SessionEvent) -> None:
        from xcsh.session.events import DiagnosticsFound, TurnAborted, TurnCompleted, TurnFailed, event_json

        self._remarks.read(event)
        shape = event_json(event)
        if isinstance(event, TurnCompleted):
            self._text = event.text
        if isinstance(event, TurnCompleted | TurnFailed | TurnAborted):
            self._usage = event.usage._asdict()
        if isinstance(event, DiagnosticsFound):
            self._diagnostics += shape["diagnostics"] if isinstance(shape["diagnostics"], list) else []
        if self._lines:
            self._write(shape)

    def close(self) -> None:
        """A line is never broken off."""

    def finish(self, session: str | None, model: str) -> int:
        failed = self._remarks.failed
        error = {"message": failed.message, "hint": failed.hint} if failed is not None else None
        outcome = "failed" if failed is not None else "aborted" if self._remarks.aborted else "completed"
        self._write({
            "type": "result",
            "outcome": outcome,
            "text": self._text,
            "session": session,
            "model": model,
            "usage": self._usage,
            "error": error,
            "diagnostics": self._diagnostics,
        })  # fmt: skip
        return 0 if outcome == "completed" else 1

    def _write(self, shape: dict[str, object]) -> None:
        self._out.write(json.dumps(shape) + "\n")
        self._out.flush()
