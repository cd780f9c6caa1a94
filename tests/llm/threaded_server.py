"""A fake model server in a thread of its own, for code that runs an event loop itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest
import tests.llm.wire_models  # noqa: F401 - the heavy packages load here, once, and not in a test

import xcsh.agent.building  # noqa: F401 - as above
from xcsh.llm.reply import Failure, Reply
from xcsh.llm.sse_server import FakeModelServer


@contextmanager
def served(*script: Reply | Failure, begun: Event | None = None, drop_after: int = 0) -> Iterator[FakeModelServer]:
    """A model server in a thread of its own, as the provider of `openai-chat:` models.

    `begun` is set when it streams; after `drop_after` frames it stops, with whatever is open.
    """
    loop = asyncio.new_event_loop()
    server = FakeModelServer(script)
    ready, over = Event(), asyncio.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            while not over.is_set():
                await asyncio.sleep(0.005)
                sent = server.exchanges[0].sent if server.exchanges else 0
                if begun is not None and sent > 1:
                    begun.set()
                if drop_after and sent >= drop_after:
                    break

    thread = Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    ready.wait(5)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            patch.setenv("OPENAI_API_KEY", "k")
            patch.setenv("NO_PROXY", "127.0.0.1")
            yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
