"""Runs a conversation by lines: what is typed is said to it, and it is over at the end of the input."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

from xcsh.surfaces.layout import Style
from xcsh.tui.conversation import Conversation
from xcsh.tui.input.images import mentions
from xcsh.tui.opening import OpenSession
from xcsh.tui.plain.front import PlainFront
from xcsh.tui.plain.input_lines import InputLines
from xcsh.tui.plain.remembered import Remembered
from xcsh.tui.plain.spoken import Spoken

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

_LATER = "/later "
_READY = "Ready."
_FIRST = (
    "Ready. Type a message and Enter; a backslash at the end of a line goes on in the next. While an answer comes, "
    "a line steers it, /later TEXT waits for its end, Ctrl+C interrupts it. /help lists the commands, /exit leaves."
)


class PlainMode:
    """A conversation by lines. On a terminal a line may be typed while a turn runs; from a pipe, one is read after it.

    `failure` is what ended it, for whoever runs it to tell.
    """

    def __init__(
        self,
        open_session: OpenSession,
        source: TextIO,
        out: TextIO,
        *,
        style: Style,
        environ: Mapping[str, str],
        first: str = "",
    ) -> None:
        self._lines = InputLines(source)
        self._spoken = Spoken(out)
        self._remembered = Remembered(self._lines, environ)
        self._front = PlainFront(self._spoken, self._lines, style, environ=environ, on_open=self._opened)
        self.conversation = Conversation(open_session, self._front, first=first)
        self._greeted = False
        self._busy: set[asyncio.Task[None]] = set()
        self.failure: Exception | None = None

    async def run(self) -> None:
        """From the first session to the last."""
        life = asyncio.create_task(self.conversation.live())
        typing = asyncio.create_task(self._type())
        await asyncio.wait({life, typing}, return_when=asyncio.FIRST_COMPLETED)
        if typing.done() and not life.done():
            self.conversation.leave()
            await asyncio.wait({life})
        typing.cancel()
        await asyncio.wait({typing})
        for task in (life, typing):
            if not task.cancelled() and isinstance(error := task.exception(), Exception):
                self.failure = self.failure or error
        self.failure = self.failure or self.conversation.failure

    def leave(self) -> None:
        """Ends the session, then the conversation."""
        self.conversation.leave()

    def interrupt(self) -> None:
        """Ctrl+C: ends the turn; where none runs, the open question, else the conversation."""
        task = asyncio.create_task(self._interrupt())
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)

    async def _interrupt(self) -> None:
        if not await self.conversation.interrupt() and not self._front.give(""):
            self.conversation.leave()

    def _opened(self, session: AgentSession) -> None:
        self._remembered.opened(session)

    async def _type(self) -> None:
        """Reads lines until their end, and does what each asks for."""
        while True:
            await self._may_read()
            ready = asyncio.create_task(self._say_ready())
            try:
                text = await self._text()
            finally:
                await _ended(ready)
            if self._front.give(text):
                continue
            if text is None:
                return
            if text.strip():
                self._remembered.add(text)
                wanted = text.removeprefix(_LATER)
                await self.conversation.submit(wanted.strip(), later=wanted != text, images=mentions(text))

    async def _may_read(self) -> None:
        """Waits until a line is wanted: nothing runs, a question is open, or a turn runs that may be steered."""
        settled = asyncio.create_task(self.conversation.settled())
        typing = asyncio.create_task(self._front.may_type.wait())
        try:
            await asyncio.wait({settled, typing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _ended(settled, typing)

    async def _say_ready(self) -> None:
        """Says that nothing runs any more; a prompt in the line would be in the way of what is written meanwhile."""
        if self._lines.is_terminal:
            await self.conversation.settled()
            self._spoken.say(_READY if self._greeted else _FIRST)
            self._greeted = True

    async def _text(self) -> str | None:
        """One line, or several of which all but the last end with a backslash."""
        parts: list[str] = []
        while True:
            line = await self._lines.next()
            if line is None:
                return "\n".join(parts) if parts else None
            if not line.endswith("\\"):
                return "\n".join([*parts, line])
            parts.append(line[:-1])


async def _ended(*tasks: asyncio.Task[object]) -> None:
    """Ends tasks that only wait."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
