"""An application that ends without a traceback on the screen, and waits for its work before it is gone."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.worker import Worker, WorkerError, WorkerFailed

from xcsh.tui.input.terminal_keys import know_alt_enter

if TYPE_CHECKING:
    from rich.console import RenderableType


_THEMES = {"dark": "textual-dark", "light": "textual-light", "ansi": "ansi-dark"}
_LIGHT_BACKGROUNDS = ("7", "15")


def theme_for(wanted: str, environment: Mapping[str, str]) -> str:
    """The framework's name of a theme. `auto`: dark, unless the terminal says that its background is light."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return _THEMES.get(wanted) or _THEMES["light" if background in _LIGHT_BACKGROUNDS else "dark"]


class TerminalApp(App[None]):
    """`failure` is what ended it: for whoever runs it to tell, once the terminal is as it was before.

    The framework would show a traceback with the values of variables, which may be the user's secrets.
    """

    def __init__(self) -> None:
        super().__init__()
        know_alt_enter()
        self.failure: Exception | None = None
        self._lasting: Worker[None] | None = None

    def _handle_exception(self, error: Exception) -> None:
        cause = error.error if isinstance(error, WorkerFailed) and isinstance(error.error, Exception) else error
        self.failure = self.failure or cause
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def panic(self, *renderables: RenderableType) -> None:
        """Ends it. Where nothing has failed, it is the thread that reads the keys: the terminal is gone."""
        del renderables
        self.failure = self.failure or RuntimeError("the keyboard could not be read any more")
        self._close_messages_no_wait()

    def run_lasting(self, work: Coroutine[Any, Any, None]) -> None:
        """Starts work that `closed` waits for."""
        self._lasting = self.run_worker(work, exclusive=True, group="lasting", exit_on_error=False)

    async def closed(self) -> None:
        """Returns when the lasting work has ended; it is cancelled with the application, and may clean up."""
        if self._lasting is not None:
            try:
                await self._lasting.wait()
            except WorkerFailed as failed:
                error = failed.error
                self.failure = self.failure or (error if isinstance(error, Exception) else failed)
            except WorkerError:  # it was cancelled with the application
                return
