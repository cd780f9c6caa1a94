"""The search backwards through the history (Ctrl+R): what its keys do."""

from __future__ import annotations

from xcsh.surfaces.layout import visible
from xcsh.tui.input.history import History

_OPEN = "ctrl+r"


class HistorySearch:
    """Open from Ctrl+R until a text is taken or given up; what stood there before comes back with Escape."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._wanted = ""
        self._skip = 0
        self._before = ""
        self.is_open = False

    @property
    def title(self) -> str:
        """What is said of it at the prompt; empty where it is closed."""
        if not self.is_open:
            return ""
        found = self._history.search(self._wanted, self._skip) is not None
        said = "Ctrl+R older · Enter takes it · Esc back" if found or not self._wanted else "nothing holds this"
        return f"search the history: {visible(self._wanted)}_  {said}"

    def key(self, key: str, letter: str | None, current: str) -> tuple[bool, str | None]:
        """What a key does: whether it is used up, and the text to show, if it is to be another one."""
        if not self.is_open:
            self.is_open, self._wanted, self._skip, self._before = True, "", 0, current
            return True, None
        if key == _OPEN:
            if self._history.search(self._wanted, self._skip + 1) is not None:
                self._skip += 1
            return True, self._history.search(self._wanted, self._skip)
        if key == "escape":
            self.is_open = False
            return True, self._before
        if key == "backspace" or letter is not None:
            self._wanted = self._wanted[:-1] if letter is None else self._wanted + letter
            self._skip = 0
            found = self._history.search(self._wanted) if self._wanted else None
            return True, self._before if found is None else found
        self.is_open = False
        return key in ("enter", "tab", "right"), None
