"""What an undo did, as values and as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from xcsh.session.undo.plan import Outcome

_SAYS: Mapping[Outcome, str] = MappingProxyType(
    {
        Outcome.RESTORED: "is as it was before",
        Outcome.REMOVED: "is removed: it did not exist before",
        Outcome.MERGED: "is as it was before, with what was changed since kept",
        Outcome.UNCHANGED: "was as before already",
        Outcome.LEFT_CHANGED: "is left as it is: it was changed after the turn; edit it by hand",
        Outcome.LEFT_DELETED: "stays deleted: it was deleted after the turn",
        Outcome.LEFT_LINK: "is left as it is: links are not followed; the file has to be put back by hand",
        Outcome.LEFT_OUTSIDE: "is left as it is: it lies outside the working folder",
        Outcome.LEFT_LOST: "is left as it is: its content from before was not kept",
        Outcome.LEFT_REFUSED: "is left as it is: the system refuses to change it; edit it by hand",
        Outcome.LEFT_FOLDER: "stays: the turn made this folder, but it holds something",
        Outcome.FAILED: "could not be taken back yet; see to the reason, then undo again",
    }
)


class ItemReport(NamedTuple):
    """What became of one file or folder.

    `path` is relative to the working folder where it lies in it; a folder's ends in a slash. `detail`: a reason, or the
    lines that differ from what the turn left.
    """

    path: str
    outcome: Outcome
    detail: str = ""

    @property
    def left(self) -> bool:
        """Whether it is not as it was before the turn."""
        return self.outcome.startswith("left") or self.outcome is Outcome.FAILED

    @property
    def text(self) -> str:
        """A sentence for people, with the detail under it."""
        detail = "".join(f"\n  {line}" for line in self.detail.splitlines())
        return f"{self.path} {_SAYS[self.outcome]}{detail}"


class UndoReport(NamedTuple):
    """What became of all that a turn changed.

    `undone`: the turn that was taken back; `turn`: the undo, which is a turn as well. `ended`: whether nothing failed;
    if not, the same undo can be finished later.
    """

    undone: str
    turn: str
    items: tuple[ItemReport, ...]
    ended: bool = True

    @property
    def left(self) -> tuple[ItemReport, ...]:
        """The files and folders that are not as they were."""
        return tuple(item for item in self.items if item.left)

    @property
    def text(self) -> str:
        """All of it for people; never empty."""
        return "\n".join(item.text for item in self.items) or "the turn had changed no files"

    def reminder(self, what: str) -> str:
        """What the model is told of it: that the user did this, and what became of each file."""
        return (
            f'<system-reminder reason="undo">\nThe user {what}. Read the files again before you change them.\n'
            f"{self.text}\n</system-reminder>"
        )
