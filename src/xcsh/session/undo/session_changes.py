"""Keeps and takes back the file changes of a session: the journal, its folder, and undo over both."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from xcsh.agent.changes.journal import ChangeJournal
from xcsh.session.store import SessionFile
from xcsh.session.undo.contents import FolderKeeper
from xcsh.session.undo.preview import Foreseen, preview
from xcsh.session.undo.report import UndoReport
from xcsh.session.undo.taking_back import redo_last, undo_last
from xcsh.session.undo.turn_changes import Note


class SessionChanges:
    """The changes of one recorded session. `journal` is the capability that writes them down."""

    def __init__(
        self, file: SessionFile, folder: str, cwd: str, notes: Iterable[Note] = (), *, max_file_bytes: int
    ) -> None:
        """`folder`: for the contents; `notes`: of the session so far, where it is resumed."""
        self._file = file
        self._cwd = cwd
        self._most = max_file_bytes
        self._notes: list[Note] = list(notes)
        self._keeper = FolderKeeper(folder, self._note, file.sync)
        self.journal = ChangeJournal(self._keeper, max_file_bytes=max_file_bytes)

    async def undo(self) -> UndoReport | None:
        """Takes back the newest turn that is in force; None where no turn changed a file. Raises OSError."""
        return await asyncio.to_thread(undo_last, self._notes, self._cwd, self._keeper, max_file_bytes=self._most)

    async def redo(self) -> UndoReport | None:
        """Takes back the newest undo; None where there is none. Raises OSError."""
        return await asyncio.to_thread(redo_last, self._notes, self._cwd, self._keeper, max_file_bytes=self._most)

    async def foreseen(self, *, redo: bool = False) -> tuple[Foreseen, ...] | None:
        """What the next undo, or redo, would do to each file; None where there is none. Nothing is changed."""
        return await asyncio.to_thread(
            preview, self._notes, self._cwd, self._keeper, redo=redo, max_file_bytes=self._most
        )

    def _note(self, kind: str, data: Mapping[str, object]) -> None:
        self._file.note(kind, data)
        self._notes.append((kind, dict(data)))
