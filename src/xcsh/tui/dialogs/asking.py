"""Shows one dialog at a time, in the order in which they were asked for."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

from textual.app import App
from textual.screen import ModalScreen

_Answer = TypeVar("_Answer")


class Dialogs:
    """The dialogs of an application. One that is asked for while another is open waits until that is answered."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._one = asyncio.Lock()

    async def answer(self, dialog: ModalScreen[_Answer]) -> _Answer | None:
        """The answer; None where the dialog went without one. Whoever does not wait any more takes the dialog away."""
        async with self._one:
            answer: asyncio.Future[_Answer | None] = asyncio.get_running_loop().create_future()
            await self._app.push_screen(dialog, lambda given: None if answer.done() else answer.set_result(given))
            try:
                return await answer
            finally:
                if not answer.done() or answer.cancelled():
                    self._take_away(dialog)

    def _take_away(self, dialog: ModalScreen[_Answer]) -> None:
        if self._app.is_running and dialog.is_current:
            dialog.dismiss()
