"""Whoever leaves does not wait for what is still being done."""

from __future__ import annotations

import asyncio
import threading

import pytest

from xcsh.cli.beside import beside


async def test_what_is_done_beside_the_event_loop_returns_and_raises() -> None:
    # S-20
    assert await beside(lambda: 7) == 7
    with pytest.raises(LookupError, match="nothing"):
        await beside(lambda: {}["nothing"])


def test_an_event_loop_ends_at_once_while_something_is_loading() -> None:
    # S-20
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def load() -> None:
        begun.set()
        may_end.wait()
        ended.set()

    async def leave() -> None:
        loading = asyncio.create_task(beside(load))
        await asyncio.to_thread(begun.wait)
        loading.cancel()

    asyncio.run(leave())
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(30)
