"""Lets calls that run at the same time ask one after the other, in the order in which they came."""

from __future__ import annotations

import asyncio


class Turn:
    """A place in the queue: wait for it, then end it. To end it twice, or before it came, does no harm."""

    def __init__(self, queue: list[Turn]) -> None:
        self._queue = queue
        self._came = asyncio.Event()
        queue.append(self)
        queue[0]._came.set()  # noqa: SLF001 - of this very class

    async def wait(self) -> None:
        """Returns when every earlier one has ended."""
        await self._came.wait()

    def end(self) -> None:
        """Leaves the queue and lets the next one come."""
        if self in self._queue:
            self._queue.remove(self)
        if self._queue:
            self._queue[0]._came.set()  # noqa: SLF001
