"""A stream whose reader may leave: what is written then is dropped, and whoever writes goes on."""

from __future__ import annotations

from collections.abc import Callable
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

    def _break(self, error: OSError) -> None:
        self.broken = error
        self.on_broken()
