"""What ends a turn from outside: SIGTERM, and a reader of its output who leaves."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from xcsh.cli.turn_output import Output


@contextmanager
def ended_by_sigterm() -> Generator[None]:
    """SIGTERM is an interruption like Ctrl-C, so that the output is brought to an end."""

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not the main thread, which alone has signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


@contextmanager
def ended_by(output: Output) -> Generator[None]:
    """In the event loop, SIGTERM and a reader who has left cancel what runs; Ctrl-C does so by itself."""
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("a turn is a task")
    output.on_gone = task.cancel
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError, ValueError, RuntimeError):  # Windows; not the main thread
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        yield
    finally:
        output.on_gone = lambda: None
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.remove_signal_handler(signal.SIGTERM)
