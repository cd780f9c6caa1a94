"""Asks to choose one of several things: the list grows shorter as the user types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from xcsh.surfaces.layout import columns, fit, plural, visible
from xcsh.tui.dialogs.marked_list import MarkedList
from xcsh.tui.front_end import Choice
from xcsh.tui.transcript.painter import visible_text

_WIDEST_LABEL = 48
_FILTERED = 8
"""From so many choices on it is worth typing a part of one."""

_KEYS = "↑↓ move · Enter choose · Esc leave"


class ChoiceDialog(ModalScreen["str | None"]):
    """Ends with the value of what was chosen, or None."""

    DEFAULT_CSS = """
    ChoiceDialog { align: center middle; }
    ChoiceDialog > Vertical {
        width: 94%; max-width: 110; height: auto; max-height: 90%;
        border: round $accent; padding: 0 1; background: $surface;
    }
    ChoiceDialog .title { text-style: bold; height: auto; }
    ChoiceDialog .about { height: auto; max-height: 40vh; margin: 1 0 0 0; scrollbar-size-vertical: 1; }
    ChoiceDialog .about Static { height: auto; }
    ChoiceDialog Input, ChoiceDialog Input:focus {
        height: 1; border: none; padding: 0; margin: 1 0 0 0; background: $boost;
    }
    ChoiceDialog MarkedList, ChoiceDialog MarkedList:focus {
        height: auto; max-height: 40vh; border: none; margin: 1 0; padding: 0; background: $surface;
        scrollbar-size-vertical: 1;
    }
    ChoiceDialog .keys { color: $text-muted; height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "up", priority=True),
        Binding("down", "move(1)", "down", priority=True),
        Binding("pageup", "page(-1)", "page up", priority=True),
        Binding("pagedown", "page(1)", "page down", priority=True),
        Binding("escape,ctrl+c", "leave", "leave", priority=True),
    ]

    def __init__(self, title: str, choices: Sequence[Choice], about: str = "") -> None:
        super().__init__()
        self._title = title
        self._choices = list(choices)
        self._about = about
        self._shown = list(choices)
        self._width = min(_WIDEST_LABEL, max((columns(visible(each.label)) for each in choices), default=0))

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(visible(self._title), classes="title", markup=False)
            if self._about:
                with VerticalScroll(classes="about", can_focus=False):
                    yield Static(visible_text(self._about), markup=False)
            field = Input(placeholder="type a part of it", select_on_focus=False)
            field.display = len(self._choices) >= _FILTERED
            yield field
            yield MarkedList()
            yield Static(_KEYS, classes="keys", markup=False)

    def on_mount(self) -> None:
        """The first choice is marked, and what is typed shortens the list."""
        self._show(self._choices)
        self.query_one(Input).cursor_blink = False
        if self.query_one(Input).display:
            self.query_one(Input).focus()
        else:
            self.query_one(MarkedList).focus()

    def _show(self, choices: Sequence[Choice]) -> None:
        self._shown = list(choices)
        self.query_one(MarkedList).offer([self._line(each) for each in choices])
        left = (
            f" · {len(choices)} of {plural(len(self._choices), 'choice')}" if len(choices) < len(self._choices) else ""
        )
        self.query_one(".keys", Static).update(_KEYS + left)

    def _line(self, choice: Choice) -> Content:
        label, detail = visible(choice.label), visible(choice.detail)
        if not detail:
            return Content(label)
        padded = label if columns(label) > self._width else fit(label, self._width)
        return Content.assemble(padded, "  ", (detail, "$text-muted"))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        words = event.value.lower().split()
        self._show(
            [each for each in self._choices if all(word in f"{each.label} {each.detail}".lower() for word in words)]
        )

    @on(Input.Submitted)
    def _submitted(self) -> None:
        at = self.query_one(MarkedList).at
        if at is not None:
            self.dismiss(self._shown[at].value)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._shown[event.option_index].value)

    def action_move(self, by: int) -> None:
        """Marks the choice above or below."""
        shown = self.query_one(MarkedList)
        (shown.action_cursor_up if by < 0 else shown.action_cursor_down)()

    def action_page(self, by: int) -> None:
        """Scrolls what is to be read, else the choices."""
        for about in self.query(".about").results(VerticalScroll):
            if about.max_scroll_y:
                about.scroll_relative(y=by * max(1, about.size.height - 1), animate=False)
                return
        shown = self.query_one(MarkedList)
        (shown.action_page_up if by < 0 else shown.action_page_down)()

    def action_leave(self) -> None:
        """Nothing is chosen."""
        self.dismiss(None)
