"""Asks before something that needs consent: exactly what would happen, where it is from, and the answers (S-12)."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from xcsh.agent.consent.request import Always, Answer, ConsentRequest, No, Once, Session
from xcsh.tui.transcript.painter import visible_text


class ConsentDialog(ModalScreen[Answer]):
    """Yes once, yes for the session, yes for good (with the pattern that would be written down), or no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('once')", "once"),
        Binding("s", "answer('session')", "for this session"),
        Binding("a", "answer('always')", "always"),
        Binding("n,escape", "answer('no')", "no"),
    ]

    def __init__(self, request: ConsentRequest) -> None:
        super().__init__()
        self._request = request

    def compose(self) -> ComposeResult:
        request = self._request
        shown = request.command or request.diff or request.arguments or request.path
        with Vertical(id="consent"):
            yield Static(f"{request.origin} wants to use {request.tool}: {request.why}", markup=False)
            if request.path:
                yield Static(visible_text(request.path), classes="path", markup=False)
            with VerticalScroll(id="shown"):
                yield Static(visible_text(shown), markup=False)
            for note in request.notes:
                yield Static(visible_text(note), markup=False)
            if request.patterns:
                yield Static(f"always would allow: {request.patterns[0]}", classes="pattern", markup=False)
            yield Footer()

    def action_answer(self, answer: str) -> None:
        """Ends the dialog with an answer."""
        pattern = self._request.patterns[0] if self._request.patterns else ""
        if answer == "always" and not pattern:
            return
        answers: dict[str, Answer] = {
            "once": Once(),
            "session": Session(pattern),
            "always": Always(pattern),
            "no": No(),
        }
        self.dismiss(answers[answer])
