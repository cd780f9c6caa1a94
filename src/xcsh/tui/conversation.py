"""The conversation behind a front end: its session's life, and what becomes of a text that was typed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from xcsh.errors import XcshError
from xcsh.session.audience import log_failure
from xcsh.tui.built_ins.aliases import called_by_alias
from xcsh.tui.built_ins.table import built_in, by_alias
from xcsh.tui.built_ins.typed_here import typed_here
from xcsh.tui.front_end import FrontEnd
from xcsh.tui.input.images import Inserted, mentions
from xcsh.tui.opening import Opening, OpenSession
from xcsh.tui.sending import Sending
from xcsh.tui.user_shell import ShellLine, UserShell, shell_line

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


_AT_ONCE = ("exit", "help")
"""Built-ins that need no session. Their aliases count then, too: no command of that name is known yet."""


class _Following(NamedTuple):
    """Which session comes next, and who waits for it."""

    opening: Opening
    arrived: asyncio.Future[AgentSession | None]


class Conversation:
    """Holds one session after the other. What is typed before it is open waits for it."""

    def __init__(self, open_session: OpenSession, front: FrontEnd, *, first: str = "") -> None:
        self._open_session = open_session
        self._front = front
        self._early: list[tuple[str, bool, Sequence[Inserted]]] = [(first, False, mentions(first))] if first else []
        self._next: asyncio.Queue[_Following | None] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._former: Opening | None = None  # to go back to, where another does not open
        self._shell = UserShell(os.environ)
        self._sending = Sending(front, lambda text, later, images: self.submit(text, later=later, images=images))
        self._watching: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()  # a session is open and is not being left
        self.session: AgentSession | None = None
        self.failure: XcshError | None = None

    @property
    def early(self) -> list[str]:
        """The texts that wait for the session to be open."""
        return [text for text, *_ in self._early]

    async def live(self) -> None:
        """From the first session to the last: each closes before the next opens. A failure of the first ends it all."""
        try:
            await self._live()
        finally:
            for task in self._tasks:  # a question that nobody will answer
                task.cancel()
        self._front.end()

    async def _live(self) -> None:
        opening: Opening | None = None
        arrived: asyncio.Future[AgentSession | None] | None = None
        while True:
            try:
                following = await self._one(opening, arrived)
            except XcshError as problem:
                if opening is None or (opening := self._former) is None:
                    self.failure = problem
                    break
                await self._front.say(_said(problem))
                _tell(arrived, None)
                self._former = arrived = None
                continue
            if following is None:
                break
            opening, arrived = following

    async def _one(
        self, opening: Opening | None, arrived: asyncio.Future[AgentSession | None] | None
    ) -> _Following | None:
        async with self._open_session(opening, self._front) as session:
            leave = session.subscribe(self._front.tell)
            watching = self._watching = asyncio.create_task(self._watch(session))
            try:
                self.session = session
                self._front.opened(session)
                self._front.status_changed()
                self._ready.set()
                _tell(arrived, session)
                early, self._early = self._early, []
                self._sending.was_told = bool(early)  # what of it is not sent says no more than that
                if (problem := session.model.problem) is not None:
                    await self._front.say(_said(problem))
                for text, later, images in early:
                    await self.submit(text, later=later, images=images)
                following = await self._next.get()
            finally:
                self._ready.clear()
                self.session = None
                leave()
                watching.cancel()
                await asyncio.wait({watching})
                await self._shell.end()
        self._former = Opening(session.context.registry.environment.cwd, session.id)
        return following

    async def _watch(self, session: AgentSession) -> None:
        """Reads rules and commands again when their files change (C-32)."""
        if session.context.registry.settings.get("discovery.watch") is not True:
            return
        from xcsh.session.watching import UnwatchableError, watch  # noqa: PLC0415 - not before the first paint

        try:
            await watch(lambda: session.context.registry, session.reload)
        except UnwatchableError as problem:
            await self._front.say(f"Changes of rules and commands are not noticed: {problem}\n/reload reads them again")
        except Exception as error:  # noqa: BLE001 - a mistake of ours: /reload is still there
            log_failure("watching the files", error)

    async def submit(self, text: str, *, later: bool = False, images: Sequence[Inserted] = ()) -> None:
        """Does what a text asks for: a built-in at once, everything else goes to the session (S-21).

        What needs a session waits for it. `images`: what in the text stands for one.
        """
        called = built_in(text)
        if called is None:
            called = called_by_alias(text, self.session.context) if self.session is not None else by_alias(text)
        if called is not None and (self.session is not None or called[0].name in _AT_ONCE):
            from xcsh.tui.built_ins.running import BuiltIns  # noqa: PLC0415 - not before the first paint

            self._run(BuiltIns(self, self._front).run(*called))
        elif self.session is None:
            self._early.append((text, later, images))
            self._front.status_changed()
        elif (line := shell_line(text)) is not None:
            self._run(self._run_shell(self.session, line))
        else:
            self._run(self._sending.send(self.session, text, later=later, images=images))

    async def _run_shell(self, session: AgentSession, line: ShellLine) -> None:
        """Runs a command of the user. The model is told of it with the next prompt, unless it is private."""
        told = "the model is not told" if line.private else "the model is told with your next prompt"
        await self._front.say(f"$ {line.command}")
        cwd = session.context.registry.environment.cwd
        result = await self._shell.run(line.command, cwd, self._front.say)
        await self._front.say(f"{result.ending or 'done'}; {told}")
        if not line.private:
            session.note(result.note)

    def _run(self, work: Awaitable[object]) -> None:
        task = asyncio.create_task(self._told(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _told(self, work: Awaitable[object]) -> None:
        """Waits for some work. What goes wrong is said, and the conversation goes on."""
        try:
            await work
        except XcshError as problem:
            await self._front.say(_said(problem))
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not take what was typed with it
            log_failure("what was typed", error)
            await self._front.say(f"that failed: {type(error).__name__}: {error}")

    async def interrupt(self) -> bool:
        """Ends what runs; the queue is kept. False where nothing runs."""
        if await self._shell.end():
            return True
        session = self.session
        if session is None or not (session.is_streaming or session.is_compacting):
            return False
        await session.abort()
        return True

    async def settled(self) -> None:
        """Returns when a session is open and nothing that was typed is being done any more."""
        while True:
            await self._ready.wait()
            if self._tasks:
                await asyncio.wait(set(self._tasks))
            elif self.session is not None:
                await self.session.wait_idle()
                if self._ready.is_set() and not self._tasks:
                    return

    async def reopen(self, opening: Opening) -> AgentSession | None:
        """Leaves the session for another. What runs is ended, and what waits stays with the session that is left.

        Returns the other when it is open; None where it did not open, which is said, and the former is opened again.
        """
        arrived: asyncio.Future[AgentSession | None] = asyncio.get_running_loop().create_future()
        self._ready.clear()
        self._next.put_nowait(_Following(opening, arrived))
        return await arrived

    def leave(self) -> None:
        """Ends the session, then the front end."""
        self._next.put_nowait(None)
        if self.session is None:
            self._front.end()


def _tell(arrived: asyncio.Future[AgentSession | None] | None, session: AgentSession | None) -> None:
    if arrived is not None and not arrived.done():
        arrived.set_result(session)


def _said(problem: XcshError) -> str:
    hint = typed_here(str(getattr(problem, "hint", "")))
    return f"{problem}\n{hint}" if hint else str(problem)
