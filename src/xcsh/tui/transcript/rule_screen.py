"""A rule to read: why it is as it is, and what it says. Nothing can be changed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from xcsh.model.registry import Registry
from xcsh.surfaces.layout import Style
from xcsh.tui.transcript.asking import FileAsked
from xcsh.tui.transcript.entries import RuleAt
from xcsh.tui.transcript.painter import visible_text

_MARGIN = 8


class RuleScreen(ModalScreen[None]):
    """Shows rules that a notice names. `FileAsked` says that the user wants that of the first in the editor."""

    DEFAULT_CSS = """
    RuleScreen { align: center middle; }
    RuleScreen > VerticalScroll {
        width: 90%; max-width: 110; height: auto; max-height: 90%; padding: 0 1;
        border: round $accent; background: $surface; border-title-color: $text; border-subtitle-color: $text-muted;
    }
    RuleScreen Static { height: auto; }
    RuleScreen .explanation { color: $text-muted; margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,enter", "dismiss(None)", "close"),
        ("e", "edit", "edit"),
    ]

    def __init__(self, registry: Registry, rules: Sequence[RuleAt], *, width: int = 80) -> None:
        """`width`: columns of the terminal."""
        super().__init__()
        self._columns = max(60, min(110, width) - _MARGIN)
        self._registry = registry
        self._rules = rules
        self._path = ""

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.border_title = ", ".join(visible_text(rule.name) for rule in self._rules).replace("[", r"\[")
            box.border_subtitle = "e edit · ↑↓ scroll · Esc close"
            for rule in self._rules:
                yield from self._shown(rule)

    def _shown(self, rule: RuleAt) -> ComposeResult:
        from xcsh.api import providers_of  # noqa: PLC0415 - not before the first paint
        from xcsh.surfaces.explain import explain, render_explanation  # noqa: PLC0415

        style = Style(colour=False, width=self._columns)
        entry = next((each for each in self._registry.all if each.rule.name == rule.name), None)
        if entry is None:
            yield Static(f"{visible_text(rule.path)}\nThere is no such rule any more.", markup=False)
            return
        self._path = self._path or entry.rule.path
        providers = {provider.id: provider for provider in providers_of(self._registry)}
        for explanation in explain(self._registry, f"rule://{rule.name}", providers)[:1]:
            lines = render_explanation(self._registry, explanation, style)
            yield Static("\n".join(lines), classes="explanation", markup=False)
        yield Static(visible_text(entry.rule.content), markup=False)

    def action_edit(self) -> None:
        """Leaves for the editor."""
        if self._path:
            self.post_message(FileAsked(self._path))
            self.dismiss(None)
