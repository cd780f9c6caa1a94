"""What was typed before, and what may be meant by what is being typed: for the keys of the line editor."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from xcsh.tui.input.candidates import built_in_candidates
from xcsh.tui.input.commands import commands_of
from xcsh.tui.input.completion import Sources, complete
from xcsh.tui.input.history import append_history, history_file, read_history
from xcsh.tui.plain.input_lines import InputLines

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


class Remembered:
    """The history of a folder and the completion of its commands; on a pipe neither is of use."""

    def __init__(self, lines: InputLines, environ: Mapping[str, str]) -> None:
        self._lines = lines
        self._environ = environ
        self._path = ""
        self._last = ""
        self._sources = Sources(built_in_candidates())
        self._tasks: set[asyncio.Task[None]] = set()
        lines.complete_with(self._complete)

    def opened(self, session: AgentSession) -> None:
        """Takes over the commands and the history of a session's folder."""
        if not self._lines.is_terminal:
            return
        self._sources = Sources(commands_of(session.context))
        environment = session.context.registry.environment
        path = history_file(self._environ, environment.home, environment.cwd)
        if path != self._path:
            self._path = path
            self._start(self._load(path))

    def add(self, text: str) -> None:
        """A text was typed."""
        if not self._lines.is_terminal or text.startswith(" ") or text == self._last:
            return
        self._last = text
        self._lines.remember([text])
        if self._path:
            self._start(self._append(self._path, text))

    async def _load(self, path: str) -> None:
        self._lines.remember(await asyncio.to_thread(read_history, path))

    async def _append(self, path: str, text: str) -> None:
        with suppress(OSError):  # as in the application: what cannot be kept is no reason to stop
            await asyncio.to_thread(append_history, path, text)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _complete(self, text: str, cursor: int) -> tuple[int, Sequence[str]]:
        found = complete(text, cursor, self._sources)
        return found.span[0], [item.text + ("" if item.more else " ") for item in found.candidates]
