"""The list of what may be meant: a line each, with what it does, where it is from and what may follow it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from xcsh.surfaces.layout import columns, fit, fit_path, shown_summary, visible
from xcsh.tui.input.candidates import Candidate

_WIDEST_NAME, _LEAST_NAME = 0.3, 24
_WIDEST_SOURCE = 26
_GAP = 2


class Popup(OptionList):
    """Shows candidates; the prompt keeps the focus and moves the highlight. A click completes."""

    DEFAULT_CSS = """
    Popup {
        display: none; height: auto; max-height: 8; border: none; padding: 0 1; background: $panel;
        scrollbar-size-vertical: 1;
    }
    Popup.-open { display: block; }
    Popup > .option-list--option-highlighted { background: $accent; color: $text; text-style: bold; }
    """
    can_focus = False

    class Clicked(Message):
        """A candidate was clicked."""

        def __init__(self, candidate: Candidate) -> None:
            super().__init__()
            self.candidate = candidate

    def __init__(self) -> None:
        super().__init__(id="popup", markup=False)
        self._candidates: tuple[Candidate, ...] = ()
        self.moved = False

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose."""
        return self.has_class("-open")

    @property
    def chosen(self) -> Candidate | None:
        """The candidate that is highlighted."""
        at = self.highlighted
        return self._candidates[at] if self.is_open and at is not None and at < len(self._candidates) else None

    def show(self, candidates: Sequence[Candidate]) -> None:
        """Opens with these, or closes where there are none."""
        if not candidates:
            self.close()
            return
        if tuple(candidates) == self._candidates and self.is_open:
            return
        self._candidates = tuple(candidates)
        self.moved = False
        self._fill()
        self.set_class(True, "-open")

    def close(self) -> None:
        """Shows nothing."""
        self._candidates = ()
        self.moved = False
        self.set_class(False, "-open")
        self.clear_options()

    def move(self, step: int) -> None:
        """Moves the highlight, round at the ends."""
        self.moved = True
        if step < 0:
            self.action_cursor_up()
        else:
            self.action_cursor_down()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click."""
        event.stop()
        if event.option_index < len(self._candidates):
            self.post_message(self.Clicked(self._candidates[event.option_index]))

    def on_resize(self) -> None:
        """Lays the lines out anew."""
        if self._candidates:
            at = self.highlighted
            self._fill()
            self.highlighted = at

    def _fill(self) -> None:
        width = self.screen.size.width - 4
        self.clear_options()
        lines = popup_lines(self._candidates, max(20, width))
        self.add_options([Option(line, id=item.text) for line, item in zip(lines, self._candidates, strict=True)])
        self.highlighted = 0


def popup_lines(candidates: Sequence[Candidate], width: int) -> list[Content]:
    """The candidates, `width` letters wide: name and hint, what it does, and at the right end where it is from."""
    widest = max((columns(_name(item)) for item in candidates), default=0)
    has_more = any(item.summary or item.source for item in candidates)
    name_width = min(widest, width, max(_LEAST_NAME, int(width * _WIDEST_NAME))) if has_more else width
    return [_line(item, name_width, width) for item in candidates]


def _name(item: Candidate) -> str:
    return visible(f"{item.text} {item.hint}".rstrip())


def _line(item: Candidate, name_width: int, width: int) -> Content:
    text = visible(item.text)
    if columns(text) >= name_width:
        name = Content(fit_path(text, name_width) if "/" in text[1:] else fit(text, name_width))
    else:
        rest = fit(f" {visible(item.hint)}" if item.hint else "", name_width - columns(text))
        name = Content.assemble(text, (rest, "dim"))
    source = visible(item.source)
    source = fit(source, min(_WIDEST_SOURCE, columns(source)))
    room = width - name_width - columns(source) - 2 * _GAP
    if room <= 0 or not (item.summary or source):
        return name
    summary = fit(visible(shown_summary(item.summary)), room)
    return Content.assemble(name, " " * _GAP, summary, " " * _GAP, (source, "dim"))
