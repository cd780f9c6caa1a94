"""A stream whose reader may leave: what is written then is dropped, and whoever writes goes on."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO


class LastingStream:
    """Writes to a stream until that fails. `broken` is why; `on_broken` is called once, in that moment."""

    def __init__(self, stream: TextIO, on_broken: Callable[[], object] = lambda: None) -> None:
        self._stream = stream
        self.on_broken = on_broken
        self.broken: OSError | None = None

    def write(self, text: str, /) -> int:
        """Raises nothing where the reader has gone or the disk is full."""
        if self.broken is None:
            try:
                self._stream.write(text)
            except OSError as error:
                self._break(error)
        return len(text)

    def flush(self) -> None:
        """As `write`."""
        if self.broken is None:
            try:
                self._stream.flush()
            except OSError as error:
                self._break(error)

    def isatty(self) -> bool:
        """Whether a person reads."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The descriptor below; OSError where there is none."""
        return self._stream.fileno()

    def leave(self) -> None:
        """The reader has gone, as the system says before anything more is written."""
        if self.broken is None:
            self._break(BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)))

    def _break(self, error: OSError) -> None:
        """What is still buffered must not raise again at exit."""
        self.broken = error
        with suppress(OSError, ValueError):
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self._stream.fileno())
            os.close(nothing)
        self.on_broken()
