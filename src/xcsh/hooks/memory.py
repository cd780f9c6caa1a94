"""What a conversation of another agent has been given already, in a file of its own: a hook lives for one call."""

from __future__ import annotations

import contextlib
import json
import os
import time
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from typing import cast

from xcsh.sources.locking import held
from xcsh.sources.replacing import replace_file
from xcsh.sources.state_folder import state_folder

_KEPT_DAYS = 30
_LONGEST = 100
_LIMIT = 4_000_000
_PATIENCE = 5.0
"""Seconds until a call that holds the memory counts as stuck: half of what a hook may take."""


class Memory:
    """`guard` is the state of the stream guard, `given` the rules that the model has been given.

    `lasts`: the next call of the conversation knows it too.
    """

    def __init__(self, stored: Mapping[str, object], *, lasts: bool = True) -> None:
        self.lasts = lasts
        guard, given = stored.get("guard"), stored.get("given")
        self.guard = cast("dict[str, object]", guard) if isinstance(guard, dict) else {}
        self.given: set[str] = set()
        if isinstance(given, list):
            self.given.update(map(str, cast("list[object]", given)))

    def forget(self) -> None:
        """The model sees nothing any more of what it was given."""
        self.guard = {}
        self.given = set()

    def give(self, texts: Iterable[str]) -> None:
        """The model is given these texts of rules."""
        self.given.update(map(digest, texts))

    def has(self, text: str) -> bool:
        """Whether the model has been given just this text of a rule."""
        return digest(text) in self.given

    def stored(self) -> dict[str, object]:
        """Plain values."""
        return {"guard": self.guard, "given": sorted(self.given)}


def digest(text: str) -> str:
    """A few characters that say whether a text is the same as before."""
    data = text.encode("utf-8", "surrogatepass")
    return f"{len(data):x}-{zlib.crc32(data):08x}"


def hooks_folder(environ: Mapping[str, str], home: str) -> str:
    """Where the memories lie."""
    return os.path.join(state_folder(environ, home), "hooks")


@contextmanager
def remembered(folder: str, session: str, unable: Callable[[OSError], None]) -> Generator[Memory]:
    """The memory of a conversation, written back afterwards where it has changed. Calls of one conversation at a time.

    One without a name is not remembered. `unable` is told why nothing can be remembered; the memory is empty then.
    """
    path = os.path.join(folder, f"{_file_name(session)}.json")
    with ExitStack() as stack:
        if session:
            try:
                os.makedirs(folder, mode=0o700, exist_ok=True)
                stack.enter_context(held(path + ".lock", _PATIENCE))
            except OSError as error:
                unable(error)
                session = ""
        memory = Memory(_read(path) if session else {}, lasts=bool(session))
        before = memory.stored()
        yield memory
        after = memory.stored()
        if session and after != before:
            try:
                replace_file(path, json.dumps(after).encode("ascii"), sync=False)
            except OSError as error:
                unable(error)


def prune(folder: str, now: float | None = None) -> None:
    """Takes away the memories of conversations that nothing was heard of for a month."""
    oldest = (time.time() if now is None else now) - _KEPT_DAYS * 86_400
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(entry.path)


def _file_name(session: str) -> str:
    plain = "".join(character if character.isascii() and character.isalnum() else "-" for character in session)
    return plain if plain == session.replace("_", "-") and len(plain) <= _LONGEST else f"{plain[:40]}-{digest(session)}"


def _read(path: str) -> Mapping[str, object]:
    try:
        with open(path, encoding="utf-8") as file:
            value: object = json.loads(file.read(_LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
