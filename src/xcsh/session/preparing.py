"""Runs the prompt pipeline over a session's texts, so that whoever waits for a command can end it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from xcsh.errors import XcshError
from xcsh.session.events import CommandHandled, Notice, Sink
from xcsh.session.message_queue import Kind
from xcsh.session.outbox import Held
from xcsh.session.prompt_pipeline import Prepared, PromptContext, prepare, stage_for
from xcsh.session.results import PromptResult


class Preparing:
    """`context` is asked for anew each time: it changes with a reload."""

    def __init__(self, context: Callable[[], PromptContext], emit: Sink) -> None:
        self._context = context
        self._emit = emit
        self._running: set[asyncio.Task[Prepared]] = set()

    async def prepare(self, text: str, *, expand: bool = True) -> Prepared | None:
        """What the pipeline makes of a text; None where the user has ended the command that it called."""
        context = self._context()
        if not expand or stage_for(text, context) is None:
            return Prepared(text)  # at once, so that there is nothing to end
        task = asyncio.ensure_future(prepare(text, context))
        self._running.add(task)
        try:
            prepared = await task
        except asyncio.CancelledError:
            if (current := asyncio.current_task()) is not None and current.cancelling():
                raise
            self._emit(Notice(f"{text.strip().partition(chr(10))[0]} was ended before it was done"))
            return None
        finally:
            self._running.discard(task)
        if prepared.text is None:
            self._emit(CommandHandled(prepared.handled_by or "", text))
        return prepared

    async def entry(self, kind: Kind, text: str, *, expand: bool) -> Held | PromptResult:
        """What of a text is to be sent; where nothing is, what has become of it."""
        prepared = await self.prepare(text, expand=expand)
        if prepared is None or prepared.text is None:
            return PromptResult("aborted" if prepared is None else "handled")
        return Held(kind, prepared.text, text, expand=False, command=prepared.command)

    async def prepare_held(self, entry: Held) -> Prepared | None:
        """As `prepare`; what goes wrong is told, since whoever typed it is not waiting any more."""
        if not entry.expand:
            return Prepared(entry.text, command=entry.command)
        try:
            return await self.prepare(entry.text)
        except XcshError as error:
            hint = str(getattr(error, "hint", ""))
            self._emit(Notice(f"{error}; {hint}" if hint else str(error)))
            return None

    def cancel(self) -> set[asyncio.Task[Prepared]]:
        """Ends every command that runs; returns what is ending."""
        return {task for task in self._running if task.cancel()}
