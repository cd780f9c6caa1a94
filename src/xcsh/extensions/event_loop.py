"""An event loop for one `async` handler, which nothing that the handler does to it can keep from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

GRACE = 1.0
"""Seconds that the tasks which a handler leaves behind have to end in, once they are cancelled."""


def run_to_end(awaitable: Awaitable[object], on_start: Callable[[Callable[[], None]], object]) -> object:
    """Waits for it in a loop of its own. What it raises is raised, and what a task raised that nobody waited for.

    `on_start` gets a function that cancels it, to be called in any thread at any time.
    """
    loop = asyncio.new_event_loop()
    raised: list[BaseException] = []

    def note(_: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            raised.append(error)

    async def main() -> None:
        try:
            results.append(await awaitable)
        except BaseException as error:  # noqa: BLE001 - SystemExit would break off the loop
            raised.insert(0, error)

    results: list[object] = []
    loop.set_exception_handler(note)
    task = loop.create_task(main())

    def cancel() -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(task.cancel)

    on_start(cancel)
    try:
        loop.run_until_complete(task)
    except BaseException as error:  # noqa: BLE001 - a task has raised SystemExit, or stopped the loop
        raised.append(error)
    finally:
        cleaner = threading.Thread(target=_clear, args=(loop, raised), daemon=True)
        cleaner.start()
        cleaner.join(GRACE)
    if raised:
        raise raised[0]
    return results[0]


def _clear(loop: asyncio.AbstractEventLoop, raised: list[BaseException]) -> None:
    """Cancels what still runs. In a thread of its own, since a task may also block it."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    try:
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE / 2))
        loop.run_until_complete(loop.shutdown_asyncgens())
    except BaseException as error:  # noqa: BLE001 - what a task does when it is cancelled
        raised.append(error)
    pending = [task for task in tasks if not task.done()]
    if pending:
        _keep_for_ever(pending)
    loop.close()


def _keep_for_ever(tasks: list[asyncio.Task[object]]) -> None:
    """A coroutine that refuses to end complains on standard error when it is collected, so it never is."""
    import ctypes  # noqa: PLC0415 - only for what hangs

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(tasks))
