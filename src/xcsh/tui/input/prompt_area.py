"""Where the user types: several lines, history, and the keys that the popup shares."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import TextArea


class PromptArea(TextArea):
    """Enter sends, Alt+Enter queues, Ctrl+J breaks the line; Up and Down move in the popup or the history."""

    class Submitted(Message):
        """A text is ready. `later`: it is to be sent after the turn."""

        def __init__(self, text: str, *, later: bool) -> None:
            super().__init__()
            self.text = text
            self.later = later

    class Asked(Message):
        """A key that the application decides about: `complete`, `interrupt`, `up` or `down`."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, id="prompt", compact=True)
        self.popup_is_open = False
        self._history: list[str] = []
        self._place = 0

    async def _on_key(self, event: events.Key) -> None:
        if self._take(event.key):
            event.prevent_default()
            event.stop()
        else:
            await super()._on_key(event)

    def _take(self, key: str) -> bool:
        """Whether a key is one of the prompt's own."""
        if key in ("enter", "alt+enter", "ctrl+enter"):
            self._submit(later=key != "enter")
        elif key in ("shift+enter", "ctrl+j"):
            self.insert("\n")
        elif key == "tab" or (key in ("up", "down") and self.popup_is_open):
            self.post_message(self.Asked("complete" if key == "tab" else key))
        elif key == "escape":
            self.post_message(self.Asked("interrupt"))
        elif key == "up" and self.cursor_location[0] == 0:
            self._recall(-1)
        elif key == "down" and self.cursor_location[0] == self.document.line_count - 1:
            self._recall(1)
        else:
            return False
        return True

    def put(self, text: str) -> None:
        """Replaces what stands there, with the cursor at its end."""
        self.text = text
        self.move_cursor(self.document.end)

    def _submit(self, *, later: bool) -> None:
        text = self.text.strip()
        if not text:
            return
        self._history.append(text)
        self._place = len(self._history)
        self.text = ""
        self.post_message(self.Submitted(text, later=later))

    def _recall(self, step: int) -> None:
        self._place = max(0, min(len(self._history), self._place + step))
        self.put(self._history[self._place] if self._place < len(self._history) else "")
