"""A list whose marked line has a sign besides its colour."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

_MARKED, _OTHER = "▸ ", "  "


class MarkedList(OptionList):
    """Lines that can be chosen. `at` is where the marked one stands in what was last shown."""

    def __init__(self, lines: Sequence[Content] = ()) -> None:
        super().__init__()
        self._contents: list[Content] = []
        self._signed: int | None = None
        self.offer(lines)

    @property
    def at(self) -> int | None:
        """Where the marked line stands; None in an empty list."""
        return self.highlighted

    def offer(self, lines: Sequence[Content]) -> None:
        """Shows other lines; the first is marked."""
        self._contents = list(lines)
        self._signed = None
        self.clear_options()
        self.add_options([Option(Content.assemble(_OTHER, line)) for line in lines])
        self.highlighted = 0 if lines else None

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Moves the sign with the mark."""
        super().watch_highlighted(highlighted)
        for at, sign in ((self._signed, _OTHER), (highlighted, _MARKED)):
            if at is not None and at < len(self._contents):
                self.replace_option_prompt_at_index(at, Content.assemble(sign, self._contents[at]))
        self._signed = highlighted
