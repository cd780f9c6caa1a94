"""Reads one file, bounded in size and time whatever stands at the path, and finds the repository around a folder."""

from __future__ import annotations

import os
import stat

from xcsh.model.diagnostic import Position
from xcsh.model.source import Environment

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


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


def read_bytes(path: str, limit: int, *, within: str = "") -> bytes:
    """The bytes of a regular file of at most `limit` bytes; raises ReadRefusedError for anything else.

    With `within`, a real folder, a link is followed only into that folder, whatever it led to when it was judged.
    """
    try:
        descriptor = _open_within(path, within) if within else os.open(path, _FLAGS)
    except OSError as error:
        raise refusal(error, path) from None
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
        raise refusal(error, path) from None
    finally:
        os.close(descriptor)


def refusal(error: OSError, path: str = "") -> ReadRefusedError:
    """What an error of the operating system means for a rule file; without a path, that of the error counts."""
    import errno  # noqa: PLC0415 - only where something went wrong

    if error.errno == errno.ENOENT and not os.path.islink(path or str(error.filename or "")):
        return ReadRefusedError("unreadable", "unreadable-file", "it vanished while it was being read")
    if error.errno in (errno.ENOENT, errno.ELOOP):
        return ReadRefusedError("dangling-link", "dangling-link", "the link leads nowhere or round in a circle")
    if error.errno == errno.ENXIO:
        return ReadRefusedError("not-a-file", "not-a-file", "a socket or a device that is not there; it is not opened")
    return ReadRefusedError(
        "unreadable", "unreadable-file", f"it cannot be read: {(error.strerror or str(error)).lower()}"
    )


def leads_outside(target: str) -> ReadRefusedError:
    """The refusal of a link whose real target lies outside the project."""
    message = f"the link leads to {target}, outside the project; it is not followed"
    return ReadRefusedError("outside-project", "outside-project", message)


def lies_in(real: str, folder: str) -> bool:
    """Whether a real path is a real folder or lies below it."""
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


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


def _open_within(path: str, folder: str) -> int:
    """Opens what is no link, or a link's target in the folder, and no other file that was put there meanwhile."""
    if _NO_LINK or not os.path.islink(path):
        try:
            return os.open(path, _FLAGS | _NO_LINK)
        except OSError:
            if not os.path.islink(path):
                raise
    target = os.path.realpath(path)
    if not lies_in(target, folder):
        raise leads_outside(target)
    descriptor = os.open(target, _FLAGS | _NO_LINK)
    real = _real_path(descriptor, target)
    if not lies_in(real, folder):
        os.close(descriptor)
        raise leads_outside(real or "another file")
    return descriptor


def _real_path(descriptor: int, expected: str) -> str:
    """Where an open file lies: as the system says, or as expected; empty where that is another file by now."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        pass  # a system without /proc
    real = os.path.realpath(expected)
    try:
        return real if os.path.samestat(os.fstat(descriptor), os.lstat(real)) else ""
    except OSError:
        return ""
