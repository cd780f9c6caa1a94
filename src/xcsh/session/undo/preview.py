"""What an undo would do, without doing it: for whoever asks first."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from xcsh.agent.changes.records import MAX_FILE_BYTES, ContentKeeper
from xcsh.session.undo.anchored import Anchor
from xcsh.session.undo.line_merge import line_counts
from xcsh.session.undo.plan import Outcome, plan_undo
from xcsh.session.undo.report import ItemReport
from xcsh.session.undo.taking_back import by_file, reason_of
from xcsh.session.undo.turn_changes import FileChange, Note, changes_of, next_redo, next_undo

_WRITING = (Outcome.RESTORED, Outcome.MERGED, Outcome.REMOVED)


class Foreseen(NamedTuple):
    """What would become of a file, and how many lines it would gain and lose. `item` says why where it would stay."""

    item: ItemReport
    gained: int = 0
    lost: int = 0

    @property
    def text(self) -> str:
        """One line for people, and what is to be known under it."""
        if self.item.outcome not in _WRITING:
            return self.item.text
        what = {
            Outcome.REMOVED: "would be removed: it did not exist before",
            Outcome.MERGED: "would be as before, with what was changed since kept",
        }.get(self.item.outcome, "would be as before")
        return f"{self.item.path}  +{self.gained} −{self.lost}  {what}"


def preview(
    notes: Iterable[Note],
    folder: str,
    keeper: ContentKeeper,
    *,
    redo: bool = False,
    max_file_bytes: int = MAX_FILE_BYTES,
) -> tuple[Foreseen, ...] | None:
    """What the next undo, or redo, would do to each file; None where there is none. Reads files, changes nothing."""
    turns = changes_of(notes)
    turn = next_redo(turns) if redo else next_undo(turns)
    if turn is None:
        return None
    try:
        with Anchor(folder) as anchor:
            return tuple(
                _file(anchor, group.root, group.path, group.changes, keeper, max_file_bytes)
                for group in by_file(turn.files)
            )
    except OSError as error:
        return (Foreseen(ItemReport(folder, *reason_of(error))),)


def _file(
    anchor: Anchor, root: str, recorded: str, changes: tuple[FileChange, ...], keeper: ContentKeeper, limit: int
) -> Foreseen:
    path = anchor.inside(root, recorded)
    if path is None:
        return Foreseen(ItemReport(os.path.join(root, recorded), Outcome.LEFT_OUTSIDE))
    try:
        state = anchor.look(path, limit).state
        plan = plan_undo(changes, state, keeper.content)
    except OSError as error:
        return Foreseen(ItemReport(path, *reason_of(error)))
    item = ItemReport(path, plan.outcome, plan.detail)
    if plan.outcome not in _WRITING:
        return Foreseen(item)
    return Foreseen(item, *line_counts(state.content or b"", plan.content or b""))
