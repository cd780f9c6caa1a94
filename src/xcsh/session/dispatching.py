"""Decides when a text is sent: at once, after what runs, or after what nothing may start during (S-4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from xcsh.session.message_queue import Queued
from xcsh.session.outbox import Held, Outbox, Waiting
from xcsh.session.preparing import Preparing
from xcsh.session.turn_runner import FinishedTurn
from xcsh.session.turns import Turns


class Dispatcher:
    """Begins turns, one after the other, of what waits in the outbox.

    A pause is when the history is being made shorter, and then until everything that was said in it has gone on.
    """

    def __init__(self, turns: Turns, outbox: Outbox, preparing: Preparing) -> None:
        self._turns = turns
        self._outbox = outbox
        self._preparing = preparing
        self._pause: asyncio.Future[None] | None = None
        self._work: asyncio.Task[bool] | None = None
        turns.on_completed = self._go_on_after_turn

    @property
    def is_paused(self) -> bool:
        """Whether what is said now is held, and has its turn in order."""
        return self._pause is not None

    @property
    def is_working(self) -> bool:
        """Whether something runs that nothing may start during."""
        return self._work is not None

    def send(self, entry: Held) -> asyncio.Future[FinishedTurn] | None:
        """Holds or queues a text, else begins a turn with it at once; then what will be known of that turn."""
        if self._pause is not None:
            self._outbox.hold(entry)
        elif self._turns.is_running:
            self._outbox.enqueue(entry)
        else:
            return self._turns.begin(entry)
        return None

    def send_now(self, entry: Waiting) -> bool:
        """Sends what waits at once, or before the next request of the turn; False where that cannot be."""
        if self._turns.is_running:
            return self._outbox.hasten(entry)
        if self._pause is not None or (taken := self._outbox.take(entry)) is None:
            return False
        self._begin(taken)
        return True

    async def pause_for(self, work: Callable[[], Coroutine[Any, Any, bool]]) -> bool:
        """Does something that nothing may start during, after what runs; what it returns, False where it is ended.

        False, too, where the same was being done already, which is waited for, or the session is closed meanwhile.
        """
        while (running := self._pause or self._turns.worker) is not None and not running.done():
            working = self.is_working
            await asyncio.wait({running})
            if working or self._turns.closed:
                return False
        self._begin_pause()
        task = self._work = asyncio.ensure_future(work())
        try:
            return await task
        except asyncio.CancelledError:
            if (current := asyncio.current_task()) is not None and current.cancelling():
                raise
            return False
        finally:
            self._work = None
            await self._end_pause()

    def cancel(self) -> set[asyncio.Future[Any]]:
        """Ends what nothing may start during; returns what is ending."""
        return {self._work} if self._work is not None and self._work.cancel() else set()

    async def wait_idle(self) -> None:
        """Returns when nothing runs, and nothing is about to begin."""
        while running := {each for each in (self._turns.worker, self._pause) if each is not None and not each.done()}:
            await asyncio.wait(running)

    async def _go_on_after_turn(self) -> None:
        if self._pause is not None:
            return
        if self._outbox.first_held is None:
            self._send_waiting()
        else:  # of an earlier process, or of a replay that was broken off
            self._begin_pause()
            await self._end_pause()

    def _begin_pause(self) -> None:
        self._pause = asyncio.get_running_loop().create_future()

    async def _end_pause(self) -> None:
        """What was held goes on, in order, and what is said meanwhile behind it."""
        try:
            while (entry := self._outbox.first_held) is not None and not self._turns.closed:
                prepared = await self._preparing.prepare_held(entry)
                if self._outbox.first_held is not entry or self._turns.closed:
                    continue  # it was taken back
                if prepared is None or prepared.text is None:
                    self._outbox.release(answered=True)
                else:
                    self._go_on(entry, entry._replace(text=prepared.text, command=prepared.command, expand=False))
        finally:
            pause, self._pause = self._pause, None
            if pause is not None:
                pause.set_result(None)
            self._send_waiting()

    def _go_on(self, held: Held, entry: Held) -> None:
        """The new text is written down before the old one is given up: after a crash one of them is there."""
        changed = entry.text != held.text
        if not self._turns.is_running and not self._outbox.queue.entries:
            if not changed:
                self._outbox.release(answered=False)
            self._turns.begin(entry)
            if changed:
                self._outbox.release(answered=True)
        else:
            self._outbox.enqueue(entry, acknowledged=not changed)
            self._outbox.release(answered=changed)
            self._send_waiting()

    def _send_waiting(self) -> None:
        if self._turns.is_running or self._work is not None or self._turns.closed:
            return
        if (entry := self._outbox.next()) is not None:
            self._begin(entry)

    def _begin(self, entry: Queued) -> None:
        self._turns.begin(Held(entry.kind, entry.text, entry.typed, expand=False, command=entry.command))
