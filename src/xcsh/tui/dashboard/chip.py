"""A word that can be clicked, with the key that does the same."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Chip(Static):
    """Says which way something is shown; a click runs an action of the screen."""

    DEFAULT_CSS = """
    Chip { width: auto; height: 1; padding: 0 1; margin: 0 1 0 0; background: $panel; }
    Chip:hover { background: $block-hover-background; }
    """

    def __init__(self, action: str, *, id: str) -> None:  # noqa: A002 - the framework's own name
        super().__init__(id=id, markup=False)
        self._action = action

    def show(self, key: str, label: str) -> None:
        """Shows the key and what is chosen."""
        self.update(Content.assemble((key, "bold $text-accent"), " ", label))

    async def on_click(self) -> None:
        """Does what the key does."""
        await self.screen.run_action(self._action)
