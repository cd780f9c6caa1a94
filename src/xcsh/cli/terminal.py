"""The terminal of a conversation: what is wanted of it, who ends it from outside, and that it is given back."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from xcsh.cli.lasting_stream import LastingStream

if TYPE_CHECKING:
    import argparse
    from types import FrameType

FULL, INLINE, PLAIN = "full", "inline", "plain"
_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")
_PATIENCE = 5.0
"""Seconds that a conversation has to end by itself after the first signal."""

_AT_ONCE = 1.0
"""Seconds within which another signal is the same one: a terminal that is closed sends several."""

_LEAVE = "\x1b[?2004l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[?7h"
"""No pasting mode, no mouse, plain keys, the normal screen, a cursor, no reports of focus, lines that wrap."""

_INTERRUPTED = 130


class Wanted(NamedTuple):
    """How the conversation is to be shown: the mode, the theme, and why the mode is not the one that was asked for."""

    mode: str
    theme: str
    why: str = ""


def wanted(args: argparse.Namespace) -> Wanted:
    """What the flags say, else the settings `terminal.mode` and `terminal.theme`; a dumb terminal has plain mode."""
    values = _settings(args)
    mode, theme = str(values["terminal.mode"]), str(values["terminal.theme"])
    if args.mode:
        return Wanted(args.mode, theme)
    if mode != PLAIN and os.environ.get("TERM", "dumb") in ("dumb", "unknown", ""):
        return Wanted(PLAIN, theme, "this terminal cannot move its cursor (TERM), so this is the plain mode")
    return Wanted(mode, theme)


def _settings(args: argparse.Namespace) -> dict[str, object]:
    """The settings, where anything is said anywhere: reading them loads a parser, and the screen waits for it."""
    from xcsh.model.settings import PREFIX, defaults

    places = (os.path.join(args.home, ".xcsh", "agent"), os.path.join(args.cwd, ".xcsh"))
    said = any(os.path.lexists(os.path.join(place, "settings.toml")) for place in places)
    if not (said or args.settings or any(name.startswith(f"{PREFIX}TERMINAL_") for name in os.environ)):
        return defaults()
    from xcsh.sources.filesystem import make_environment
    from xcsh.sources.settings.given import with_given
    from xcsh.sources.settings.reading import load_settings

    environment = with_given(make_environment(args.cwd, args.home), os.environ, args.settings)
    return load_settings(environment, lambda _: None).user  # discovery reads them again, and reports


class Ended(NamedTuple):
    """Which signals have come."""

    signals: list[int]

    def __bool__(self) -> bool:
        return bool(self.signals)


@contextmanager
def given_back(leave: Callable[[], None], interrupt: Callable[[], None] | None = None) -> Generator[Ended]:
    """Inside, a conversation has the terminal; afterwards its modes are what they were, whatever happened.

    SIGTERM, SIGHUP and SIGINT call `leave` in the event loop (SIGINT `interrupt`, where that is given), and so does a
    terminal that takes no more text. Where the conversation does not end within some seconds, or another signal comes,
    the process ends with 130 at once.
    """
    modes = _modes()
    ended = Ended([])
    first: list[float] = []

    def end(number: int, _: FrameType | None = None) -> None:
        if number == signal.SIGINT and interrupt is not None:
            _in_loop(interrupt)
            return
        if first and time.monotonic() - first[0] > _AT_ONCE:
            _stop(modes)
        if not first:
            first.append(time.monotonic())
            ended.signals.append(number)
            patience = threading.Timer(_PATIENCE, _stop, (modes,))
            patience.daemon = True
            patience.start()
            _in_loop(leave)

    with _handled(end), _lasting_output():
        try:
            yield ended
        finally:
            _restore(modes)


def _in_loop(call: Callable[[], None]) -> None:
    """Calls something in the event loop that the signal has come to; without one the program has not begun yet."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise KeyboardInterrupt from None
    loop.call_soon_threadsafe(call)


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Generator[None]:
    numbers = [number for name in _SIGNALS if (number := getattr(signal, name, None)) is not None]
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier if earlier is not None else signal.SIG_DFL)


@contextmanager
def _lasting_output() -> Generator[None]:
    """The stream that the framework writes to: one that fails would stop the thread that writes, then everything.

    A terminal that takes no more text has hung up, also where no signal says so.
    """
    original = sys.__stderr__
    if original is None or not hasattr(signal, "SIGHUP"):
        yield
        return
    stream: Any = LastingStream(original, lambda: os.kill(os.getpid(), signal.SIGHUP))
    sys.__stderr__ = cast("TextIO", stream)  # pyright: ignore[reportConstantRedefinition]
    try:
        yield
    finally:
        sys.__stderr__ = original  # pyright: ignore[reportConstantRedefinition]


def _modes() -> list[Any] | None:
    try:
        import termios

        return termios.tcgetattr(0)
    except (ImportError, OSError):
        return None
    except Exception as error:  # noqa: BLE001 - termios.error is none of the usual ones
        del error
        return None


def _restore(modes: list[Any] | None) -> None:
    if modes is None:
        return
    import termios

    with suppress(termios.error):
        if termios.tcgetattr(0) != modes:
            termios.tcsetattr(0, termios.TCSANOW, modes)


def _stop(modes: list[Any] | None) -> None:
    """Ends the process at once. What was said is in the session's file already, line by line."""
    _restore(modes)
    if modes is not None:
        with suppress(OSError):
            os.write(2, _LEAVE.encode())
    os._exit(_INTERRUPTED)
