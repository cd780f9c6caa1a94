"""Asks before something that needs consent: exactly what would happen, where it is from, and the answers (S-12)."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Button, Input, OptionList, Static

from xcsh.agent.consent.request import Always, Answer, ConsentRequest, No, Once, Session
from xcsh.surfaces.layout import visible
from xcsh.tui.dialogs.marked_list import MarkedList
from xcsh.tui.dialogs.shown_request import lines_label, shown_request, title_of

_ANSWERS = (("once", "[y] yes, once"), ("session", "[s] this session"), ("always", "[a] always"), ("no", "[n] no"))
_KEYS = "↑↓ scroll · r: no, and say why · Esc no · Ctrl+C no, and end the turn"
_SOON = "what you type counts in a moment"
_PATTERN_KEYS = "always allow which? (goes into your settings) · Enter allow · Esc back"
_REASON_KEYS = "what should it do instead? · Enter say so · Esc back"


class ConsentDialog(ModalScreen[Answer]):
    """Yes once, yes for the session, yes for good (with the pattern that would be written down), or no.

    Keys count only after a pause in the typing: whoever was typing when it came has answered nothing. `interrupted`:
    the user wants the turn to end as well.
    """

    PAUSE = 0.4
    """Seconds without a key after which the next one counts."""

    DEFAULT_CSS = """
    ConsentDialog { align: center middle; }
    ConsentDialog > Vertical {
        width: 94%; max-width: 110; height: auto; max-height: 94%; overflow-y: auto;
        border: round $warning; padding: 0 1; background: $surface;
    }
    ConsentDialog Static { height: auto; }
    ConsentDialog .title { text-style: bold; }
    ConsentDialog #shown {
        height: auto; max-height: 35vh; border: round $primary; padding: 0 1; scrollbar-size-vertical: 1;
    }
    ConsentDialog #shown:focus { border: round $accent; }
    ConsentDialog .note { color: $text-warning; }
    ConsentDialog .pattern, ConsentDialog .keys { color: $text-muted; }
    ConsentDialog Horizontal { height: 1; margin: 1 0; }
    ConsentDialog Button { margin: 0 1 0 0; }
    ConsentDialog MarkedList, ConsentDialog MarkedList:focus {
        height: auto; max-height: 5; border: none; padding: 0; background: $surface;
    }
    ConsentDialog Input, ConsentDialog Input:focus { height: 1; border: none; padding: 0; background: $boost; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('once')", "once"),
        Binding("s", "answer('session')", "for this session"),
        Binding("a", "answer('always')", "always"),
        Binding("n", "answer('no')", "no"),
        Binding("r", "reason", "no, and say why"),
        Binding("escape", "back", "no", priority=True),
        Binding("ctrl+c", "interrupt", "no, and end the turn", priority=True),
    ]

    def __init__(self, request: ConsentRequest) -> None:
        super().__init__()
        self._request = request
        self._armed = False
        self._timer: Timer | None = None
        self.interrupted = False

    @property
    def armed(self) -> bool:
        """Whether a key answers by now."""
        return self._armed

    def compose(self) -> ComposeResult:
        request = self._request
        with Vertical():
            yield Static(title_of(request), classes="title", markup=False)
            yield Static(f"{visible(request.origin)} asks: {visible(request.why)}", classes="why", markup=False)
            with VerticalScroll(id="shown"):
                yield Static(shown_request(request))
            for note in request.notes:
                yield Static(f"! {visible(note)}", classes="note", markup=False)
            yield Static(self._pattern_line(), classes="pattern", markup=False)
            with Horizontal():
                for answer, label in _ANSWERS:
                    button = Button(label.replace("[", r"\["), id=answer, compact=True)
                    button.disabled = not self._is_offered(answer)
                    yield button
            patterns = MarkedList([Content(visible(text)) for text in request.patterns])
            patterns.display = False
            yield patterns
            reason = Input(placeholder="use the test database instead")
            reason.display = False
            yield reason
            yield Static(_SOON, classes="keys", markup=False)

    def on_mount(self) -> None:
        """Nothing that answers has the focus."""
        self.query_one(Input).cursor_blink = False
        shown = self.query_one("#shown", VerticalScroll)
        shown.border_subtitle = lines_label(self._request)
        shown.focus()
        self._wait()

    def on_key(self, event: events.Key) -> None:
        """A key that comes too early starts the pause anew."""
        if not self._armed and event.key not in ("escape", "ctrl+c", "up", "down", "pageup", "pagedown"):
            event.stop()
            event.prevent_default()
            self._wait()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(self.PAUSE, self._arm)

    def _arm(self) -> None:
        self._armed = True
        self.query_one(".keys", Static).update(_KEYS)

    def _is_offered(self, answer: str) -> bool:
        if self._request.once:
            return answer in ("once", "no")
        return answer != "always" or bool(self._request.patterns)

    def _pattern_line(self) -> str:
        if self._request.once:
            return "only once: the next call may run something else"
        narrowest, *wider = self._request.patterns or ("",)
        if not narrowest:
            return "always is not to be had: no pattern can allow this"
        more = (f", or one of {len(wider)} wider ones" if len(wider) > 1 else ", or a wider one") if wider else ""
        return f"always would allow: {visible(narrowest)}{more}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters answer only where none is typed, and not before the pause is over."""
        del parameters
        if action in ("answer", "reason"):
            return self._armed and not self.query_one(Input).display and not self.query_one(MarkedList).display
        return True

    def action_answer(self, answer: str) -> None:
        """Ends the dialog with an answer; of several patterns one is chosen first."""
        patterns = self._request.patterns
        narrowest = next(iter(patterns), "")
        if not self._is_offered(answer):
            return
        if answer == "always":
            if len(patterns) > 1:
                self._step(MarkedList, _PATTERN_KEYS)
            elif narrowest:
                self.dismiss(Always(narrowest))
        elif answer == "session":
            self.dismiss(Session(narrowest))
        else:
            self.dismiss(Once() if answer == "once" else No())

    def action_reason(self) -> None:
        """No, and what the model is to be told."""
        self._step(Input, _REASON_KEYS)

    def action_back(self) -> None:
        """Out of a second step; out of the first it is a no."""
        for step in (Input, MarkedList):
            widget = self.query_one(step)
            if widget.display:
                widget.display = False
                self.query_one("#shown").focus()
                self.query_one(".keys", Static).update(_KEYS)
                return
        self.dismiss(No())

    def action_interrupt(self) -> None:
        """No, and the turn is to end."""
        self.interrupted = True
        self.dismiss(No())

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if self._armed:
            self.action_answer(event.button.id or "no")

    @on(OptionList.OptionSelected)
    def _pattern_chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(Always(self._request.patterns[event.option_index]))

    @on(Input.Submitted)
    def _reason_given(self, event: Input.Submitted) -> None:
        self.dismiss(No(event.value.strip()))

    def _step(self, kind: type[MarkedList | Input], keys: str) -> None:
        widget = self.query_one(kind)
        widget.display = True
        widget.focus()
        self.query_one(".keys", Static).update(keys)
