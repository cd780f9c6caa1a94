"""The program on a pseudo-terminal, in a process that is forked: everything is imported already."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
import traceback
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

from xcsh.cli.main import main

PATIENCE = 30.0
LEFT = b"\x1b[?1049l"
"""The normal screen again."""


class Terminal:
    """What a person sees and types: the master of a pseudo-terminal, and the program at its other end.

    The test holds the slave too, so that the terminal stays, as a shell's does; `hang_up` lets go of both.
    """

    def __init__(self, run: Callable[[], int], size: tuple[int, int], *, leader: bool) -> None:
        self.seen = b""
        self._master, self._slave = pty.openpty()
        self._report, writing = os.pipe()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.modes = termios.tcgetattr(self._slave)
        self.shell = _forked(lambda: _in_session(self, run, writing, leader=leader))
        os.close(writing)
        self.code: int | None = None

    @property
    def slave(self) -> int:
        return self._slave

    @property
    def modes_now(self) -> list[Any]:
        return termios.tcgetattr(self._slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, text: str, *, since: int = 0) -> None:
        """Reads on until the program has written a text."""
        until = time.monotonic() + PATIENCE
        while text.encode() not in self.seen[since:]:
            assert time.monotonic() < until, f"{text!r} did not come: {self.seen[-2000:]!r}"
            assert self.read(), f"the program ended before {text!r}: {self.seen[-2000:]!r}"

    def read(self) -> bool:
        """Takes what is there; False when the program has ended and all is read."""
        ready, _, _ = select.select([self._master, self._report], [], [], 1)
        if self._master in ready:
            self.seen += os.read(self._master, 65_536)
        elif self._report in ready:
            return False
        return True

    def read_rest(self) -> None:
        while select.select([self._master], [], [], 0)[0]:
            self.seen += os.read(self._master, 65_536)

    def hang_up(self) -> None:
        os.close(self._slave)
        os.close(self._master)
        self._slave = self._master = -1

    def signal(self, number: int) -> None:
        os.killpg(self.shell, number)

    def end(self) -> int:
        """Waits for the end of the program; its exit code."""
        until = time.monotonic() + PATIENCE
        while self._master >= 0 and self.read():
            assert time.monotonic() < until, f"it does not end: {self.seen[-2000:]!r}"
        ready, _, _ = select.select([self._report], [], [], PATIENCE)
        assert ready, "it does not end"
        self.code = int(os.read(self._report, 100) or b"-1")
        return self.code

    def close(self) -> None:
        if self.code is None:
            with suppress(ProcessLookupError):
                os.killpg(self.shell, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.shell, 0)
        for descriptor in (self._master, self._slave, self._report):
            if descriptor >= 0:
                os.close(descriptor)


@contextmanager
def on_a_terminal(
    *arguments: str,
    home: str,
    size: tuple[int, int] = (100, 30),
    leader: bool = True,
    environment: dict[str, str] | None = None,
    before: Callable[[], None] = lambda: None,
) -> Generator[Terminal]:
    """Starts `xcsh ARGUMENTS`. `leader`: the program leads its session; else a process before it does, as a shell.

    `before` is called in the program's process, first.
    """

    def run() -> int:
        os.environ.update({"HOME": home, "TERM": "xterm-256color", "OLLAMA_HOST": "127.0.0.1:9", **(environment or {})})
        before()
        return main(arguments)

    terminal = Terminal(run, size, leader=leader)
    try:
        yield terminal
    finally:
        terminal.close()


def _in_session(terminal: Terminal, run: Callable[[], int], report: int, *, leader: bool) -> None:
    os.setsid()
    fcntl.ioctl(terminal.slave, termios.TIOCSCTTY, 0)
    for number in (0, 1, 2):
        os.dup2(terminal.slave, number)
    os.closerange(3, report)
    os.closerange(report + 1, 256)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.FileIO(0, closefd=False))  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), write_through=True)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), write_through=True)  # type: ignore[misc]
    if not leader and (program := os.fork()):
        os.waitpid(program, 0)
        return
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    code = run()
    os.write(report, b"%d" % code)


def _forked(work: Callable[[], None]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads, from Python 3.12 on
        pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    except BaseException:  # noqa: BLE001 - a process of the test's own, which must not go on as pytest
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(code)
