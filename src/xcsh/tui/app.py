"""The application: a transcript, a prompt with completion, and a session that opens behind the first paint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option

from xcsh.agent.consent.request import Answer, ConsentRequest
from xcsh.errors import XcshError
from xcsh.session.events import QueueChanged, SessionEvent
from xcsh.surfaces.layout import visible
from xcsh.tui.actions import Actions
from xcsh.tui.built_ins import built_in
from xcsh.tui.completion import Candidate, commands_of, complete
from xcsh.tui.consent_dialog import ConsentDialog
from xcsh.tui.prompt_area import PromptArea
from xcsh.tui.transcript import Transcript

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

OpenSession = Callable[["ChatApp"], "AbstractAsyncContextManager[AgentSession]"]
"""Opens the session; the application answers its questions about consent."""

_KEYS = "Enter send · Alt+Enter queue · Esc interrupt · /help"


class ChatApp(App[None]):
    """A conversation in the terminal. Nothing of the agent is loaded before the first paint."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+c", "interrupt_or_exit", "interrupt"), ("ctrl+d", "leave", "exit")]

    def __init__(self, open_session: OpenSession, *, title: str = "", first: str = "") -> None:
        super().__init__()
        self._open_session = open_session
        self._early = [(first, False)] if first else []
        self._heading = title
        self._events: asyncio.Queue[SessionEvent] = asyncio.Queue()
        self._leave = asyncio.Event()
        self._candidates: list[Candidate] = []
        self._waiting = 0
        self.session: AgentSession | None = None
        self.failure: XcshError | None = None

    def compose(self) -> ComposeResult:
        yield Static(visible(self._heading), id="heading", markup=False)
        yield Transcript(id="transcript")
        yield OptionList(id="popup")
        yield PromptArea()
        yield Static(_KEYS, id="status", markup=False)

    @property
    def transcript(self) -> Transcript:
        """The conversation on the screen."""
        return self.query_one(Transcript)

    @property
    def prompt(self) -> PromptArea:
        """Where the user types."""
        return self.query_one(PromptArea)

    def on_mount(self) -> None:
        """Paints first; the session opens after it."""
        self.prompt.focus()
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        self._tell_status()
        self.run_worker(self._live(), exclusive=True, group="session", exit_on_error=False)
        self.run_worker(self._show_events(), group="events")

    async def _live(self) -> None:
        """The session's life: it closes when the application is left, whatever runs."""
        try:
            async with self._open_session(self) as session:
                session.subscribe(self._events.put_nowait)
                self.session = session
                self._candidates = commands_of(session.context)
                self._tell_status()
                early, self._early = self._early, []
                for text, later in early:
                    await self.submit(text, later=later)
                await self._leave.wait()
        except XcshError as problem:
            self.failure = problem
        self.exit()

    async def _show_events(self) -> None:
        while True:
            event = await self._events.get()
            if isinstance(event, QueueChanged):
                self._waiting = len(event.steering) + len(event.follow_ups)
            await self.transcript.show(event)
            self._tell_status()

    async def ask(self, request: ConsentRequest) -> Answer:
        """Shows a question about consent and waits for its answer."""
        return await self.push_screen_wait(ConsentDialog(request))

    @on(PromptArea.Submitted)
    async def _submitted(self, event: PromptArea.Submitted) -> None:
        self._close_popup()
        await self.submit(event.text, later=event.later)

    async def submit(self, text: str, *, later: bool) -> None:
        """Does what a text asks for: a built-in at once, everything else goes to the session."""
        called = built_in(text)
        session = self.session
        if called is not None:
            self.run_worker(Actions(self).run(*called), exit_on_error=False)
        elif session is None:
            self._early.append((text, later))
            self._tell_status()
        else:
            self.run_worker(self._prompt(session, text, later=later), exit_on_error=False)

    async def _prompt(self, session: AgentSession, text: str, *, later: bool) -> None:
        try:
            await session.prompt(text, streaming_behavior="follow_up" if later else "steer")
        except XcshError as problem:
            await self.transcript.say(str(problem))

    @on(PromptArea.Asked)
    async def _asked(self, event: PromptArea.Asked) -> None:
        popup = self.query_one("#popup", OptionList)
        if event.what == "interrupt":
            if self.prompt.popup_is_open:
                self._close_popup()
            else:
                await self.action_interrupt()
        elif event.what == "complete":
            self._complete()
        elif event.what == "up":
            popup.action_cursor_up()
        else:
            popup.action_cursor_down()

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        popup = self.query_one("#popup", OptionList)
        found = complete(event.text_area.text, self._candidates)
        popup.clear_options()
        popup.add_options([Option(_shown(item), id=item.text) for item in found])
        self.prompt.popup_is_open = bool(found)
        popup.set_class(bool(found), "-open")
        if found:
            popup.highlighted = 0

    def _complete(self) -> None:
        popup = self.query_one("#popup", OptionList)
        if self.prompt.popup_is_open and popup.highlighted is not None:
            self.prompt.put(f"{popup.get_option_at_index(popup.highlighted).id} ")

    def _close_popup(self) -> None:
        self.prompt.popup_is_open = False
        self.query_one("#popup", OptionList).set_class(False, "-open")

    async def action_interrupt(self) -> None:
        """Ends the turn; the queue is kept."""
        if self.session is not None:
            await self.session.abort()

    async def action_interrupt_or_exit(self) -> None:
        """Ctrl+C: ends the turn, or where none runs the application."""
        if self.session is not None and (self.session.is_streaming or self.session.is_compacting):
            await self.action_interrupt()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Ends the session, then the application."""
        self._leave.set()
        if self.session is None:
            self.exit()

    def _tell_status(self) -> None:
        waiting = f" · {self._waiting} waiting: /queue" if self._waiting else ""
        if self.session is None:
            waiting = " · opening …" + (f" {len(self._early)} to be sent" if self._early else "")
        self.query_one("#status", Static).update(_KEYS + waiting)


def _shown(item: Candidate) -> str:
    parts = (item.text, item.hint, item.summary, f"[{item.source}]" if item.source else "")
    line = "  ".join(part for part in map(visible, parts) if part)
    return line.replace("[", r"\[")
