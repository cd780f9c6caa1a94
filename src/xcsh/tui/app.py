"""The application: a transcript, a prompt with completion, and a session that opens behind the first paint."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from xcsh.agent.consent.request import Answer, ConsentRequest
from xcsh.session.events import FilesReread, SessionEvent
from xcsh.surfaces.layout import Style
from xcsh.tui.conversation import Conversation
from xcsh.tui.dialogs.asking import Dialogs
from xcsh.tui.editing import Editing
from xcsh.tui.events_shown import EventsShown
from xcsh.tui.front_end import Choice
from xcsh.tui.input.prompt_area import PromptArea
from xcsh.tui.input.prompt_input import PromptInput
from xcsh.tui.opening import OpenSession
from xcsh.tui.status import Heading, full_path
from xcsh.tui.status_line import StatusLine
from xcsh.tui.terminal_app import TerminalApp, theme_for
from xcsh.tui.transcript.asking import FileAsked, Left, Moved, RuleAsked
from xcsh.tui.transcript.transcript import Transcript
from xcsh.tui.waiting import Waiting

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession


class ChatApp(TerminalApp):
    """A conversation in the terminal. Nothing of the agent is loaded before the first paint."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        ("ctrl+c", "interrupt_or_exit", "interrupt"),
        ("ctrl+d", "leave", "exit"),
        ("f2", "extensions", "rules"),
        ("f3", "queue", "queue"),
        ("ctrl+o", "unfold_all", "unfold all"),
        Binding("pageup", "page(-1)", "page up", show=False, priority=True),
        Binding("pagedown", "page(1)", "page down", show=False, priority=True),
    ]

    def __init__(
        self, open_session: OpenSession, *, title: Callable[[], str] = str, first: str = "", theme: str = "auto"
    ) -> None:
        super().__init__()
        self.theme = theme_for(theme, os.environ)
        self.conversation = Conversation(open_session, self, first=first)
        self._title = title
        self._shown = EventsShown(self)
        self._dialogs = Dialogs(self)
        self._editing = Editing(self, self.conversation)

    def compose(self) -> ComposeResult:
        yield Heading(self._title())
        yield Transcript(id="transcript")
        yield Waiting()
        yield PromptInput()
        yield StatusLine()

    @property
    def transcript(self) -> Transcript:
        """The conversation on the screen."""
        return self.screen_stack[0].query_one(Transcript)

    @property
    def prompt(self) -> PromptArea:
        """Where the user types."""
        return self.screen_stack[0].query_one(PromptArea)

    @property
    def help_keys(self) -> Sequence[tuple[str, str]]:
        """Those of the whole screen."""
        from xcsh.tui.built_ins.helping import KEYS  # noqa: PLC0415 - not before the first paint

        return KEYS

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
        self.run_lasting(self._live())
        self.run_worker(self._shown.run(), group="events")

    async def _live(self) -> None:
        try:
            await self.conversation.live()
        except Exception as error:  # noqa: BLE001 - told by whoever runs the application, on a terminal that is restored
            self.failure = error
            self.exit()
        self.failure = self.failure or self.conversation.failure

    def opened(self, session: AgentSession) -> None:
        """Takes over the commands of a session, and shows what was said in it."""
        self._shown.open(session)
        self.screen_stack[0].query_one(PromptInput).opened(session)

    def tell(self, event: SessionEvent) -> None:
        """Shows an event after those before it."""
        if isinstance(event, FilesReread):
            self.screen_stack[0].query_one(PromptInput).reread()
        self._shown.show(event)

    async def ask(self, request: ConsentRequest) -> Answer:
        """Shows a question about consent and waits for its answer."""
        from xcsh.tui.dialogs.consent import ConsentDialog  # noqa: PLC0415 - not before the first paint

        dialog = ConsentDialog(request)
        with self.screen_stack[0].query_one(StatusLine).asking():
            answer = await self._dialogs.answer(dialog)
        if answer is None:  # the application ends
            raise asyncio.CancelledError
        if dialog.interrupted:
            self.call_later(self.conversation.interrupt)
        return answer

    async def say(self, text: str) -> None:
        """Shows a text of the application itself."""
        self._shown.say(text)

    async def choose(self, title: str, choices: Sequence[Choice], *, about: str = "") -> str | None:
        """Shows the choices and waits for one."""
        from xcsh.tui.dialogs.choice import ChoiceDialog  # noqa: PLC0415 - not before the first paint

        return await self._dialogs.answer(ChoiceDialog(title, choices, about))

    async def show_extensions(self) -> None:
        """The dashboard, until the user leaves it."""
        session = self.conversation.session
        if session is None:
            await self.say("the session is not open yet")
            return
        from xcsh.tui.dashboard.screen import Dashboard  # noqa: PLC0415 - not before the first paint

        dashboard = Dashboard(session, self._editing.file)
        await self.push_screen(dashboard)
        await dashboard.left.wait()

    async def open_file(self, path: str, line: int = 1) -> None:
        """Opens a file in the user's editor; the session reads its files again after it."""
        if problem := await self._editing.file(path, line):
            await self.say(problem)

    def put(self, text: str) -> None:
        """Puts a text into the prompt."""
        self.prompt.put(text)

    def copy(self, text: str) -> None:
        """Puts a text into the clipboard, through the terminal."""
        self.copy_to_clipboard(text)

    def end(self) -> None:
        """Ends the application."""
        self.exit()

    @on(Left)
    def _transcript_left(self, event: Left) -> None:
        self.prompt.focus()
        if event.typed:
            self.prompt.insert(event.typed)

    @on(RuleAsked)
    def _rule_asked(self, event: RuleAsked) -> None:
        from xcsh.tui.transcript.rule_screen import RuleScreen  # noqa: PLC0415 - not before the first paint

        if self.conversation.session is not None:
            self.push_screen(RuleScreen(self.conversation.session.context.registry, event.rules, width=self.size.width))

    @on(FileAsked)
    def _file_asked(self, event: FileAsked) -> None:
        if self.conversation.session is not None:
            environment = self.conversation.session.context.registry.environment
            path = full_path(event.path, environment.cwd, environment.home)
            self.run_worker(self.open_file(path, event.line), group="editor", exclusive=True)

    @on(PromptArea.Submitted)
    async def _submitted(self, event: PromptArea.Submitted) -> None:
        self.transcript.follow()
        await self.conversation.submit(event.text, later=event.later, images=event.images)

    @on(PromptInput.Interrupted)
    async def _interrupted(self) -> None:
        await self.conversation.interrupt()

    @on(PromptInput.EditorAsked)
    def _editor_asked(self) -> None:
        self.run_worker(self._edit_prompt(), group="editor", exclusive=True)

    async def _edit_prompt(self) -> None:
        if problem := await self._editing.prompt(self.prompt):
            await self.say(problem)

    @on(PromptInput.Stopped)
    async def action_interrupt_or_exit(self) -> None:
        """Ctrl+C: copies what is marked; else ends the turn, puts a draft aside, or leaves where there is neither."""
        if marked := self.screen.get_selected_text():
            self.copy(marked)
            self.screen.clear_selection()
        elif not await self.conversation.interrupt() and not self.prompt.put_aside():
            self.conversation.leave()

    @on(PromptInput.Left)
    def action_leave(self) -> None:
        """Ends the session, then the application."""
        self.conversation.leave()

    async def action_queue(self) -> None:
        """F3: what waits to be sent."""
        await self.conversation.submit("/queue")

    async def action_extensions(self) -> None:
        """F2: the dashboard. It waits for the session as the command does."""
        if self.conversation.session is None:
            await self.conversation.submit("/extensions")
        else:
            self.run_worker(self.show_extensions, group="dashboard", exclusive=True)

    def action_unfold_all(self) -> None:
        """Ctrl+O: unfolds thinking, results and diffs, also those to come; again folds them."""
        self.transcript.unfold_all()

    def action_page(self, step: int) -> None:
        """PageUp and PageDown scroll the transcript, wherever the user types."""
        (self.transcript.action_page_up if step < 0 else self.transcript.action_page_down)()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The transcript's keys are those of the dialog where one is open, and nothing opens over a dialog."""
        del parameters
        return not (action in ("page", "unfold_all", "extensions", "queue") and len(self.screen_stack) > 1)

    @on(Moved)
    def _transcript_moved(self, event: Moved) -> None:
        self.screen_stack[0].query_one(StatusLine).set_below(below=not event.is_end)

    def status_changed(self) -> None:
        """Shows what waits, also for the session itself."""
        self._shown.waiting(self.conversation.early, opening=self.conversation.session is None)
