"""Runs what takes a while beside the event loop, in a thread that nobody who leaves meanwhile waits for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

_Result = TypeVar("_Result")


async def beside(function: Callable[[], _Result]) -> _Result:
    """What it returns or raises. The threads of the event loop would be waited for when that closes.

    The thread is no daemon: a module that it is loading would be left half loaded, and locked, while Python ends.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[_Result] = loop.create_future()

    def settle(error: BaseException | None, value: _Result | None) -> None:
        if result.done():  # nobody waits any more
            return
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(value)  # type: ignore[arg-type]

    def work() -> None:
        value: _Result | None = None
        error: BaseException | None = None
        try:
            value = function()
        except BaseException as raised:  # noqa: BLE001 - raised where it is waited for
            error = raised
        with suppress(RuntimeError):  # the event loop is closed
            loop.call_soon_threadsafe(settle, error, value)

    threading.Thread(target=work, name="beside", daemon=False).start()
    return await result
