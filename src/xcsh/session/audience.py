"""Whoever is told what happens in a session: everybody hears everything, and nobody can hold it up or break it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable

from xcsh.session.events import SessionEvent, Sink


class Audience:
    """The sinks of a session."""

    def __init__(self) -> None:
        self._sinks: list[Sink] = []

    def __len__(self) -> int:
        """How many listen."""
        return len(self._sinks)

    def tell(self, event: SessionEvent) -> None:
        """Hands an event to every sink. What one raises is logged."""
        for sink in list(self._sinks):
            try:
                sink(event)
            except Exception as error:  # noqa: BLE001 - whoever shows the session must not end it
                log_failure(f"whoever shows {type(event).__name__}", error)

    def subscribe(self, sink: Sink) -> Callable[[], None]:
        """Tells `sink` every event from now on, at once and in order; returns what ends that."""
        self._sinks.append(sink)
        return lambda: self._sinks.remove(sink) if sink in self._sinks else None

    async def events(self) -> AsyncGenerator[SessionEvent]:
        """Every event from the first read on. A reader that is slow holds nothing up and misses nothing."""
        waiting: asyncio.Queue[SessionEvent] = asyncio.Queue()
        leave = self.subscribe(waiting.put_nowait)
        try:
            while True:
                yield await waiting.get()
        finally:
            leave()


def log_failure(what: str, error: Exception) -> None:
    """In one line; where it was is for those who look for it."""
    logger = logging.getLogger("xcsh.session")
    logger.error("%s failed: %s: %s", what, type(error).__name__, error)
    logger.debug("where that was", exc_info=error)
