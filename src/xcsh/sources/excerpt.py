"""The lines of a file as its diagnostics count them, for excerpts."""

from __future__ import annotations

from functools import lru_cache

from xcsh.model.diagnostic import Diagnostic
from xcsh.parsing.finding import Finding
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes

_LIMIT = 16_777_216


@lru_cache(maxsize=64)
def lines_of(path: str) -> tuple[str, ...]:
    """The decoded lines of a file; empty where it cannot be read or is no text."""

    def ignore(_: Diagnostic) -> None:
        """What is odd about the encoding has been reported."""

    try:
        return tuple(decode(read_bytes(path, _LIMIT), ignore, Finding(path)).split("\n"))
    except ReadRefusedError:
        return ()
