"""Writes a session down as it goes; where that fails, the user is told and the session goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pydantic_ai.messages import ModelMessage

from xcsh.session.events import Notice, SessionNotSaved, Sink
from xcsh.session.store import SessionWriteError


class Recorder(Protocol):
    """Where a session is written down as it goes; `xcsh.session.store.SessionFile` is one."""

    path: str

    def prompt(self, text: str, *, kind: str = "prompt") -> None:
        """A text of the user is acknowledged: it is kept, whatever happens next."""
        ...

    def withdraw(self, text: str) -> None:
        """A text that was acknowledged is owed no answer any more."""
        ...

    def messages(self, history: Sequence[ModelMessage]) -> None:
        """The history as it is now."""
        ...

    def queue(self, steering: Sequence[str], follow_ups: Sequence[str]) -> None:
        """What waits to be sent."""
        ...

    def state(self, **changes: object) -> None:
        """What is to be known when the session is resumed."""
        ...

    def turn(self, outcome: str, usage: Mapping[str, object]) -> None:
        """A turn has ended."""
        ...

    def close(self) -> None:
        """Nothing more comes."""
        ...


class Recording:
    """A recorder that never raises; without one, nothing is written down.

    What cannot be written is told as `SessionNotSaved`, once until it can be written again. The conversation goes on:
    whoever has lost the disk should not lose the answer too.
    """

    def __init__(self, recorder: Recorder | None, emit: Sink) -> None:
        self._recorder = recorder
        self._emit = emit
        self._failing = False

    def prompt(self, text: str, *, kind: str = "prompt") -> None:
        """A text of the user is acknowledged."""
        if (recorder := self._recorder) is not None:
            self._write(lambda: recorder.prompt(text, kind=kind))

    def withdraw(self, text: str) -> None:
        """A text that was acknowledged is owed no answer any more."""
        if (recorder := self._recorder) is not None:
            self._write(lambda: recorder.withdraw(text))

    def turn(self, outcome: str, usage: Mapping[str, object]) -> None:
        """A turn has ended."""
        if (recorder := self._recorder) is not None:
            self._write(lambda: recorder.turn(outcome, usage))

    def messages(self, history: Sequence[ModelMessage]) -> None:
        """The history as it is now."""
        if self._recorder is not None:
            self._recorder.messages(history)

    def queue(self, steering: Sequence[str], follow_ups: Sequence[str]) -> None:
        """What waits to be sent."""
        if self._recorder is not None:
            self._recorder.queue(steering, follow_ups)

    def state(self, **changes: object) -> None:
        """What is to be known when the session is resumed."""
        if self._recorder is not None:
            self._recorder.state(**changes)

    def close(self) -> None:
        """Nothing more comes."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            self._write(recorder.close, path=recorder.path)

    def _write(self, action: Callable[[], None], path: str = "") -> None:
        try:
            action()
        except SessionWriteError as error:
            self._tell(str(error), error.hint)
            return
        path = path or (self._recorder.path if self._recorder is not None else "")
        if not os.path.exists(path):
            # What is written to a deleted file is gone when the process ends, and no error says so.
            self._tell(f"the session file {path} was deleted", "copy what you need, and start a new session")
        elif self._failing:
            self._failing = False
            self._emit(Notice("The session is saved again, with everything that could not be written before."))

    def _tell(self, message: str, hint: str) -> None:
        if not self._failing:
            self._failing = True
            self._emit(SessionNotSaved(message, hint))
