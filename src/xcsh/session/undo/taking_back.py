"""Takes the changes of a turn back, newest first, without touching what somebody else changed since."""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterable, Sequence
from hashlib import sha256 as hash_of
from typing import NamedTuple

from xcsh.agent.changes.records import (
    CREATE_DIRECTORY,
    DONE,
    INTENT,
    MAX_FILE_BYTES,
    REMOVE_DIRECTORY,
    UNDO,
    UNDO_BEGAN,
    UNDO_ENDED,
    ContentKeeper,
)
from xcsh.session.undo.anchored import Anchor, ChangedMeanwhileError, LinkError, Seen
from xcsh.session.undo.plan import Outcome, Plan, plan_undo
from xcsh.session.undo.report import ItemReport, UndoReport
from xcsh.session.undo.turn_changes import (
    FileChange,
    FolderChange,
    Note,
    TurnChanges,
    changes_of,
    next_redo,
    next_undo,
    unfinished_undo,
)

_REFUSALS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY)
_WRITING = (Outcome.RESTORED, Outcome.MERGED, Outcome.REMOVED)


def undo_last(
    notes: Iterable[Note], folder: str, keeper: ContentKeeper, *, max_file_bytes: int = MAX_FILE_BYTES
) -> UndoReport | None:
    """Takes back the newest turn that is in force, or finishes the undo of it that a crash cut short; None without one.

    `notes`: all that the keeper was given, oldest first. The next call, with the notes of this one, takes the
    turn before.
    """
    turns = changes_of(notes)
    turn = next_undo(turns)
    if turn is None:
        return None
    return undo(turn, folder, keeper, resume=unfinished_undo(turns, turn.turn), max_file_bytes=max_file_bytes)


def redo_last(
    notes: Iterable[Note], folder: str, keeper: ContentKeeper, *, max_file_bytes: int = MAX_FILE_BYTES
) -> UndoReport | None:
    """Takes back the newest undo; None where there is none, or a turn has changed files after it."""
    turns = changes_of(notes)
    turn = next_redo(turns)
    if turn is None:
        return None
    return undo(turn, folder, keeper, resume=unfinished_undo(turns, turn.turn), max_file_bytes=max_file_bytes)


def undo(
    changes: TurnChanges,
    folder: str,
    keeper: ContentKeeper,
    *,
    resume: str = "",
    max_file_bytes: int = MAX_FILE_BYTES,
) -> UndoReport:
    """Takes back all changes of one turn below `folder`, the working folder.

    A file that holds what the turn left gets its old content and mode, or goes where there was none. One that somebody
    changed since is merged where no lines collide, else left and reported. Each file is replaced as a whole, and each
    step recorded before it is done: undoing the undo (a turn as well) redoes, and after a crash the same call with
    `resume`, the turn of the undo that began, finishes. Blocks on the disk. Raises UsageError on Windows; what goes
    wrong with a file or with the keeper is in the report.
    """
    undoing = _Undoing(changes, keeper, resume or uuid.uuid4().hex, max_file_bytes)
    try:
        with Anchor(folder) as anchor:
            return undoing.run(anchor, begun=bool(resume))
    except OSError as error:
        failed = ItemReport(folder, Outcome.FAILED, _why(error))
        return UndoReport(changes.turn, undoing.turn, (failed,), ended=False)


class _Undoing:
    """One undo while it runs."""

    def __init__(self, changes: TurnChanges, keeper: ContentKeeper, turn: str, limit: int) -> None:
        self.turn = turn
        self._changes = changes
        self._keeper = keeper
        self._limit = limit

    def run(self, anchor: Anchor, *, begun: bool) -> UndoReport:
        """Raises OSError where not even the beginning can be recorded."""
        marks = {"turn": self.turn, "undoes": self._changes.turn}
        if not begun:
            self._keeper.record(UNDO_BEGAN, marks)
        items = [item for folder in self._folders(made=False) for item in self._make(anchor, folder)]
        items += [self._file(anchor, *group) for group in by_file(self._changes.files)]
        items += [item for folder in reversed(self._folders(made=True)) for item in self._remove(anchor, folder)]
        ended = not any(item.outcome is Outcome.FAILED for item in items)
        if ended:
            self._keeper.record(UNDO_ENDED, marks)
        return UndoReport(self._changes.turn, self.turn, tuple(items), ended)

    def _file(self, anchor: Anchor, root: str, recorded: str, changes: Sequence[FileChange]) -> ItemReport:
        path = anchor.inside(root, recorded)
        if path is None:
            return ItemReport(os.path.join(root, recorded), Outcome.LEFT_OUTSIDE)
        temporary = f".xcsh-undo-{hash_of(f'{self.turn}/{path}'.encode()).hexdigest()[:16]}"
        try:
            anchor.clear(path, temporary)
            seen = anchor.look(path, self._limit)
            plan = plan_undo(changes, seen.state, self._keeper.content)
            if plan.outcome in _WRITING:
                self._write(anchor, path, seen, plan, temporary)
        except OSError as error:
            return ItemReport(path, *reason_of(error))
        detail = plan.detail
        if plan.outcome in _WRITING and seen.state.names > 1:
            detail = "the file had other names (hard links), which keep what the turn wrote"
        return ItemReport(path, plan.outcome, detail)

    def _write(self, anchor: Anchor, path: str, seen: Seen, plan: Plan, temporary: str) -> None:
        before = seen.state
        if before.content is not None:
            self._keep(before.content)
        after = None if plan.content is None else self._keep(plan.content)
        change = self._intend(
            anchor, path, UNDO, before=before.sha256, mode=before.mode, intended=after, lost=before.problem
        )
        if plan.content is None:
            anchor.remove(path, seen)
        else:
            anchor.replace(path, plan.content, plan.mode, seen, temporary)
        self._confirm(change, after=after, mode=plan.mode)

    def _keep(self, content: bytes) -> str:
        try:
            return self._keeper.blob(content)
        except OSError as error:
            # Not the errno: that the copy is refused says nothing of the file itself.
            raise OSError(errno.EIO, f"the copy that redoing needs could not be kept: {_why(error)}") from error

    def _make(self, anchor: Anchor, folder: FolderChange) -> list[ItemReport]:
        """Makes a folder again that an undo removed."""
        path = anchor.inside(folder.root, folder.path)
        if path is None:
            return [ItemReport(os.path.join(folder.root, folder.path), Outcome.LEFT_OUTSIDE)]
        try:
            if anchor.folder_state(path) is not None:
                return []
            change = self._intend(anchor, path, CREATE_DIRECTORY, folders=[path])
            anchor.make_folder(path, folder.mode)
            self._confirm(change, folders=[path])
        except OSError as error:
            return [ItemReport(path, *reason_of(error))]
        return [ItemReport(f"{path}/", Outcome.RESTORED)]

    def _remove(self, anchor: Anchor, folder: FolderChange) -> list[ItemReport]:
        """Removes a folder that the turn made, if it is empty."""
        path = anchor.inside(folder.root, folder.path)
        if path is None:
            return [ItemReport(os.path.join(folder.root, folder.path), Outcome.LEFT_OUTSIDE)]
        try:
            state = anchor.folder_state(path)
            if state is None:
                return []
            mode, empty = state
            if not empty:
                return [ItemReport(f"{path}/", Outcome.LEFT_FOLDER)]
            change = self._intend(anchor, path, REMOVE_DIRECTORY, mode=mode)
            anchor.remove_folder(path)
            self._confirm(change)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return [ItemReport(f"{path}/", Outcome.LEFT_FOLDER)]
            return [ItemReport(f"{path}/", *reason_of(error))]
        return [ItemReport(f"{path}/", Outcome.REMOVED)]

    def _folders(self, *, made: bool) -> list[FolderChange]:
        """Each once, the outer ones first."""
        return sorted({folder for folder in self._changes.folders if folder.made is made}, key=lambda one: one.path)

    def _intend(
        self,
        anchor: Anchor,
        path: str,
        operation: str,
        *,
        before: str | None = None,
        mode: int = 0,
        intended: str | None = None,
        folders: Sequence[str] = (),
        lost: str = "",
    ) -> str:
        change = uuid.uuid4().hex
        place = {"root": anchor.folder, "path": path, "link": None, "operation": operation, "folders": list(folders)}
        content = {"before": before, "mode": mode, "intended": intended, "lost": lost}
        self._keeper.record(INTENT, {"id": change, "turn": self.turn, **place, **content})
        return change

    def _confirm(self, change: str, *, after: str | None = None, mode: int = 0, folders: Sequence[str] = ()) -> None:
        fields = {"id": change, "happened": True, "after": after, "mode": mode, "folders": list(folders)}
        self._keeper.record(DONE, fields)


class FileGroup(NamedTuple):
    """The changes of one file, oldest first."""

    root: str
    path: str
    changes: tuple[FileChange, ...]


def by_file(changes: Sequence[FileChange]) -> list[FileGroup]:
    """The changes of each file, oldest first; the file that was changed last comes first."""
    groups: dict[tuple[str, str], list[FileChange]] = {}
    for change in changes:
        place = (change.root, change.path)
        groups[place] = [*groups.pop(place, []), change]
    return [FileGroup(root, path, tuple(found)) for (root, path), found in reversed(groups.items())]


def reason_of(error: OSError) -> tuple[Outcome, str]:
    """What it comes to where the system refuses something, and its words."""
    if isinstance(error, LinkError):
        return Outcome.LEFT_LINK, _why(error)
    if isinstance(error, ChangedMeanwhileError):
        return Outcome.LEFT_CHANGED, _why(error)
    if isinstance(error, FileNotFoundError):
        return Outcome.LEFT_DELETED, "its folder was deleted"
    refused = error.errno in _REFUSALS
    return (Outcome.LEFT_REFUSED if refused else Outcome.FAILED), _why(error)


def _why(error: OSError) -> str:
    return error.strerror or str(error)
