"""Reading that never ends, and a program that ends all the same."""

from __future__ import annotations

import asyncio
import threading

from xcsh.cli.unwaited import leave_readers_behind


def test_what_still_reads_does_not_hold_up_the_end_and_what_waits_is_never_begun() -> None:
    # a tool of `xcsh mcp` on a disk that does not answer, when the client leaves
    answers, begun = threading.Event(), threading.Semaphore(0)
    threads: list[threading.Thread] = []

    def read() -> None:
        threads.append(threading.current_thread())
        begun.release()
        answers.wait()

    async def serve() -> None:
        leave_readers_behind()
        reading = [asyncio.create_task(asyncio.to_thread(read)) for _ in range(100)]
        await asyncio.sleep(0)  # they are given to threads
        assert len(reading) == 100
        assert begun.acquire(timeout=30)

    asyncio.run(serve())  # returns
    answers.set()
    for thread in threads:
        thread.join(30)
    assert 0 < len(threads) < 100
