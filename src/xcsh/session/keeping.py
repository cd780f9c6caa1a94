"""A session that is written down: a new one, or one that goes on (S-13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart

from xcsh.session.events import Sink
from xcsh.session.images.attached import AttachedImages
from xcsh.session.measuring import Used, used_of_record
from xcsh.session.store import SessionFile, StoredSession, valid_history
from xcsh.session.store.records import CONTENTS, ENDING
from xcsh.session.undo.contents import FolderKeeper
from xcsh.session.undo.session_changes import SessionChanges


class Kept(NamedTuple):
    """The file of a session, which is locked, and what was in it where it goes on."""

    file: SessionFile
    stored: StoredSession | None = None

    @property
    def history(self) -> Sequence[ModelMessage]:
        """What can be sent. An input that was acknowledged and never sent stands at its end: nothing is lost."""
        if self.stored is None:
            return ()
        unsent = [ModelRequest([UserPromptPart(text)]) for text in self.stored.unanswered]
        return [*valid_history(self.stored.messages), *unsent]

    @property
    def turns(self) -> int:
        """How many turns it has had."""
        return self.stored.turns if self.stored is not None else 0

    @property
    def used(self) -> Used | None:
        """What its turns have used, whatever is left of them in the history; None for a new session."""
        return used_of_record(self.stored.usage) if self.stored is not None and self.stored.turns else None

    @property
    def queue(self) -> tuple[Sequence[str], Sequence[str]]:
        """What waited to be sent: before the next request, and after the turn."""
        return (self.stored.steering, self.stored.follow_ups) if self.stored is not None else ((), ())

    @property
    def state(self) -> Mapping[str, object]:
        """What else was to be known."""
        return self.stored.state if self.stored is not None else {}

    def changes(self, cwd: str, max_file_bytes: int) -> SessionChanges:
        """The journal of its file changes; contents lie in a folder beside its file."""
        return SessionChanges(self.file, self._folder, cwd, self._notes, max_file_bytes=max_file_bytes)

    def images(self, tell: Sink) -> AttachedImages:
        """The images of its prompts, in the same folder."""
        return AttachedImages(FolderKeeper(self._folder, self.file.note, self.file.sync), self._notes, tell)

    @property
    def _folder(self) -> str:
        return self.file.path.removesuffix(ENDING) + CONTENTS

    @property
    def _notes(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        return self.stored.notes if self.stored is not None else ()


def keep_session(folder: str, cwd: str, model: str = "") -> Kept:
    """Begins a session file in a folder. Raises SessionWriteError."""
    return Kept(SessionFile.create(folder, cwd=cwd, model=model))


def resume_session(path: str) -> Kept:
    """Goes on with a session file. Raises SessionBusyError, SessionFormatError, UnknownSessionError."""
    return Kept(*SessionFile.resume(path))
