"""The prompt with what belongs to it: the popup, completion, ghost texts and the history of the project."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import TextArea

from xcsh.session.images.reading import Image, ImageError
from xcsh.surfaces.layout import visible
from xcsh.tui.input.candidates import Candidate
from xcsh.tui.input.completing import Completer
from xcsh.tui.input.completion import Completion
from xcsh.tui.input.ghost import ghost
from xcsh.tui.input.popup import Popup
from xcsh.tui.input.prompt_area import PromptArea

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession

_READING_SECONDS = 5
"""So long a text waits for the images that were pasted into it."""

_QUIET_SECONDS = 0.03
"""So long nothing may be typed before the files of a large project are ranked."""


class PromptInput(Vertical):
    """Tab completes. Enter sends what is whole, and else completes. Escape closes the popup, then interrupts."""

    DEFAULT_CSS = """
    PromptInput { height: auto; }
    PromptInput #prompt {
        height: auto; min-height: 3; max-height: 12; border: round $accent; padding: 0 1; background: $background;
        scrollbar-size-vertical: 1;
    }
    PromptInput #prompt.-shell { border: round $warning; }
    """

    class Interrupted(Message):
        """What runs is to end: Escape, where no popup is open."""

    class Stopped(Message):
        """Ctrl+C, where nothing is selected."""

    class Left(Message):
        """Ctrl+D in an empty prompt."""

    class EditorAsked(Message):
        """The text is to be opened in the user's editor."""

    def __init__(self) -> None:
        super().__init__(id="input")
        self.popup = Popup()
        self.area = PromptArea(self.popup)
        self._completer = Completer()
        self._completion = Completion()
        self._seen: tuple[str, int] | None = None
        self._dismissed: int | None = None
        self._history_file = ""
        self._reading: set[asyncio.Future[None]] = set()

    def compose(self) -> ComposeResult:
        yield self.popup
        yield self.area

    def opened(self, session: AgentSession) -> None:
        """Takes over the commands, the files and the history of a session; what is being typed stays."""
        self._completer.session = session
        self._seen = None
        self._refresh()
        self.run_worker(self._load(session), group="input-loading", exclusive=True)

    def reread(self) -> None:
        """The commands are others now: what is being typed stays, and what it may become is looked for anew."""
        self._seen = None
        self._refresh()

    async def _load(self, session: AgentSession) -> None:
        from xcsh.tui.input.history import history_file, read_history  # noqa: PLC0415 - not before the first paint

        environment = session.context.registry.environment
        self._history_file = history_file(os.environ, environment.home, environment.cwd)
        self.area.past.load(await asyncio.to_thread(read_history, self._history_file))
        await self._completer.list_files()
        self._seen = None
        self._refresh()

    @on(TextArea.Changed)
    @on(TextArea.SelectionChanged)
    def _changed(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        """Completes what stands at the cursor now; what takes longer is done beside, and dropped when it is late."""
        text, cursor = self.area.text, self.area.cursor_offset_in_text
        if (text, cursor) == self._seen:
            return
        self._seen = (text, cursor)
        self.area.set_class(text.startswith("!"), "-shell")
        if self.area.recalls or not self.area.selection.is_empty:
            self._completer.cancel()
            self._show(Completion())
            return
        found = self._completer.at_once(text, cursor)
        if found is not None:
            self._show(found)
        else:
            self.run_worker(self._complete_beside(text, cursor), group="completion", exclusive=True)

    async def _complete_beside(self, text: str, cursor: int) -> None:
        await asyncio.sleep(_QUIET_SECONDS)
        found = await self._completer.beside(text, cursor)
        if self._seen == (text, cursor) and found is not None:
            self._show(found)

    def _show(self, completion: Completion) -> None:
        self._completion = completion
        if completion.span[0] != self._dismissed or not completion.candidates:
            self._dismissed = None
        self.popup.show(() if self._dismissed is not None else completion.candidates)
        text, cursor = self.area.text, self.area.cursor_offset_in_text
        self.area.show_ghost(ghost(text, cursor, completion, self._completer.sources))

    @on(Popup.Clicked)
    def _clicked(self, event: Popup.Clicked) -> None:
        self._take(event.candidate)
        self.area.focus()

    @on(PromptArea.Asked)
    def _asked(self, event: PromptArea.Asked) -> None:
        event.stop()
        match event.what:
            case "complete":
                self._tab()
            case "escape":
                self._escape()
            case "enter":
                self._enter()
            case "later":
                self._submit(later=True)
            case "stop":
                self.post_message(self.Stopped())
            case "leave":
                self.post_message(self.Left())
            case _:
                self.post_message(self.EditorAsked())

    def _tab(self) -> None:
        if (chosen := self.popup.chosen) is not None:
            self._take(chosen)
        elif self._completion.candidates:  # closed with Escape: Tab opens it again
            self._dismissed = None
            self.popup.show(self._completion.candidates)

    def _escape(self) -> None:
        if self.popup.is_open:
            self._dismissed = self._completion.span[0]
            self.popup.close()
        else:
            self.post_message(self.Interrupted())

    def _enter(self) -> None:
        chosen = self.popup.chosen
        if chosen is None or self._is_whole():
            self._submit(later=False)
        else:
            self._take(chosen)

    def _is_whole(self) -> bool:
        """Whether what stands there needs no completion: nothing was chosen from the popup, and it is one of those."""
        if self.popup.moved:
            return False
        start, end = self._completion.span
        typed = self.area.text[start:end]
        return self._completion.kind == "argument" or any(typed == each.text for each in self._completion.candidates)

    def _take(self, candidate: Candidate) -> None:
        """Puts a candidate in place of what was typed of it."""
        start, end = self._completion.span
        followed = self.area.text[end : end + 1].isspace()
        goes_on = candidate.more or followed or (self._completion.kind == "command" and not candidate.takes)
        self._dismissed = None if candidate.more else start
        self.popup.close()
        self.area.replace_span(candidate.text if goes_on else f"{candidate.text} ", start, end)

    def _submit(self, *, later: bool) -> None:
        if not self.area.text.strip():
            return
        if self._reading:  # an image that was pasted goes with the text
            self.run_worker(self._submit_when_read(set(self._reading), later=later), group="submitting", exclusive=True)
            return
        if lost := self.area.pastes.lost(self.area.text):
            self.notify(f"Paste it again: {lost[0]} stands for no text any more.", severity="warning", markup=False)
            return
        self.popup.close()
        self._dismissed = None
        images = self.area.images.in_text(self.area.text)
        self.post_message(PromptArea.Submitted(self.area.take(), later=later, images=images))

    async def _submit_when_read(self, reading: set[asyncio.Future[None]], *, later: bool) -> None:
        _, late = await asyncio.wait(reading, timeout=_READING_SECONDS)
        if late:
            self._reading -= late
            self.notify("An image could not be read in time: its path is sent.", severity="warning")
        self._submit(later=later)

    @on(PromptArea.Dropped)
    def _dropped(self, event: PromptArea.Dropped) -> None:
        event.stop()
        read: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reading.add(read)
        self.run_worker(self._read_dropped(event.text, read), group="images")

    async def _read_dropped(self, pasted: str, read: asyncio.Future[None]) -> None:
        """Has images stand in the prompt in place of their paths. The path of none stays, and why is shown."""
        try:
            await self._show_dropped(pasted)
        finally:
            self._reading.discard(read)
            if not read.done():
                read.set_result(None)

    async def _show_dropped(self, pasted: str) -> None:
        from xcsh.tui.input.images import places_of, read_dropped  # noqa: PLC0415 - not before the first paint

        found = await asyncio.to_thread(read_dropped, pasted, places_of(self._completer.session))
        for _, problem in found:
            if isinstance(problem, ImageError):
                self.notify(f"{visible(str(problem))}. Its path is sent.", severity="warning", markup=False)
        if any(isinstance(image, Image) for _, image in found):
            pieces: list[str] = []
            for path, each in found:
                standing = " ".join([self.area.text, *pieces])
                pieces.append(self.area.images.add(each, standing) if isinstance(each, Image) else path)
            self.area.exchange(pasted.strip(), " ".join(pieces))  # a space behind it stays

    @on(PromptArea.Kept)
    def _kept(self, event: PromptArea.Kept) -> None:
        event.stop()
        if self._history_file:
            self.run_worker(self._keep(event.text), group="history")

    async def _keep(self, text: str) -> None:
        from xcsh.tui.input.history import append_history  # noqa: PLC0415 - not before the first paint

        try:
            await asyncio.to_thread(append_history, self._history_file, text)
        except OSError as error:
            self._history_file = ""
            self.notify(f"The history is not kept: {(error.strerror or str(error)).lower()}", severity="warning")
