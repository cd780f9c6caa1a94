"""What happens in a session, shown by the parts of the screen one event after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xcsh.session.events import QueueChanged, SessionEvent
from xcsh.tui.status import Heading
from xcsh.tui.status_line import StatusLine
from xcsh.tui.transcript.transcript import Transcript
from xcsh.tui.waiting import Waiting

if TYPE_CHECKING:
    from textual.app import App

    from xcsh.session.agent_session import AgentSession


class _Opened(NamedTuple):
    session: AgentSession


class _Said(NamedTuple):
    text: str


class EventsShown:
    """Events wait here for their turn: showing one may take longer than the next one takes to come."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._events: asyncio.Queue[SessionEvent | _Opened | _Said] = asyncio.Queue()

    def open(self, session: AgentSession) -> None:
        """Another session, after the events before it."""
        self._events.put_nowait(_Opened(session))

    def show(self, event: SessionEvent) -> None:
        """One more event."""
        self._events.put_nowait(event)

    def say(self, text: str) -> None:
        """A text of the application, after the events before it: those of another session take the transcript away."""
        self._events.put_nowait(_Said(text))

    async def run(self) -> None:
        """Shows what comes, until it is cancelled."""
        screen = self._app.screen_stack[0]
        heading, transcript = screen.query_one(Heading), screen.query_one(Transcript)
        line = screen.query_one(StatusLine)
        while True:
            event = await self._events.get()
            if isinstance(event, _Opened):
                line.begin_anew()
                screen.query_one(Waiting).open(event.session)
                self.waiting((), opening=False)
                await transcript.open(event.session)
                await heading.open(event.session)
                continue
            if isinstance(event, _Said):
                await transcript.say(event.text)
                continue
            line.follow(event)
            await heading.show(event)
            if isinstance(event, QueueChanged):
                screen.query_one(Waiting).queue(event)
                self.waiting((), opening=False)
            await transcript.show(event)

    def waiting(self, early: Sequence[str], *, opening: bool) -> None:
        """Shows what waits; `early`: for a session that is `opening`."""
        screen = self._app.screen_stack[0]
        waiting = screen.query_one(Waiting)
        if opening:
            waiting.early(early)
        screen.query_one(StatusLine).set_waiting(waiting.count, opening=opening)
