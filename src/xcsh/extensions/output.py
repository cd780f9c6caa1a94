"""Keeps extensions away from standard output and input, which carry the program's data (U-2)."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Self, TextIO, cast


class Diversion:
    """The standard streams of one call. Once it is `discarded`, nobody hears any more of what the call prints."""

    discarded = False


_diversion: ContextVar[Diversion | None] = ContextVar("diversion", default=None)
_lock = threading.Lock()
_IN, _OUT, _ERR = 0, 1, 2
"""The file descriptors of the standard streams."""


class _Nothing(io.TextIOBase):
    """Swallows what is written."""

    def write(self, text: str, /) -> int:
        return len(text)


class _Lasting:
    """A stream that is not its users' to close: the program and every other extension use it too."""

    def __init__(self, stream: TextIO) -> None:
        self._own = stream

    @property
    def _stream(self) -> Any:
        return self._own

    @property
    def buffer(self) -> Any:
        """The bytes below, as lasting."""
        return _Lasting(self._stream.buffer)

    def close(self) -> None:
        """Does no more than to write what is pending."""
        with suppress(OSError, ValueError):
            self._stream.flush()

    def detach(self) -> None:
        """Refuses to give the stream away."""
        raise io.UnsupportedOperation("detach")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Switch(_Lasting):
    """Stands in for a standard stream: another one for the code inside `diverted`, and for that code alone."""

    def __init__(self, original: TextIO, other: Callable[[], TextIO]) -> None:
        super().__init__(original)
        self.original = original
        self.other = other
        self.users = 0

    @property
    def _stream(self) -> Any:
        diversion = _diversion.get()
        if diversion is None:
            return self.original
        return _Nothing() if diversion.discarded else self.other()


@contextmanager
def diverted(diversion: Diversion | None = None) -> Generator[None, None, None]:
    """What the code inside writes to `sys.stdout` goes to standard error, and `sys.stdin` is at its end for it.

    Other tasks and threads are left alone, those too that the code starts itself; `owned_output` catches these. The
    streams that the code puts into `sys` are taken out again, unless the diversion was discarded before.
    """
    diversion = diversion or Diversion()
    errors = _install("stderr")
    switches = {"stderr": errors, "stdout": _install("stdout", errors), "stdin": _install("stdin", other=io.StringIO)}
    token = _diversion.set(diversion)
    try:
        yield
    finally:
        _diversion.reset(token)
        for name, switch in switches.items():
            _remove(name, switch, put_back=not diversion.discarded)


@contextmanager
def owned_output() -> Generator[TextIO, None, None]:
    """Yields standard output to the caller alone: whatever else writes to it ends up on standard error.

    That holds for the file descriptor, and so for child processes and libraries in C. For front ends, around
    everything that may run an extension.
    """
    original, errors = sys.stdout, sys.stderr
    original.flush()
    sys.stdout = sys.stderr = cast("TextIO", _Lasting(errors))
    try:
        with _moved_input(), _moved_descriptor(original) as stream:
            yield stream
            stream.flush()
    finally:
        sys.stdout, sys.stderr = _usable(original, _OUT), _usable(errors, _ERR)


def _usable(stream: TextIO, descriptor: int) -> TextIO:
    """The stream, or another one in its place where an extension has closed it by `sys.__stdout__` or the like."""
    if not stream.closed:
        return stream
    return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


@contextmanager
def _moved_input() -> Generator[None, None, None]:
    """The descriptor of standard input is at its end, for child processes too; `sys.stdin` reads what it did."""
    original: object = sys.stdin
    try:
        kept = os.dup(_IN)
    except OSError:  # it is closed
        yield
        return
    _point_to_nothing(_IN)
    stream = _input_on(kept, original)
    sys.stdin = stream or sys.stdin
    try:
        yield
    finally:
        os.dup2(kept, _IN)
        sys.stdin = cast("TextIO", original)
        if stream is None:
            os.close(kept)
        else:
            stream.close()


def _point_to_nothing(descriptor: int) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)


def _input_on(descriptor: int, original: object) -> TextIO | None:
    """A stream like `original` on another descriptor; None where `original` does not read standard input's."""
    try:
        if not isinstance(original, io.TextIOWrapper) or original.fileno() != _IN:
            return None
    except (OSError, ValueError):  # replaced by something that is no file
        return None
    return open(descriptor, encoding=original.encoding, errors=original.errors)


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


def _install(name: str, errors: _Switch | None = None, other: Callable[[], TextIO] | None = None) -> _Switch:
    """The stream `sys.NAME` made a switch, to `other`, or to what `errors` stands in for, or else to itself."""
    with _lock:
        current: object = getattr(sys, name)
        if isinstance(current, _Switch):
            switch = current
        else:
            original = cast("TextIO", current)
            switch = _Switch(original, other or (lambda: errors.original if errors else original))
        switch.users += 1
        setattr(sys, name, switch)
        return switch


def _remove(name: str, switch: _Switch, *, put_back: bool) -> None:
    with _lock:
        switch.users -= 1
        if put_back or getattr(sys, name) is switch:
            setattr(sys, name, switch if switch.users else switch.original)
