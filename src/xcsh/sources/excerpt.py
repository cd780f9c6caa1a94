"""The lines of a file as its diagnostics count them, for excerpts."""

from __future__ import annotations

import os
from functools import lru_cache

from xcsh.model.diagnostic import ignore
from xcsh.parsing.finding import Finding
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes

_LIMIT = 16_777_216


def lines_of(path: str) -> tuple[str, ...]:
    """The decoded lines of a file as it is now; empty where it cannot be read or is no text."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ()
    return _lines(path, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=64)
def _lines(path: str, *_: int) -> tuple[str, ...]:
    """`_` is what the file looks like from outside: who runs for long asks again after it was edited."""
    try:
        # what is odd about its encoding has been reported
        return tuple(decode(read_bytes(path, _LIMIT), ignore, Finding(path)).split("\n"))
    except ReadRefusedError:
        return ()
