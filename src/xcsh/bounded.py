"""Calls code of somebody else, which may raise, hang or print, and is waited for no longer than it may take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

ValueT = TypeVar("ValueT")


class HangingError(Exception):
    """A call did not end in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it did not end within {seconds:g} s")


class Outcome(NamedTuple, Generic[ValueT]):
    """What a call returned, or what it raised; SystemExit and KeyboardInterrupt are no exception to that."""

    value: ValueT | None = None
    error: BaseException | None = None


def call_bounded(function: Callable[[], ValueT], seconds: float) -> Outcome[ValueT]:
    """Calls in another thread and waits so long; what is printed meanwhile goes to standard error.

    A call that hangs is told to end at its next step, if it takes one, and is not waited for.
    """
    import contextlib  # noqa: PLC0415 - only where there is code of somebody else
    import sys  # noqa: PLC0415 - as above
    import threading  # noqa: PLC0415 - as above

    outcomes: list[Outcome[ValueT]] = []

    def work() -> None:
        try:
            outcomes.append(Outcome(function()))
        except BaseException as error:  # noqa: BLE001 - also what would end the program
            outcomes.append(Outcome(error=error))

    thread = threading.Thread(target=work, daemon=True)
    with contextlib.redirect_stdout(sys.stderr):
        thread.start()
        thread.join(seconds)
    if outcomes:
        return outcomes[0]
    if thread.ident is not None:
        import ctypes  # noqa: PLC0415 - only for what hangs

        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
    return Outcome(error=HangingError(seconds))
