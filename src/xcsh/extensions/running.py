"""Runs code that may raise, hang, exit or print: its failure is a value, and it never holds up the program."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import NamedTuple

from xcsh.extensions.output import diverted
from xcsh.extensions.registration import CommandContext

LOAD_SECONDS = 5.0
"""How long the import of a file may take, all of its top-level code included."""


class Outcome(NamedTuple):
    """What a call returned, or what it raised; SystemExit and KeyboardInterrupt are no exception to that."""

    value: object = None
    error: BaseException | None = None


class HangingError(Exception):
    """A call did not end in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it did not end within {seconds:g} s")


class _Run:
    """One call in a daemon thread of its own, which an exit does not wait for."""

    def __init__(self, function: Callable[[], object], notify: Callable[[], object]) -> None:
        self._function = function
        self._notify = notify
        self.outcome: Outcome | None = None
        self.thread = threading.Thread(target=copy_context().run, args=(self._work,), daemon=True)
        self.thread.start()

    def _work(self) -> None:
        try:
            with diverted():
                outcome = Outcome(self._function())
        except BaseException as error:  # noqa: BLE001 - also what would end the program
            outcome = Outcome(error=error)
        self.outcome = outcome
        with suppress(RuntimeError):  # nobody waits any more: the event loop is closed
            self._notify()

    def abandon(self) -> None:
        """Ends the thread at its next step, if it takes one, so that it does not go on in the background."""
        import ctypes  # noqa: PLC0415 - only for what hangs

        if self.thread.ident is not None and self.outcome is None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread.ident), ctypes.py_object(SystemExit))


def call_bounded(function: Callable[[], object], seconds: float) -> Outcome:
    """Waits for a call in another thread, but not for longer than that; the outcome then is a HangingError."""
    run = _Run(function, lambda: None)
    run.thread.join(seconds)
    if run.outcome is None:
        run.abandon()
        return Outcome(error=HangingError(seconds))
    return run.outcome


async def call_in_thread(function: Callable[[], object], seconds: float | None = None) -> Outcome:
    """The same without blocking the event loop. Cancelling it abandons the call."""
    import asyncio  # noqa: PLC0415 - a listing runs nothing

    loop = asyncio.get_running_loop()
    finished = asyncio.Event()
    run = _Run(function, lambda: loop.call_soon_threadsafe(finished.set))
    try:
        async with asyncio.timeout(seconds):
            await finished.wait()
    except TimeoutError:
        run.abandon()
        return Outcome(error=HangingError(seconds or 0.0))
    except asyncio.CancelledError:
        run.abandon()
        raise
    return run.outcome or Outcome()


async def call_handler(handler: Callable[..., object], context: CommandContext, argument: object) -> Outcome:
    """Calls a handler: an `async` one in the event loop, any other in a thread. Only what ends the caller raises."""
    import asyncio  # noqa: PLC0415 - a listing runs nothing
    import inspect  # noqa: PLC0415 - a listing runs nothing

    loop = asyncio.get_running_loop()
    outside = copy_context()

    def say(text: str) -> None:
        loop.call_soon_threadsafe(context.say, text, context=outside)

    def call() -> object:
        return handler(context._replace(say=say), argument)

    try:
        outcome = Outcome(call()) if inspect.iscoroutinefunction(handler) else await call_in_thread(call)
        if outcome.error is None and inspect.isawaitable(outcome.value):
            with diverted():
                outcome = Outcome(await outcome.value)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        outcome = Outcome(error=error)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - S-5: whatever a handler raises
        outcome = Outcome(error=error)
    await asyncio.sleep(0)  # what was said comes before what follows
    return outcome
