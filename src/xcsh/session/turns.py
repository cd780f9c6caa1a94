"""Runs turns, one at a time, and has the history that they make."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from pydantic_ai import CancellationToken
from pydantic_ai.messages import ModelMessage

from xcsh.session.audience import log_failure
from xcsh.session.command_turn import CommandTurns
from xcsh.session.measuring import used_in
from xcsh.session.outbox import Held, Outbox
from xcsh.session.parts import Before
from xcsh.session.recording import Recording
from xcsh.session.turn_runner import FinishedTurn, Turn, TurnRunner


class _Running(NamedTuple):
    turn: Turn
    answer: asyncio.Future[FinishedTurn]


class Turns:
    """The turns of a conversation, and its history between them.

    `on_end` is called when a turn has ended, before its result is known; `on_completed` after one that was answered,
    to go on with what waits. Once `closed` is set, nothing that waits is to be begun.
    """

    def __init__(
        self,
        runner: TurnRunner,
        commands: CommandTurns,
        outbox: Outbox,
        recording: Recording,
        before: Before,
    ) -> None:
        self.messages = list(before.history)
        self.used = before.used if before.used is not None else used_in(before.history)
        self.closed = False
        self.on_end: Callable[[], None] = lambda: None
        self.on_completed: Callable[[], Awaitable[None]] | None = None
        self._runner = runner
        self._commands = commands
        self._outbox = outbox
        self._recording = recording
        self._count = before.turns
        self._running: _Running | None = None
        self._worker: asyncio.Task[None] | None = None
        self._opening = False  # what the command wants is being asked about

    @property
    def is_running(self) -> bool:
        """Whether a turn runs."""
        return self._running is not None

    @property
    def worker(self) -> asyncio.Task[None] | None:
        """What runs the turn, or goes on after it; None where nothing does."""
        return self._worker if self._worker is not None and not self._worker.done() else None

    def adopt(self, shorter: list[ModelMessage]) -> None:
        """Puts another history in the place of the one that there is."""
        self.messages = shorter
        self._recording.messages(shorter)

    def begin(self, entry: Held) -> asyncio.Future[FinishedTurn]:
        """Starts a turn, where none runs. Nothing is awaited, so that no other turn comes between."""
        self._count += 1
        turn = Turn(self._count, entry.text, entry.typed, CancellationToken(), entry.command)
        running = self._running = _Running(turn, asyncio.get_running_loop().create_future())
        self._recording.prompt(entry.text)
        self._worker = asyncio.create_task(self._work(running))
        return running.answer

    def cancel(self) -> set[asyncio.Future[Any]]:
        """Ends the turn that runs; returns what is ending."""
        if self._running is None:
            return set()
        self._running.turn.token.cancel()
        if self._opening and self._worker is not None:
            self._worker.cancel()
        return {self._running.answer}

    async def stop(self) -> None:
        """Ends whatever goes on, at once."""
        if (worker := self.worker) is not None:
            worker.cancel()
            await asyncio.wait({worker})

    async def _work(self, running: _Running) -> None:
        turn, answer = running
        result: FinishedTurn | None = None
        try:
            self._opening = True  # for as long as the user likes
            async with self._commands.around(turn.command) as model:
                self._opening = False
                result = await self._runner.run(turn, self.messages, model)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._opening or task is None:
                answer.cancel()
                raise
            task.uncancel()
            result = self._runner.aborted(turn, self.messages)
        except Exception as error:  # noqa: BLE001 - a mistake of ours: it is told, and nothing of the user's is lost
            log_failure(f"turn {turn.number}", error)
            result = result or self._runner.failed(turn, self.messages, error)
        finally:
            self._running, self._opening = None, False
        self.on_end()
        self._outbox.settle(self.messages, result.messages)
        self.messages = result.messages
        self.used = self.used.plus(result.used)
        if not answer.done():
            answer.set_result(result)
        if result.outcome == "completed" and self.on_completed is not None:
            await self.on_completed()
