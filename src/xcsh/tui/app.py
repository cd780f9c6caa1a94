"""The application: a transcript, a prompt with completion, and a session that opens behind the first paint."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from xcsh.agent.consent.request import Answer, ConsentRequest
from xcsh.session.events import QueueChanged, SessionEvent
from xcsh.surfaces.layout import Style, visible
from xcsh.tui.conversation import Conversation, OpenSession
from xcsh.tui.dialogs.consent import ConsentDialog
from xcsh.tui.front_end import Choice
from xcsh.tui.input.prompt_area import PromptArea
from xcsh.tui.input.prompt_input import PromptInput
from xcsh.tui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

_KEYS = "Enter send · Alt+Enter queue · Esc interrupt · F2 rules · /help"


class ChatApp(App[None]):
    """A conversation in the terminal. Nothing of the agent is loaded before the first paint."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        ("ctrl+c", "interrupt_or_exit", "interrupt"),
        ("ctrl+d", "leave", "exit"),
        ("f2", "extensions", "rules"),
    ]

    def __init__(self, open_session: OpenSession, *, title: str = "", first: str = "") -> None:
        super().__init__()
        self.conversation = Conversation(open_session, self, first=first)
        self._heading = title
        self._events: asyncio.Queue[SessionEvent] = asyncio.Queue()
        self._waiting = 0
        self.failure: Exception | None = None

    def compose(self) -> ComposeResult:
        yield Static(visible(self._heading), id="heading", markup=False)
        yield Transcript(id="transcript")
        yield PromptInput()
        yield Static(_KEYS, id="status", markup=False)

    @property
    def transcript(self) -> Transcript:
        """The conversation on the screen."""
        return self.screen_stack[0].query_one(Transcript)

    @property
    def prompt(self) -> PromptArea:
        """Where the user types."""
        return self.screen_stack[0].query_one(PromptArea)

    @property
    def style(self) -> Style:
        """Listings as wide as the transcript."""
        return Style(colour=False, width=max(60, self.size.width - 4))

    @property
    def last_answer(self) -> str:
        """The text of the last message of the model."""
        return self.transcript.last_answer

    def on_mount(self) -> None:
        """Paints first; the session opens after it."""
        self.prompt.focus()
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        self.status_changed()
        self.run_worker(self._live(), exclusive=True, group="session", exit_on_error=False)
        self.run_worker(self._show_events(), group="events")

    async def _live(self) -> None:
        try:
            await self.conversation.live()
        except Exception as error:  # noqa: BLE001 - told by whoever runs the application, on a terminal that is restored
            self.failure = error
            self.exit()
        self.failure = self.failure or self.conversation.failure

    async def _show_events(self) -> None:
        while True:
            event = await self._events.get()
            if isinstance(event, QueueChanged):
                self._waiting = len(event.steering) + len(event.follow_ups)
                self.status_changed()
            await self.transcript.show(event)

    def opened(self, session: AgentSession) -> None:
        """Takes over the commands of a session."""
        self.screen_stack[0].query_one(PromptInput).opened(session)

    def tell(self, event: SessionEvent) -> None:
        """Shows an event after those before it."""
        self._events.put_nowait(event)

    async def ask(self, request: ConsentRequest) -> Answer:
        """Shows a question about consent and waits for its answer."""
        return await self._answered(ConsentDialog(request))

    async def _answered(self, dialog: ConsentDialog) -> Answer:
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        await self.push_screen(dialog, lambda given: None if answer.done() else answer.set_result(given))
        given = await answer
        if given is None:  # the application ends
            raise asyncio.CancelledError
        return given

    async def say(self, text: str) -> None:
        """Shows a text of the application itself."""
        await self.transcript.say(text)

    async def choose(self, title: str, choices: Sequence[Choice]) -> str | None:
        """Not there yet: nothing is chosen."""
        await self.say("\n".join([title, *(f"  {choice.label}  {choice.detail}" for choice in choices)]))
        return None

    async def show_extensions(self) -> None:
        """The dashboard, until the user leaves it."""
        session = self.conversation.session
        if session is None:
            await self.say("the session is not open yet")
            return
        from xcsh.tui.dashboard.screen import Dashboard  # noqa: PLC0415 - not before the first paint

        dashboard = Dashboard(session, self._edit)
        await self.push_screen(dashboard)
        await dashboard.left.wait()

    async def open_file(self, path: str, line: int = 1) -> None:
        """Opens a file in the user's editor; the session reads its files again after it."""
        if problem := await self._edit(path, line):
            await self.say(problem)

    async def _edit(self, path: str, line: int) -> str:
        from xcsh.tui.editor import open_in_editor  # noqa: PLC0415 - not before the first paint

        problem = await open_in_editor(self, path, line, environ=os.environ)
        if (session := self.conversation.session) is not None:
            await session.reload()
        return problem

    def put(self, text: str) -> None:
        """Puts a text into the prompt."""
        self.prompt.put(text)

    def copy(self, text: str) -> None:
        """Puts a text into the clipboard, through the terminal."""
        self.copy_to_clipboard(text)

    def end(self) -> None:
        """Ends the application."""
        self.exit()

    @on(PromptArea.Submitted)
    async def _submitted(self, event: PromptArea.Submitted) -> None:
        await self.conversation.submit(event.text, later=event.later)

    @on(PromptInput.Interrupted)
    async def _interrupted(self) -> None:
        await self.conversation.interrupt()

    @on(PromptInput.EditorAsked)
    def _editor_asked(self) -> None:
        self.run_worker(self._edit_prompt(), group="editor", exclusive=True)

    async def _edit_prompt(self) -> None:
        from xcsh.tui.editor import edit_text  # noqa: PLC0415 - not before the first paint

        edited = await edit_text(self, self.prompt.text, environ=os.environ)
        if edited.problem:
            await self.say(edited.problem)
        if edited.text != self.prompt.text:
            self.prompt.put(edited.text)

    @on(PromptInput.Stopped)
    async def action_interrupt_or_exit(self) -> None:
        """Ctrl+C: ends the turn, or where none runs the application."""
        if not await self.conversation.interrupt():
            self.conversation.leave()

    @on(PromptInput.Left)
    def action_leave(self) -> None:
        """Ends the session, then the application."""
        self.conversation.leave()

    def action_extensions(self) -> None:
        """F2: the dashboard."""
        self.run_worker(self.show_extensions, group="dashboard", exclusive=True)

    def status_changed(self) -> None:
        """Shows the keys, and what waits."""
        waiting = f" · {self._waiting} waiting: /queue" if self._waiting else ""
        if self.conversation.session is None:
            early = self.conversation.early
            waiting = " · opening …" + (f" {early} to be sent" if early else "")
        self.screen_stack[0].query_one("#status", Static).update(_KEYS + waiting)
