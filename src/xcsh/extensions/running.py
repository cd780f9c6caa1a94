"""Runs code that may raise, hang, exit or print: its failure is a value, and it never holds up the program."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import NamedTuple

from xcsh.extensions.output import Diversion, diverted
from xcsh.extensions.registration import CommandContext
from xcsh.extensions.speech import Speech

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
        self._diversion = Diversion()
        self.outcome: Outcome | None = None
        self.thread = threading.Thread(target=copy_context().run, args=(self._work,), daemon=True)
        self.thread.start()

    def _work(self) -> None:
        try:
            with diverted(self._diversion):
                outcome = Outcome(self._function())
        except BaseException as error:  # noqa: BLE001 - also what would end the program
            outcome = Outcome(error=error)
        self.outcome = outcome
        with suppress(RuntimeError):  # nobody waits any more: the event loop is closed
            self._notify()

    def abandon(self) -> None:
        """Ends the thread at its next step, if it takes one; what does not end is not heard any more."""
        import ctypes  # noqa: PLC0415 - only for what hangs

        self._diversion.discarded = True
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


async def call_handler(
    handler: Callable[..., object],
    context: CommandContext,
    argument: object,
    convert: Callable[[object], object] = lambda value: value,
) -> Outcome:
    """Calls a handler in a thread, an `async` one in an event loop of its own; `convert` makes the outcome's value.

    What was said has been shown by then. Raises what `context.say` raised, such as OSError where the output cannot be
    written. Cancelling it cancels the handler and does not wait for it.
    """
    import asyncio  # noqa: PLC0415 - a listing runs nothing
    import inspect  # noqa: PLC0415 - a listing runs nothing

    from xcsh.extensions.event_loop import run_to_end  # noqa: PLC0415

    speech = Speech(context.say, asyncio.get_running_loop().call_soon_threadsafe)

    cancels: list[Callable[[], None]] = []

    def call() -> object:
        value = handler(context._replace(say=speech.say), argument)
        return convert(run_to_end(value, cancels.append) if inspect.isawaitable(value) else value)

    try:
        outcome = await call_in_thread(call)
    except asyncio.CancelledError:
        for cancel in cancels:
            cancel()
        raise
    finally:
        speech.over = True
    if speech.failures:
        raise speech.failures[0]
    return outcome
