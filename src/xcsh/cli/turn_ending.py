"""What ends a turn from outside: SIGTERM, and a reader of its output who leaves."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from xcsh.cli.lasting_stream import LastingStream
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
    watched = _watch(loop, output.out)
    try:
        yield
    finally:
        if watched is not None:
            loop.remove_reader(watched)
        output.on_gone = lambda: None
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.remove_signal_handler(signal.SIGTERM)


def _watch(loop: asyncio.AbstractEventLoop, out: LastingStream) -> int | None:
    """Notices that the reader of a pipe has left while nothing is written: a model may be silent for long.

    Of the end that is written to, Linux reports nothing else as ready to be read.
    """
    if sys.platform != "linux":
        return None
    with suppress(OSError, ValueError):
        descriptor = out.fileno()
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            loop.add_reader(descriptor, _left, loop, descriptor, out)
            return descriptor
    return None


def _left(loop: asyncio.AbstractEventLoop, descriptor: int, out: LastingStream) -> None:
    loop.remove_reader(descriptor)
    out.leave()
