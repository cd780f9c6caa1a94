"""What `xcsh -p` writes: the answer as text, one JSON object, or every event as a line of JSON (S-15)."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from asyncio import CancelledError
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TextIO, cast

from xcsh.cli.lasting_stream import LastingStream
from xcsh.cli.output import say_finding
from xcsh.cli.turn_printer import TurnPrinter, one_line, shortened
from xcsh.errors import ExpansionTooLongError, FailedTurnError, UsageError

if TYPE_CHECKING:
    from xcsh.session.events import SessionEvent

INTERRUPTED = 130


class _Ending(NamedTuple):
    """How it came out. `raised` is for the caller, who says it on standard error and knows the exit code."""

    outcome: str
    message: str = ""
    hint: str = ""
    raised: BaseException | None = None
    code: int = 0


class Output(ABC):
    """Takes the events of a session, and writes how it came out at the end, whatever that is.

    `going_on` is what to do when a turn was ended before its answer; `on_gone` is called when nobody reads any more.
    """

    def __init__(self, out: TextIO, notes: TextIO) -> None:
        self.out = LastingStream(out, self._gone)
        self.notes = cast("TextIO", LastingStream(notes))
        self.on_gone: Callable[[], object] = lambda: None
        self.session: str | None = None
        self.model = ""
        self.going_on = "try again"
        self._failed: FailedTurnError | None = None
        self._aborted = False
        self._turns = 0

    @property
    def commands(self) -> TextIO:
        """Where commands write what they say."""
        return cast("TextIO", self.out)

    def __call__(self, event: SessionEvent) -> None:
        """The sink of the session: what is said on standard error whatever the format, and how the turns ended."""
        from xcsh.session.events import (
            DiagnosticsFound,
            Notice,
            SessionNotSaved,
            TurnAborted,
            TurnFailed,
            TurnStarted,
        )

        match event:
            case TurnStarted(_, text):
                self._turns += 1
                if self._turns > 1:
                    self.note(f"sending what waited: {shortened(text)}")
            case TurnFailed(_, message, hint):
                self._failed = FailedTurnError(message, hint)
            case TurnAborted():
                self._aborted = True
            case SessionNotSaved(message, hint):
                self.note(f"{message}; {hint}")
            case Notice(text):
                self.note(text)
            case DiagnosticsFound(diagnostics):
                for diagnostic in diagnostics:
                    say_finding(diagnostic)
            case _:
                pass

    def _gone(self) -> None:
        self.on_gone()

    def note(self, text: str) -> None:
        """A remark, as one line on standard error."""
        if text:
            print(one_line(text), file=self.notes, flush=True)

    def end(self, error: BaseException | None = None, *, handled: bool = False) -> int:
        """No more events come; `error` is what ended the call, `handled` that a command did all there was to do.

        Returns the exit code, or raises what the caller has to say: FailedTurnError, and every `error` that is neither
        a failed turn nor an interruption. OSError where standard output could not be written.
        """
        ending = self._ending(error, handled=handled)
        self._finish(ending)
        if self.out.broken is not None:
            raise self.out.broken
        if ending.raised is not None:
            raise ending.raised
        return ending.code

    def _ending(self, error: BaseException | None, *, handled: bool) -> _Ending:
        if isinstance(error, CancelledError | KeyboardInterrupt):
            return _Ending("aborted", "the turn was interrupted", self.going_on, code=INTERRUPTED)
        error = error or self._failed
        if error is None and self._aborted:
            error = FailedTurnError("the turn was ended before its answer", self.going_on)
        if error is None:
            return _Ending("handled" if handled else "completed")
        outcome = "aborted" if self._aborted else "failed"
        if isinstance(error, FailedTurnError | UsageError):
            return _Ending(outcome, str(error), error.hint, error)
        if isinstance(error, ExpansionTooLongError):
            return _Ending(outcome, str(error), "", error)
        return _Ending(outcome, f"a bug in xcsh: {type(error).__name__}: {error}", "see standard error", error)

    @abstractmethod
    def _finish(self, ending: _Ending) -> None: ...


class TextOutput(Output):
    """The answer for people."""

    def __init__(self, out: TextIO, notes: TextIO) -> None:
        super().__init__(out, notes)
        self._printer = TurnPrinter(self.commands, self.notes)

    def __call__(self, event: SessionEvent) -> None:
        self._printer(event)
        super().__call__(event)

    def _finish(self, ending: _Ending) -> None:
        del ending
        self._printer.close()


class JsonOutput(Output):
    """The turn for programs: with `lines` every event when it happens, and always one object at the end.

    A call that is refused (UsageError) before anything was written leaves standard output empty.
    """

    def __init__(self, out: TextIO, notes: TextIO, *, lines: bool) -> None:
        super().__init__(out, notes)
        self._lines = lines
        self._begun = False
        self._texts: list[str] = []
        self._usage: dict[str, int] = {}
        self._diagnostics: list[object] = []

    @property
    def commands(self) -> TextIO:
        return cast("TextIO", _Said(self))

    def __call__(self, event: SessionEvent) -> None:
        from xcsh.session.events import (
            CommandSaid,
            DiagnosticsFound,
            TurnAborted,
            TurnCompleted,
            TurnFailed,
            event_json,
        )

        super().__call__(event)
        shape = event_json(event)
        if isinstance(event, TurnCompleted | CommandSaid) and event.text:
            self._texts.append(event.text)
        if isinstance(event, TurnCompleted | TurnFailed | TurnAborted):
            for key, number in event.usage._asdict().items():
                self._usage[key] = self._usage.get(key, 0) + number
        if isinstance(event, DiagnosticsFound):
            self._diagnostics += cast("list[object]", shape["diagnostics"])
        if self._lines:
            self._write(shape)

    def _finish(self, ending: _Ending) -> None:
        if isinstance(ending.raised, UsageError | SystemExit) and not self._begun:
            return
        nothing = {"requests": 0, "input_tokens": 0, "output_tokens": 0}
        self._write({
            "type": "result",
            "outcome": ending.outcome,
            "text": "\n\n".join(self._texts),
            "session": self.session,
            "model": self.model or None,
            "usage": self._usage or nothing,
            "error": {"message": ending.message, "hint": ending.hint} if ending.message else None,
            "diagnostics": self._diagnostics,
        })  # fmt: skip

    def _write(self, shape: dict[str, object]) -> None:
        """One line at once: what ends the program comes before or after it."""
        self._begun = True
        self.out.write(json.dumps(shape, allow_nan=False) + "\n")
        self.out.flush()


class _Said:
    """What a command says, as an event each time."""

    def __init__(self, output: JsonOutput) -> None:
        self.output = output

    def write(self, text: str, /) -> int:
        from xcsh.session.events import CommandSaid

        self.output(CommandSaid(text.removesuffix("\n")))
        return len(text)

    def flush(self) -> None:
        """It is written already."""

    def isatty(self) -> bool:
        """No: it is kept as it was said."""
        return False


def output_for(form: str, out: TextIO, notes: TextIO) -> Output:
    """The output of that format (`text`, `json`, `jsonl`); remarks go to `notes`."""
    return TextOutput(out, notes) if form == "text" else JsonOutput(out, notes, lines=form == "jsonl")
