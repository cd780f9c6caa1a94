"""Reads what is typed by lines, in a thread: on a terminal with history and completion, elsewhere from a pipe."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TextIO

_BLOCK = 65_536


class InputLines:
    """Lines of standard input, each when it is asked for. What a thread has begun to read is given to who asks next."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self.is_terminal = source.isatty()
        self._asked: SimpleQueue[None] = SimpleQueue()
        self._line: asyncio.Future[str | None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pending = b""
        self._ended = False
        self._readline = _readline() if self.is_terminal else None

    async def next(self) -> str | None:
        """The next line without its end; None at the end of the input. Whoever is cancelled has taken nothing."""
        if self._ended:
            return None
        if self._line is None:
            if self._loop is None:
                self._loop = asyncio.get_running_loop()
                threading.Thread(target=self._serve, daemon=True, name="xcsh-input").start()
            self._line = self._loop.create_future()
            self._asked.put(None)
        line = await asyncio.shield(self._line)
        self._line = None
        self._ended = line is None
        return line

    def remember(self, texts: Sequence[str]) -> None:
        """Puts texts into the history, oldest first."""
        readline = self._readline
        if readline is not None:
            for text in texts:
                if "\n" not in text:
                    readline.add_history(text)

    def complete_with(self, complete: Callable[[str, int], tuple[int, Sequence[str]]]) -> None:
        """Completes by a function: of a text and the place in it, where the word begins and what it may become."""
        if self._readline is not None:
            _install(self._readline, complete)

    def put(self, text: str) -> bool:
        """Has the next line begin with a text; False where that cannot be done."""
        readline = self._readline
        if readline is None or "\n" in text or self._line is not None:
            return False

        def insert() -> None:
            readline.insert_text(text)
            readline.set_startup_hook(None)

        readline.set_startup_hook(insert)
        return True

    def _serve(self) -> None:
        if hasattr(signal, "pthread_sigmask"):  # signals are the main thread's
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        while True:
            self._asked.get()
            line = self._read()
            loop, waiting = self._loop, self._line
            if loop is None or waiting is None:
                return
            try:
                loop.call_soon_threadsafe(_give, waiting, line)
            except RuntimeError:  # the conversation is over
                return
            if line is None:
                return

    def _read(self) -> str | None:
        try:
            if self._readline is not None:
                return input()
            return self._read_bytes()
        except (EOFError, OSError, ValueError):
            return None

    def _read_bytes(self) -> str | None:
        """From the descriptor itself: a stream that waits in a thread could not be closed at the end."""
        while b"\n" not in self._pending:
            block = os.read(self._source.fileno(), _BLOCK)
            if not block:
                rest, self._pending = self._pending, b""
                return rest.decode("utf-8", "replace") if rest else None
            self._pending += block
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")


def _give(waiting: asyncio.Future[str | None], line: str | None) -> None:
    if not waiting.done():
        waiting.set_result(line)


def _readline() -> Any:
    """The module that edits lines; None where there is none, or where somebody else reads."""
    with suppress(ImportError):
        import readline  # noqa: PLC0415 - where there is one

        readline.set_auto_history(False)
        return readline
    return None


def _install(readline: Any, complete: Callable[[str, int], tuple[int, Sequence[str]]]) -> None:
    found: list[str] = []

    def next_match(_: str, state: int) -> str | None:
        if state == 0:
            begin = readline.get_begidx()
            start, texts = complete(readline.get_line_buffer(), readline.get_endidx())
            found[:] = [text[begin - start :] for text in texts if start <= begin]
        return found[state] if state < len(found) else None

    readline.set_completer_delims(" \t\n")
    readline.set_completer(next_match)
    editline = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if editline else "tab: complete")
