"""Completes over a session: what it chooses from, and what is done at once or beside the event loop."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xcsh.tui.input.candidates import Candidate, built_in_candidates
from xcsh.tui.input.completion import Completion, Sources, complete, folder_to_list, word_at
from xcsh.tui.input.paths import PathIndex

if TYPE_CHECKING:
    from xcsh.session.agent_session import AgentSession
    from xcsh.session.prompt_pipeline import PromptContext

_AT_ONCE = 3_000
"""So many paths are ranked within a few milliseconds."""
_FRESH_SECONDS = 5.0
_MOST_FOLDERS = 50
_EXTENSION_SECONDS = 1.0


class Completer:
    """Holds what a session offers. Commands are those of the session at this moment, so that they are never stale."""

    def __init__(self) -> None:
        self.session: AgentSession | None = None
        self._commands: list[Candidate] = built_in_candidates()
        self._context: PromptContext | None = None
        self._prompts: Sequence[object] = ()
        self._files = PathIndex()
        self._listed_at = 0.0
        self._listed_for: str = ""
        self._folders: dict[str, Sequence[str]] = {}
        self._words: dict[str, Sequence[Candidate]] = {}
        self._offered: tuple[str, Sequence[Candidate]] = ("", ())
        self._asked = 0

    @property
    def sources(self) -> Sources:
        """What is chosen from."""
        context = self.session.context if self.session is not None else None
        prompts = tuple(context.servers.prompts) if context is not None and context.servers is not None else ()
        if context is not None and (context is not self._context or prompts != self._prompts):
            from xcsh.tui.input.arguments import words_of  # noqa: PLC0415 - not before the first paint
            from xcsh.tui.input.commands import commands_of  # noqa: PLC0415 - the same

            self._context, self._prompts = context, prompts
            self._commands = commands_of(context)
            self._words = words_of(context, self._commands)
        return Sources(self._commands, self._files, self._folders, self._words)

    def cancel(self) -> None:
        """What is being looked for is not wanted any more."""
        self._asked += 1

    def at_once(self, text: str, cursor: int) -> Completion | None:
        """The completion, where it takes no time; None where `beside` has to find it."""
        self.cancel()
        sources = self.sources
        word = word_at(text, cursor, sources.commands)
        if word is None:
            return Completion()
        if word.kind in {"path", "argument"}:
            stale = word.kind == "path" and time.monotonic() - self._listed_at > _FRESH_SECONDS
            many = len(sources.files.paths) > _AT_ONCE
            if stale or many or folder_to_list(text, cursor, sources) or self._completes_itself(word.command):
                return None
        return complete(text, cursor, sources)

    async def beside(self, text: str, cursor: int) -> Completion | None:
        """The completion, looked for in a thread; None where another was asked for meanwhile."""
        self.cancel()
        asked = self._asked
        sources = self.sources
        word = word_at(text, cursor, sources.commands)
        if word is not None and word.kind == "path" and time.monotonic() - self._listed_at > _FRESH_SECONDS:
            await self.list_files()
        folder = folder_to_list(text, cursor, self.sources)
        if folder is not None:
            await self._list_folder(folder)
        if word is not None and word.kind == "argument" and self._completes_itself(word.command):
            await self._ask_extension(word.command, word.typed)
        sources = self.sources
        found = await asyncio.to_thread(complete, text, cursor, sources, lambda: self._asked != asked)
        return found if self._asked == asked else None

    async def list_files(self) -> None:
        """Lists the project's files anew. A large project that was listed slowly is listed less often."""
        if self.session is None:
            return
        from xcsh.tui.input.project_files import list_project  # noqa: PLC0415 - not before the first paint

        cwd = self.session.context.registry.environment.cwd
        if cwd != self._listed_for:
            self._files, self._folders = PathIndex(), {}
        begun = time.monotonic()
        self._listed_at = begun  # whoever asks meanwhile takes what there is
        self._files = await asyncio.to_thread(list_project, cwd)
        self._listed_for = cwd
        self._listed_at = time.monotonic() + 10 * (time.monotonic() - begun)
        self._folders = {}

    async def _list_folder(self, folder: str) -> None:
        from xcsh.tui.input.project_files import list_names  # noqa: PLC0415 - not before the first paint

        if self.session is None:
            return
        environment = self.session.context.registry.environment
        path = environment.home + folder[1:] if folder.startswith("~/") else folder
        if len(self._folders) >= _MOST_FOLDERS:
            self._folders = {}
        self._folders[folder] = await asyncio.to_thread(list_names, os.path.join(environment.cwd, path))

    def _completes_itself(self, command: Candidate | None) -> bool:
        return getattr(command.item, "complete", None) is not None if command is not None else False

    async def _ask_extension(self, command: Candidate | None, typed: str) -> None:
        """What an extension's command offers; one that raises or hangs offers nothing."""
        from xcsh.extensions.registration import ExtensionCommand  # noqa: PLC0415 - not before the first paint
        from xcsh.extensions.running import call_in_thread  # noqa: PLC0415 - the same
        from xcsh.tui.input.arguments import offered_by  # noqa: PLC0415 - the same

        item = command.item if command is not None else None
        if command is None or not isinstance(item, ExtensionCommand):
            return
        outcome = await call_in_thread(lambda: offered_by(item, typed), _EXTENSION_SECONDS)
        offered = cast("list[object]", outcome.value) if isinstance(outcome.value, list) else []
        self._words[command.text] = [each for each in offered if isinstance(each, Candidate)]
