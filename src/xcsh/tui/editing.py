"""What the application hands to the user's editor: files, and the text of the prompt."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

    from xcsh.tui.conversation import Conversation
    from xcsh.tui.input.prompt_area import PromptArea


class Editing:
    """Edits for an application and its conversation; what went wrong is a sentence."""

    def __init__(self, app: App[Any], conversation: Conversation) -> None:
        self._app = app
        self._conversation = conversation

    async def file(self, path: str, line: int) -> str:
        """Opens a file; the session reads its files again after it. What went wrong, empty where nothing did."""
        from xcsh.tui.editor import open_in_editor  # noqa: PLC0415 - not before the first paint

        problem = await open_in_editor(self._app, path, line, environ=os.environ)
        if (session := self._conversation.session) is not None:
            await session.reload()
        return problem

    async def prompt(self, prompt: PromptArea) -> str:
        """Has the text of the prompt edited. What went wrong, as above."""
        from xcsh.tui.editor import edit_text  # noqa: PLC0415 - not before the first paint

        before = prompt.text
        edited = await edit_text(self._app, before, environ=os.environ)
        if edited.text != before:
            prompt.put(edited.text)
        return edited.problem
