"""Keeps extensions away from standard output and input, which carry the program's data (U-2)."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TextIO, cast

_diverting: ContextVar[bool] = ContextVar("diverting", default=False)
_lock = threading.Lock()
_OUT, _ERR = 1, 2
"""The file descriptors of standard output and standard error."""


class _Switch:
    """Stands in for a standard stream: another one for the code inside `diverted`, and for that code alone."""

    def __init__(self, original: TextIO, other: Callable[[], TextIO]) -> None:
        self.original = original
        self.other = other
        self.users = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target(), name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._target())

    def _target(self) -> TextIO:
        return self.other() if _diverting.get() else self.original


@contextmanager
def diverted() -> Generator[None, None, None]:
    """What the code inside writes to `sys.stdout` goes to standard error, and `sys.stdin` is at its end for it.

    Other tasks and threads are left alone, those too that the code starts itself; `owned_output` catches these.
    """
    switches = (_install("stdout", lambda: sys.stderr), _install("stdin", io.StringIO))
    token = _diverting.set(True)
    try:
        yield
    finally:
        _diverting.reset(token)
        _remove("stdin", switches[1])
        _remove("stdout", switches[0])


@contextmanager
def owned_output() -> Generator[TextIO, None, None]:
    """Yields standard output to the caller alone: whatever else writes to it ends up on standard error.

    That holds for the file descriptor, and so for child processes and libraries in C. For front ends, around
    everything that may run an extension.
    """
    original = sys.stdout
    original.flush()
    sys.stdout = sys.stderr
    try:
        with _moved_descriptor(original) as stream:
            yield stream
            stream.flush()
    finally:
        sys.stdout = original


@contextmanager
def _moved_descriptor(original: TextIO) -> Generator[TextIO, None, None]:
    """The descriptor of standard output points to standard error; the stream writes where `original` did."""
    try:
        kept = os.dup(_OUT)
        os.dup2(_ERR, _OUT)
    except OSError:  # one of the two is closed
        yield original
        return
    stream = _stream_on(kept, original)
    try:
        yield stream
    finally:
        os.dup2(kept, _OUT)
        if stream is original:
            os.close(kept)
        else:
            with suppress(OSError):  # the reader has gone, as the flush before has said
                stream.close()


def _stream_on(descriptor: int, original: TextIO) -> TextIO:
    """A stream like `original` on another descriptor; `original` itself where it never wrote to standard output's."""
    try:
        if original.fileno() != _OUT:
            return original
    except (OSError, ValueError):  # replaced by something that is no file
        return original
    buffering = 1 if original.isatty() else -1
    return open(descriptor, "w", encoding=original.encoding, errors=original.errors, buffering=buffering)


def _install(name: str, other: Callable[[], TextIO]) -> _Switch:
    with _lock:
        current: object = getattr(sys, name)
        switch = current if isinstance(current, _Switch) else _Switch(cast("TextIO", current), other)
        switch.users += 1
        setattr(sys, name, switch)
        return switch


def _remove(name: str, switch: _Switch) -> None:
    with _lock:
        switch.users -= 1
        if not switch.users and getattr(sys, name) is switch:
            setattr(sys, name, switch.original)
