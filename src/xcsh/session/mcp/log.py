"""The log file of one MCP server: what it writes to its standard error, and why it was stopped; of limited size."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

LIMIT = 1_048_576
"""Bytes that one run of a server may write; what was there before moves to `NAME.log.old` when it is as large."""


def log_folder(environ: Mapping[str, str], home: str) -> str:
    """Where the logs of all servers lie, beside the sessions."""
    from xcsh.session.store import sessions_folder  # noqa: PLC0415 - only where there is a server

    return os.path.join(os.path.dirname(sessions_folder(environ, home)), "mcp")


class McpLog:
    """A file that is opened at the first line. What cannot be written is lost: a log is no reason to fail."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._left = LIMIT
        self._descriptor: int | None = None

    @property
    def is_full(self) -> bool:
        """Whether nothing more is written in this run."""
        return self._left <= 0

    def say(self, text: str) -> None:
        """A line of our own."""
        self.write(f"[xcsh] {text}\n".encode("utf-8", "backslashreplace"))

    def write(self, data: bytes) -> None:
        """Adds what a server wrote, up to the limit."""
        if self._left <= 0 or not data:
            return
        kept = data[: self._left]
        self._left -= len(kept)
        if self._left <= 0:
            kept += b"\n[xcsh] the rest of this run is left out\n"
        with suppress(OSError):
            os.write(self._opened(), kept)

    def close(self) -> None:
        """Nothing more comes."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _opened(self) -> int:
        if self._descriptor is None:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            with suppress(OSError):
                if os.path.getsize(self.path) >= LIMIT:
                    os.replace(self.path, f"{self.path}.old")
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return self._descriptor
