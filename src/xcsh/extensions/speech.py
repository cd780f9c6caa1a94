"""Brings what a handler says, from whatever thread and however late, to the program that shows it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import copy_context


class Speech:
    """What one handler says. `show` runs in the program's event loop, by way of `schedule`, while there is one."""

    def __init__(self, show: Callable[[str], None], schedule: Callable[..., object]) -> None:
        self._show = show
        self._schedule = schedule
        self._context = copy_context()
        self.failures: list[BaseException] = []
        """What `show` raised, for the caller of the handler, until `over`."""
        self.over = False

    def say(self, text: object) -> None:
        """Shows a text. TypeError: it is none."""
        if not isinstance(text, str):
            raise TypeError(f"say() takes a text, not {type(text).__name__}")
        plain = str.__str__(text)
        try:
            self._schedule(self._deliver, plain, context=self._context)
        except RuntimeError:  # the event loop is closed, and the program about to end
            self._deliver(plain)

    def _deliver(self, text: str) -> None:
        try:
            self._show(text)
        except BaseException as error:  # noqa: BLE001 - it is raised where the handler was called
            if not self.over:
                self.failures.append(error)
            elif not isinstance(error, BrokenPipeError):
                sys.stderr.write(f"xcsh: what a command said too late could not be shown: {error}\n")
