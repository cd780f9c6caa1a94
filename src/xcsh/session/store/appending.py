"""Appends lines to a locked file: whole ones or nothing, and on the disk where that is promised."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from xcsh.session.store.errors import SessionBusyError, SessionFormatError, SessionWriteError
from xcsh.sources.locking import lock

_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


class AppendedFile:
    """A file that only grows. What cannot be written yet is kept, and written before what follows it.

    Any thread may write; a line is never inside another one.
    """

    def __init__(self, descriptor: int, path: str) -> None:
        from threading import RLock  # noqa: PLC0415 - a list of sessions writes nothing

        self._alone = RLock()
        self.path = path
        self._descriptor = descriptor
        self._waiting: list[bytes] = []
        self._fresh = _ends_fresh(descriptor)
        self._folder_synced = False
        self.closed = False

    @classmethod
    def create(cls, path: str) -> AppendedFile:
        """A new file for its owner alone. Raises FileExistsError, or another OSError."""
        return cls._locked(os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600), path)

    @classmethod
    def open(cls, path: str, session: str) -> AppendedFile:
        """Raises SessionBusyError where another process has the file, OSError where it cannot be opened."""
        descriptor = os.open(path, _FLAGS | _NO_WAIT)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise SessionFormatError(f"{path} is no regular file", "see: xcsh sessions")
        return cls._locked(descriptor, path, session)

    @classmethod
    def _locked(cls, descriptor: int, path: str, session: str = "") -> AppendedFile:
        try:
            mine = lock(descriptor)
            there = os.path.exists(path) and os.path.samestat(os.fstat(descriptor), os.stat(path))
        except OSError:
            os.close(descriptor)
            raise
        if not mine:
            os.close(descriptor)
            raise SessionBusyError(session or os.path.basename(path), owner_of(path))
        if not there:  # deleted between opening and locking
            os.close(descriptor)
            raise FileNotFoundError(2, "it was deleted meanwhile", path)
        return cls(descriptor, path)

    def later(self, line: bytes) -> None:
        """Writes a line if that is possible now; if not, the line waits for the next write."""
        with self._alone, suppress(OSError):
            self._check_open()
            self._waiting.append(line)
            self._write()

    def now(self, line: bytes, *, keep: bool = False) -> None:
        """Writes a line and waits until the disk has it. Raises SessionWriteError; the line is then not in the file.

        With `keep` it waits for the next write, as the lines before it do.
        """
        with self._alone:
            self._check_open()
            self._waiting.append(line)
            try:
                self.sync()
            except SessionWriteError:
                if not keep and self._waiting and self._waiting[-1] is line:
                    self._waiting.pop()
                raise

    def sync(self) -> None:
        """Waits until the disk has everything. Raises SessionWriteError."""
        with self._alone:
            self._check_open()
            lines = list(self._waiting)
            before = os.fstat(self._descriptor).st_size
            try:
                self._write()
                os.fsync(self._descriptor)
                self._sync_folder()
            except OSError as error:
                if lines and not self._waiting:
                    self._take_back(before)
                    self._waiting = lines
                raise SessionWriteError(self.path, (error.strerror or str(error)).lower()) from None

    def close(self) -> None:
        """Ends the hold on the file. Raises SessionWriteError where lines are left that cannot be written."""
        with self._alone:
            if self.closed:
                return
            try:
                if self._waiting:
                    self.sync()
            finally:
                self.closed = True
                os.close(self._descriptor)

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError(f"the session {self.path} is closed")

    def _write(self) -> None:
        """Writes all lines that wait, or none."""
        if not self._waiting:
            return
        data = (b"" if self._fresh else b"\n") + b"".join(self._waiting)
        before = os.fstat(self._descriptor).st_size
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            self._take_back(before)
            raise
        self._waiting = []
        self._fresh = True

    def _take_back(self, size: int) -> None:
        """Cuts off what this process has just written and promised to nobody."""
        with suppress(OSError):  # where even that fails, the next line begins on a fresh one
            os.ftruncate(self._descriptor, size)
        self._fresh = _ends_fresh(self._descriptor)

    def _sync_folder(self) -> None:
        """The name of a new file has to survive too; Windows knows no such thing."""
        if self._folder_synced or os.name == "nt":
            return
        folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._folder_synced = True


def owner_of(path: str) -> int:
    """The process that opened a session last, as the file says; 0 where it says nothing."""
    from xcsh.session.store.records import OPEN, decode  # noqa: PLC0415 - only where a session is in use

    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return 0
    at = data.rfind(b'\n{"t":"' + OPEN.encode() + b'"')
    record = decode(data[at + 1 :].split(b"\n", 1)[0]).record if at >= 0 else None
    pid = record.get("pid") if record else None
    return pid if isinstance(pid, int) else 0


def _ends_fresh(descriptor: int) -> bool:
    """Whether the next byte begins a line."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"
