"""Reads one file, bounded in size and time whatever stands at the path, and finds the repository around a folder."""

from __future__ import annotations

import os
import stat

from xcsh.model.diagnostic import Position
from xcsh.model.source import Environment

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


NO_HOME = os.path.join(os.path.abspath(os.devnull), "no-home")
"""A path at which nothing can be."""


class ReadRefusedError(Exception):
    """A file that is not read: why in SKIP_REASONS' terms, the diagnostic code, a sentence, and where it shows."""

    def __init__(self, reason: str, code: str, message: str, position: Position | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.reason = reason
        self.code = code
        self.message = message


def read_bytes(path: str, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; raises ReadRefusedError for anything else."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise refusal(error) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ReadRefusedError("not-a-file", "not-a-file", "not a regular file; it is not opened")
        size = status.st_size
        if size > limit:
            message = f"{size:,} bytes, above the limit of {limit:,}; it is not read"
            raise ReadRefusedError("too-large", "file-too-large", message)
        data = os.read(descriptor, size + 1)
        while len(data) < size and (more := os.read(descriptor, size - len(data))):
            data += more
        return data[:limit]
    except OSError as error:
        raise refusal(error) from None
    finally:
        os.close(descriptor)


def refusal(error: OSError) -> ReadRefusedError:
    """What an error of the operating system means for a rule file."""
    import errno  # noqa: PLC0415 - only where something went wrong

    if error.errno in (errno.ENOENT, errno.ELOOP):
        return ReadRefusedError("dangling-link", "dangling-link", "the link leads nowhere or round in a circle")
    if error.errno == errno.ENXIO:
        return ReadRefusedError("not-a-file", "not-a-file", "a socket or a device that is not there; it is not opened")
    return ReadRefusedError(
        "unreadable", "unreadable-file", f"it cannot be read: {(error.strerror or str(error)).lower()}"
    )


def find_repo_root(folder: str) -> str | None:
    """The nearest folder at or above `folder` that holds `.git`."""
    current = folder
    while True:
        if os.path.lexists(os.path.join(current, ".git")):
            return current
        parent = os.path.dirname(current)
        if parent == current:
            return None
        current = parent


def make_environment(cwd: str, home: str) -> Environment:
    """An Environment of absolute paths; `cwd` is taken as the user names it, links and all.

    A home that is not absolute (`~` where nothing says whose it is) would lie in the project, whose files would then
    pass for the user's own: it counts as none.
    """
    folder = os.path.abspath(cwd)
    return Environment(folder, os.path.normpath(home) if os.path.isabs(home) else NO_HOME, find_repo_root(folder))
