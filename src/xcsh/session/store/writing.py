"""Writes a session as it goes: what was acknowledged is on the disk, and nothing that stands there is changed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from xcsh.session.store.appending import AppendedFile
from xcsh.session.store.errors import SessionFormatError, SessionWriteError, UnknownSessionError
from xcsh.session.store.history import WrittenHistory
from xcsh.session.store.reading import StoredSession, read_with_texts
from xcsh.session.store.records import (
    ENDING,
    HEADER,
    NOTE,
    OPEN,
    PROMPT,
    QUEUE,
    STATE,
    TURN,
    VERSION,
    WITHDRAW,
    encode,
    encode_messages,
    new_id,
    now,
)
from xcsh.session.store.replay import add_usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

_KINDS = ("prompt", "steer", "follow_up")
_ATTEMPTS = 8


class SessionFile:
    """The one writer of a session; holds an exclusive lock while it is open.

    `prompt`, `withdraw`, `turn` and `sync` return when the disk has everything so far, or raise SessionWriteError.
    The others return at once; what cannot be written then is kept for the next of those.
    """

    def __init__(self, file: AppendedFile, session: StoredSession | None, texts: Sequence[str] = ()) -> None:
        self._file = file
        self.path = file.path
        self.id = session.id if session else os.path.basename(file.path).removesuffix(ENDING)
        self._written = WrittenHistory(session.messages[: len(texts)] if session else (), texts)
        self._queue: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self._turns = session.turns if session else 0
        self._usage = dict(session.usage) if session else {}
        self._about: dict[str, Any] = {}
        if session:
            self._about = {"cwd": session.cwd, "model": session.model, "title": session.title}

    @classmethod
    def create(cls, folder: str, *, cwd: str, model: str = "", title: str = "") -> SessionFile:
        """A new session in the folder, which is made for its owner alone. Raises SessionWriteError."""
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            file = _new_file(folder)
        except OSError as error:
            raise SessionWriteError(folder, (error.strerror or str(error)).lower()) from None
        self = cls(file, None)
        self._about = {"cwd": cwd, "model": model, "title": title}
        file.later(encode(HEADER, {"v": VERSION, "id": self.id, "created": now(), **self._about}))
        file.later(_opened())
        return self

    @classmethod
    def resume(cls, path: str) -> tuple[SessionFile, StoredSession]:
        """Goes on with a session. Raises SessionBusyError where another process has it, and what read_session raises.

        A line that was torn is ended, not repaired: what stands in the file stays.
        """
        name = os.path.basename(path).removesuffix(ENDING)
        try:
            file = AppendedFile.open(path, name)
        except FileNotFoundError:
            raise UnknownSessionError(f"there is no session file {path}", "see: xcsh sessions") from None
        except IsADirectoryError:
            raise SessionFormatError(f"{path} is no regular file", "see: xcsh sessions") from None
        except SessionFormatError:
            raise
        except BlockingIOError:  # SessionBusyError
            raise
        except OSError as error:
            raise SessionWriteError(path, (error.strerror or str(error)).lower()) from None
        try:
            session, texts = read_with_texts(path)
        except BaseException:
            file.close()
            raise
        self = cls(file, session, texts)
        file.later(_opened())
        return self, session

    def prompt(self, text: str, *, kind: str = "prompt") -> None:
        """An input of the user, as it will stand in a message. When this returns it cannot be lost any more.

        A steering text or follow-up that was taken out of the queue and becomes a prompt may be said again as one.
        """
        if kind not in _KINDS:
            raise ValueError(f"a prompt of the kind {kind!r}; there are: {', '.join(_KINDS)}")
        self._file.now(encode(PROMPT, {"kind": kind, "text": text}))

    def withdraw(self, text: str) -> None:
        """The oldest input of this text is owed no message any more: it was taken back, or a command answered it."""
        self._file.now(encode(WITHDRAW, {"text": text}))

    def messages(self, history: Sequence[ModelMessage]) -> None:
        """The history as it is now. Writes from the first message on that differs from what is written.

        One that was changed in place is noticed among the last few; an older one when the turn ends, if its parts are
        others.
        """
        if (difference := self._written.difference(history)) is not None:
            self._file.later(encode_messages(*difference))

    def queue(self, steering: Sequence[str], follow_ups: Sequence[str]) -> None:
        """What waits to be sent, all of it."""
        waiting = tuple(steering), tuple(follow_ups)
        if waiting != self._queue:
            self._queue = waiting
            self._file.later(encode(QUEUE, {"steering": waiting[0], "follow_ups": waiting[1]}))

    def state(self, **changes: object) -> None:
        """What is to be known when the session is resumed: plain JSON values. `cwd`, `model`, `title` are listed."""
        line = encode(STATE, {"set": changes})
        self._about |= {key: changes[key] for key in self._about.keys() & changes.keys()}
        self._file.later(line)

    def note(self, kind: str, data: Mapping[str, object]) -> None:
        """Anything else that happened, as plain JSON values; it is given back by kind, in order."""
        self._file.later(encode(NOTE, {"kind": kind, "data": dict(data)}))

    def turn(self, outcome: str, usage: Mapping[str, object]) -> None:
        """The end of a turn. `usage` is that of this turn; numbers are summed up over the session."""
        if (difference := self._written.replaced_parts()) is not None:
            self._file.later(encode_messages(*difference))
        line_usage = dict(usage)
        add_usage(self._usage, line_usage)
        self._turns += 1
        so_far = {"turns": self._turns, "usage": self._usage, **self._about}
        self._file.now(encode(TURN, {"outcome": outcome, "usage": line_usage, "so_far": so_far}), keep=True)

    def sync(self) -> None:
        """Waits until the disk has everything."""
        self._file.sync()

    def close(self) -> None:
        """Lets go of the session. Raises SessionWriteError where something could not be written to the end."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _new_file(folder: str) -> AppendedFile:
    for _ in range(_ATTEMPTS):
        try:
            return AppendedFile.create(os.path.join(folder, new_id() + ENDING))
        except FileExistsError:
            continue  # the same second and the same random digits
    raise FileExistsError(17, "no free name was found", folder)


def _opened() -> bytes:
    """Says which process has the session, for whoever finds it locked."""
    return encode(OPEN, {"pid": os.getpid()})
