"""Beside the list: what is said of the item under the cursor, made when the cursor rests on it."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from xcsh.surfaces.layout import Style
from xcsh.tui.dashboard.arranging import Item
from xcsh.tui.dashboard.detail import detail_of
from xcsh.tui.dashboard.snapshot import Snapshot
from xcsh.tui.dashboard.themed import themed

_SETTLES = 0.04
"""Seconds that the cursor has to rest on an item before its text is made."""

_NARROWEST = 30


class DetailPane(VerticalScroll, can_focus=True):
    """The text of one item. Files are read in a thread."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - the framework's own name
        super().__init__(id=id)
        self._shown: tuple[Snapshot, Item] | None = None
        self._width = 0

    def compose(self) -> ComposeResult:
        yield Static(id="text", markup=False)

    def show(self, snapshot: Snapshot, item: Item) -> None:
        """Shows an item of a snapshot, from its beginning unless it is the same item."""
        same = self._shown is not None and self._shown[1].id == item.id
        self._shown = (snapshot, item)
        self.run_worker(partial(self._describe, snapshot, item, from_top=not same), exclusive=True)

    def say(self, text: str) -> None:
        """Shows a sentence in the place of an item."""
        self._shown = None
        self.run_worker(partial(self._say, text), exclusive=True)

    def on_resize(self) -> None:
        """The same for another width."""
        if self._shown is not None and self._width != self.scrollable_content_region.width:
            self.show(*self._shown)

    async def _say(self, text: str) -> None:
        self.query_one("#text", Static).update(text)

    async def _describe(self, snapshot: Snapshot, item: Item, *, from_top: bool) -> None:
        await asyncio.sleep(_SETTLES)
        self._width = self.scrollable_content_region.width
        style = Style(colour=True, width=max(_NARROWEST, self._width))
        lines = await asyncio.to_thread(detail_of, snapshot, item, style)
        for text in self.query("#text").results(Static):  # none where the dashboard was left meanwhile
            text.update(themed(lines))
        if from_top:
            self.scroll_home(animate=False)
