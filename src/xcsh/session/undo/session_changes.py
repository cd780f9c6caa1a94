"""Keeps and takes back the file changes of a session: the journal, its folder, and undo over both."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from xcsh.agent.changes.journal import ChangeJournal
from xcsh.agent.events import FileChanged
from xcsh.session.events import SessionEvent, Sink
from xcsh.session.store import SessionFile
from xcsh.session.undo.contents import FolderKeeper
from xcsh.session.undo.preview import Foreseen, preview
from xcsh.session.undo.report import UndoReport
from xcsh.session.undo.taking_back import redo_last, undo_last
from xcsh.session.undo.turn_changes import Note

_DIFF = "diff"
"""The kind of a note: what a call did to a file, as it was told."""


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

    def noting(self, emit: Sink) -> Sink:
        """Passes events on, and writes down what calls did to files, which is told again when the session goes on."""

        def tell(event: SessionEvent) -> None:
            if isinstance(event, FileChanged):
                self._note(_DIFF, event._asdict())
            emit(event)

        return tell

    @property
    def told(self) -> list[FileChanged]:
        """What calls did to files so far, oldest first."""
        return [change for kind, data in self._notes if kind == _DIFF and (change := _change_of(data)) is not None]

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


def _change_of(data: Mapping[str, Any]) -> FileChanged | None:
    """Of another shape, as a file that was edited may hold it, nothing is told."""
    texts = [data.get(name) for name in ("path", "operation", "diff", "call_id")]
    counts = [data.get(name) for name in ("added", "removed", "left")]
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(each, int | None) for each in counts):
        return None
    return FileChanged(**{name: data[name] for name in FileChanged._fields})
