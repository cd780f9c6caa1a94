"""Puts a new file in the place of an old one, so that nobody ever reads half of it."""

from __future__ import annotations

import os
from contextlib import suppress


def replace_file(path: str, data: bytes, *, mode: int = 0o600, sync: bool = True) -> None:
    """Writes a file beside `path` and renames it. Raises OSError; `path` is as it was then.

    The mode of a file that is there is kept; a new one gets `mode`. A link is replaced, not followed. `sync`: the disk
    is waited for, so that the content outlives a loss of power.
    """
    with suppress(OSError):
        mode = os.stat(path).st_mode & 0o777
    beside = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"  # of this call: two threads must not share one
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(beside, flags, 0o600), "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
