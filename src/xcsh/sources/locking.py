"""Holds a file or a folder for one process. The operating system frees it when the process ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

_AGAIN = 0.005
"""Seconds between two attempts to take what another one has."""

if sys.platform == "win32":
    import msvcrt

    _FAR = 0x7FFF0000
    """Where the locked byte is: behind all content, since Windows lets nobody read a locked one."""

    def lock(descriptor: int) -> bool:
        """Takes the file for this process; False where another one has it. OSError where nothing can be locked."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

else:
    import fcntl

    def lock(descriptor: int) -> bool:
        """Takes the file for this process; False where another one has it. Raises OSError where nothing can be locked.

        The lock belongs to the open file, so a second opening in this very process is refused as well.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def held(path: str, patience: float) -> Generator[None]:
    """Holds a folder, which leaves nothing behind in it, or a file that is made where it is missing.

    Whoever comes next waits for `patience` seconds, then gets BlockingIOError; another OSError means that `path` cannot
    be opened. Where there are no such locks, as on some network drives and for folders on Windows, it holds nothing:
    writers may overtake each other there.
    """
    folder = os.path.isdir(path)
    if folder and os.name == "nt":
        yield
        return
    flags = os.O_RDONLY if folder else os.O_CREAT | os.O_RDWR
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        until = time.monotonic() + patience
        while not _taken(descriptor):
            if time.monotonic() > until:
                raise BlockingIOError(errno.EAGAIN, "another process does not let go of it", path)
            time.sleep(_AGAIN)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        return lock(descriptor)
    except OSError:
        return True
