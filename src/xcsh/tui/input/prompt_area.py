"""Where the user types: several lines, history, and the keys that the popup shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import TextArea

from xcsh.tui.input.ghost import Ghost
from xcsh.tui.input.history import History
from xcsh.tui.input.history_search import HistorySearch
from xcsh.tui.input.images import Inserted, PastedImages, may_be_dropped
from xcsh.tui.input.pasting import Pastes, drawn

_PLACEHOLDER = "Ask for something.  / commands   @ files   ! shell   Ctrl+J new line"
_NEW_LINE = ("shift+enter", "ctrl+j")
_ASKED = {
    "enter": "enter",
    "alt+enter": "later",
    "ctrl+enter": "later",
    "ctrl+t": "later",  # for terminals that send no other Enter, and what Alt+Enter is in most (`terminal_keys`)
    "tab": "complete",
    "escape": "escape",
    "ctrl+g": "edit",
}


class Chooser(Protocol):
    """What lies over the prompt and takes some of its keys first."""

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose."""
        ...

    def move(self, step: int) -> None:
        """Moves the highlight."""
        ...


class PromptArea(TextArea):
    """Enter sends, Alt+Enter queues, Ctrl+J breaks the line; Up and Down move in the popup or the history."""

    class Submitted(Message):
        """A text is ready. `later`: it is to be sent after the turn. `images`: what in it stands for one."""

        def __init__(self, text: str, *, later: bool, images: Sequence[Inserted] = ()) -> None:
            super().__init__()
            self.text = text
            self.later = later
            self.images = images

    class Asked(Message):
        """A key that is decided about elsewhere: `complete`, `escape`, `edit`, `enter`, `later`, `leave` or `stop`."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    class Dropped(Message):
        """What was pasted may be files of images."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Kept(Message):
        """A text belongs into the history."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, chooser: Chooser) -> None:
        super().__init__(soft_wrap=True, id="prompt", placeholder=_PLACEHOLDER)
        self.past = History()
        self.pastes = Pastes()
        self.images = PastedImages()
        self._chooser = chooser
        self._search = HistorySearch(self.past)
        self._ghost = Ghost()
        self._recalling = False

    @property
    def cursor_offset_in_text(self) -> int:
        """Where the cursor is, in letters from the beginning."""
        row, column = self.cursor_location
        return sum(len(line) + 1 for line in self.document.lines[:row]) + column

    @property
    def recalls(self) -> bool:
        """Whether what stands here is an earlier text that is being shown."""
        return self.past.walking or self._search.is_open

    async def _on_key(self, event: events.Key) -> None:
        if self._take(event):
            event.prevent_default()
            event.stop()
        else:
            if event.is_printable:
                self.past.leave()
            await super()._on_key(event)

    def _take(self, event: events.Key) -> bool:
        """Whether a key is one of the prompt's own."""
        if (event.key == "ctrl+r" or self._search.is_open) and self._searched(event):
            return True
        return self._edited(event.key) or self._moved(event.key) or self._asks(event.key)

    def _edited(self, key: str) -> bool:
        """A new line, where the key makes one."""
        if key not in _NEW_LINE and not (key == "enter" and self._breaks_line()):
            return False
        self.insert("\n", maintain_selection_offset=False)
        return True

    def _moved(self, key: str) -> bool:
        """Up and Down, where the popup or the history takes them."""
        if key not in ("up", "down"):
            return False
        if self._chooser.is_open:
            self._chooser.move(-1 if key == "up" else 1)
        elif key == "up" and self._row == 0:
            self._recall(self.past.older(self.text))
        elif key == "down" and self._row == self.wrapped_document.height - 1:
            self._recall(self.past.newer())
        else:
            return False
        return True

    def _asks(self, key: str) -> bool:
        """Keys that are decided about elsewhere."""
        asked = _ASKED.get(key, "")
        if key == "ctrl+c":
            asked = "stop" if self.selection.is_empty else ""
        elif key == "ctrl+d":
            asked = "" if self.text else "leave"
        if asked:
            self.post_message(self.Asked(asked))
        return bool(asked)

    async def _on_paste(self, event: events.Paste) -> None:
        """Takes a pasted text as one piece; a long one is folded."""
        event.prevent_default()
        event.stop()
        self.past.leave()
        start, end = self.selection
        shown = self.pastes.fold(event.text, self.text)
        self.replace(shown, start, end, maintain_selection_offset=False)
        if may_be_dropped(shown) and not self.text.startswith("!"):
            self.post_message(self.Dropped(shown))

    def get_line(self, line_index: int) -> Text:
        """The line as it is drawn: without what would drive the terminal, which takes no column either."""
        line = super().get_line(line_index)
        return Text(drawn(line.plain), end=line.end, no_wrap=True)

    def show_ghost(self, ghost: Ghost) -> None:
        """Shows a dim text behind the cursor."""
        self._ghost = ghost
        self.suggestion = ghost.text

    def action_cursor_right(self, select: bool = False) -> None:  # noqa: FBT001, FBT002 - as Textual has it
        if self.suggestion and not self._ghost.accepted:
            self.suggestion = ""
        super().action_cursor_right(select)

    def put(self, text: str) -> None:
        """Replaces what stands there, with the cursor at its end; undo brings it back."""
        self.history.checkpoint()
        self.replace(text, (0, 0), self.document.end, maintain_selection_offset=False)
        self.move_cursor(self.document.end)

    def take(self) -> str:
        """What was typed, with everything that was folded; the prompt is empty afterwards, and undo brings it back."""
        text = self.pastes.unfold(self.text)
        self.put("")
        if self.past.add(text.rstrip()):
            self.post_message(self.Kept(text.rstrip()))
        return text.strip()

    def put_aside(self) -> bool:
        """Empties the prompt; Up and undo bring back what stood there. False where it was empty."""
        if not self.text.strip():
            return False
        self.take()
        return True

    def replace_span(self, text: str, start: int, end: int) -> None:
        """Replaces a part, given in letters from the beginning; the cursor goes behind it."""
        self.history.checkpoint()
        whole = self.text
        result = self.replace(text, _location(whole, start), _location(whole, end), maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def exchange(self, old: str, new: str) -> None:
        """Puts a text in place of the last one like `old`, where that still stands; undo brings it back."""
        at = self.text.rfind(old)
        if at >= 0:
            self.history.checkpoint()
            self.replace(new, _location(self.text, at), _location(self.text, at + len(old)))

    @property
    def _row(self) -> int:
        return self.wrapped_document.location_to_offset(self.cursor_location).y

    def _breaks_line(self) -> bool:
        """A backslash at the cursor and Enter are a line end."""
        at = self.cursor_offset_in_text
        if not self.selection.is_empty or at == 0 or self.text[at - 1] != "\\" or self.text[at : at + 1].strip():
            return False
        row, column = self.cursor_location
        self.delete((row, column - 1), (row, column))
        return True

    def _recall(self, text: str | None) -> None:
        if text is not None:
            self.put(text)

    def _searched(self, event: events.Key) -> bool:
        """Whether the search of the history takes a key."""
        taken, shown = self._search.key(event.key, event.character if event.is_printable else None, self.text)
        if shown is not None and shown != self.text:
            self.put(shown)
        self.border_title = self._search.title
        return taken


def _location(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 0."""
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)
