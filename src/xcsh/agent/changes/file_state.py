"""What stands in a file: its hash, its mode, and its content where that is small enough to keep."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import NamedTuple

from xcsh.agent.changes.records import UNKNOWN

_CHUNK = 1024 * 1024
# What a platform does not have it does not need: without links there is nothing to follow.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class FileState(NamedTuple):
    """`sha256` is None where nothing is there, and `unknown` where what is there cannot be read.

    `content` is None where it is larger than the limit or cannot be read; `problem` says so. `names`: how many hard
    links the file has.
    """

    sha256: str | None
    mode: int = 0
    content: bytes | None = None
    problem: str = ""
    names: int = 0


ABSENT = FileState(None)


def open_to_read(name: str, folder: int | None = None) -> int:
    """A descriptor of `name`, below the open `folder`; never through a link, never waiting for a pipe's other end."""
    return os.open(name, _FLAGS, dir_fd=folder)


def read_state(descriptor: int, limit: int) -> FileState:
    """The state of an open file. Larger than `limit` bytes it is hashed in pieces and not held."""
    info = os.fstat(descriptor)
    mode = stat.S_IMODE(info.st_mode)
    if not stat.S_ISREG(info.st_mode):
        return FileState(UNKNOWN, mode, problem="it is no regular file")
    digest, pieces, size = hashlib.sha256(), list[bytes](), 0
    while piece := os.read(descriptor, _CHUNK):
        digest.update(piece)
        size += len(piece)
        if size <= limit:
            pieces.append(piece)
        else:
            pieces.clear()
    if size > limit:
        return FileState(digest.hexdigest(), mode, None, f"it is larger than {limit:,} bytes", info.st_nlink)
    return FileState(digest.hexdigest(), mode, b"".join(pieces), "", info.st_nlink)


def state_at(path: str, limit: int) -> FileState:
    """The state of the file at a path whose links are resolved."""
    try:
        descriptor = open_to_read(path)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError as error:
        return FileState(UNKNOWN, problem=f"it cannot be read: {error.strerror}")
    try:
        return read_state(descriptor, limit)
    except OSError as error:
        return FileState(UNKNOWN, problem=f"it cannot be read: {error.strerror}")
    finally:
        os.close(descriptor)


def missing_folders(root: str, path: str) -> list[str]:
    """The folders between `root` and `path` that do not exist, below `root`, the outermost first."""
    parts = path.split("/")
    ways = ("/".join(parts[:count]) for count in range(1, len(parts)))
    return [way for way in ways if not os.path.lexists(os.path.join(root, way))]
