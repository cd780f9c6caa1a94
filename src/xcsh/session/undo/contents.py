"""Keeps the contents that undoing needs in a folder, each once, under its hash."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from hashlib import sha256 as hash_of

from xcsh.agent.changes.records import DONE
from xcsh.session.undo.turn_changes import changes_of

__all__ = ["FolderKeeper", "changes_of"]

_PREFIX = 2
_PIECE = 1024 * 1024


class FolderKeeper:
    """Keeps contents as `<folder>/<first two digits>/<SHA-256>`, readable for their owner only, and hands records on.

    A content is whole under its name or not there at all, whenever the machine stops.
    """

    def __init__(
        self,
        folder: str,
        note: Callable[[str, Mapping[str, object]], None],
        sync: Callable[[], object] = lambda: None,
    ) -> None:
        """`note(kind, data)` takes a record; `sync()` returns when the disk has them all, where `note` does not wait.

        Of a `SessionFile`: `FolderKeeper(folder, file.note, file.sync)`. Both are called in the thread of the caller
        and raise OSError where they fail.
        """
        self._folder = folder
        self._note = note
        self._sync = sync

    def record(self, kind: str, data: Mapping[str, object]) -> None:
        """Hands a record to `note`; waits for the disk, but for an outcome, which can be found out again."""
        self._note(kind, data)
        if kind != DONE:
            self._sync()

    def blob(self, content: bytes) -> str:
        """Keeps a content, where it is not there already, and returns its hash. Raises OSError where that fails."""
        name = hash_of(content).hexdigest()
        place, path = self._place(name)
        if _holds(path, content):
            return name
        self._make_folder(place)
        # Of this process and content: two threads that keep the same content must not share a file.
        temporary = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            try:
                _write_all(descriptor, content)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        _sync_folder(place)
        return name

    def content(self, sha256: str) -> bytes:
        """The content of a hash. Raises OSError where it is not there, or is not what its name says."""
        path = self._place(sha256)[1]
        with open(path, "rb") as file:
            content = file.read()
        if hash_of(content).hexdigest() != sha256:
            raise OSError(f"{path} is damaged")
        return content

    def _place(self, name: str) -> tuple[str, str]:
        place = os.path.join(self._folder, name[:_PREFIX])
        return place, os.path.join(place, name)

    def _make_folder(self, place: str) -> None:
        if not os.path.isdir(place):
            os.makedirs(self._folder, 0o700, exist_ok=True)
            os.makedirs(place, 0o700, exist_ok=True)
            _sync_folder(self._folder)


def _holds(path: str, content: bytes) -> bool:
    """Whether a content is there already, undamaged."""
    try:
        if os.path.getsize(path) != len(content):
            return False
        with open(path, "rb") as file:
            return file.read() == content
    except OSError:
        return False


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view[:_PIECE]) :]


def _sync_folder(path: str) -> None:
    """Has the names in a folder on the disk, where the platform can do that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
