"""What becomes of one file when its changes are taken back: decided from contents alone, without touching the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from hashlib import sha256 as hash_of
from typing import NamedTuple

from xcsh.agent.changes.file_state import FileState
from xcsh.agent.changes.records import UNKNOWN
from xcsh.session.undo.line_merge import differences, merge
from xcsh.session.undo.turn_changes import FileChange


class Outcome(StrEnum):
    """What undoing did with a file or folder, or why it left it as it is."""

    RESTORED = "restored"
    REMOVED = "removed"
    MERGED = "merged"
    UNCHANGED = "unchanged"
    LEFT_CHANGED = "left: changed since"
    LEFT_DELETED = "left: deleted since"
    LEFT_LINK = "left: no plain file now"
    LEFT_OUTSIDE = "left: outside the working folder"
    LEFT_LOST = "left: the content from before is not there"
    LEFT_REFUSED = "left: the system refuses to change it"
    LEFT_FOLDER = "left: folder not empty"
    FAILED = "failed"


class Plan(NamedTuple):
    """`content` is what the file is to hold, None for no file; meaningless where `outcome` leaves it. `detail`: why."""

    outcome: Outcome
    content: bytes | None = None
    mode: int = 0
    detail: str = ""


class _LeftError(Exception):
    """The file stays as it is."""

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        self.plan = Plan(outcome, detail=detail)
        super().__init__(outcome)


class _Now(NamedTuple):
    """The file's content while its changes are taken back one by one."""

    sha256: str | None
    content: bytes | None
    mode: int
    merged: bool = False


def plan_undo(changes: Sequence[FileChange], current: FileState, read: Callable[[str], bytes]) -> Plan:
    """Takes the changes of one file, oldest first, back from what it holds now.

    `read` gives a kept content by its hash and raises OSError where there is none. All of the changes or none: a file
    is never left between two of them.
    """
    if current.sha256 == UNKNOWN:
        return Plan(Outcome.LEFT_REFUSED, detail=current.problem)
    now = _Now(current.sha256, current.content, current.mode)
    try:
        for change in reversed(joined(changes)):
            now = _take_back(change, now, read)
    except _LeftError as left:
        return left.plan
    if now.sha256 == current.sha256 and not now.merged:
        return Plan(Outcome.UNCHANGED)
    if now.sha256 is None:
        return Plan(Outcome.REMOVED)
    if now.content is None:
        return Plan(Outcome.LEFT_LOST, detail=current.problem)
    if now.content == current.content:
        return Plan(Outcome.UNCHANGED)
    return Plan(Outcome.MERGED if now.merged else Outcome.RESTORED, now.content, now.mode)


def joined(changes: Sequence[FileChange]) -> list[FileChange]:
    """The changes of one file with those that follow each other directly made one.

    One without a confirmation is settled by the next, which says what it found: that is before it, or after it.
    """
    found: list[FileChange] = []
    for at, change in enumerate(changes):
        following = changes[at + 1] if at + 1 < len(changes) else None
        if not change.confirmed and following is not None:
            if following.before == change.after:
                change = change._replace(confirmed=True)  # noqa: PLW2901
            elif following.before == change.before:
                continue
        last = found[-1] if found else None
        if last is not None and last.confirmed and change.confirmed and last.after == change.before:
            found[-1] = last._replace(after=change.after, after_mode=change.after_mode)
        else:
            found.append(change)
    return found


def _take_back(change: FileChange, now: _Now, read: Callable[[str], bytes]) -> _Now:
    if now.sha256 == change.before:
        return now
    if now.sha256 == change.after:
        return _before(change, now, read)
    if change.before == UNKNOWN:
        raise _LeftError(Outcome.LEFT_LOST, change.lost)
    if now.sha256 is None:
        raise _LeftError(Outcome.LEFT_DELETED)
    if not change.confirmed and change.after == UNKNOWN:
        raise _LeftError(Outcome.LEFT_CHANGED, "the session ended while it was being written")
    if change.after is None:
        raise _LeftError(Outcome.LEFT_CHANGED, "somebody has made a file there")
    left = _left_by(change.after, read)
    if left is None or now.content is None:
        raise _LeftError(Outcome.LEFT_CHANGED, "it cannot be compared: no copy is kept of what the turn left")
    if not change.confirmed and left.startswith(now.content):
        return _before(change, now, read)  # the writing was cut short, by a crash or a full disk
    merged = merge(left, now.content, _kept(change, read)) if change.before is not None else None
    if merged is None:
        raise _LeftError(Outcome.LEFT_CHANGED, differences(left, now.content))
    return _Now(hash_of(merged).hexdigest(), merged, _mode(change, now), merged=True)


def _before(change: FileChange, now: _Now, read: Callable[[str], bytes]) -> _Now:
    if change.before is None:
        return _Now(None, None, 0)
    return _Now(change.before, _kept(change, read), _mode(change, now))


def _mode(change: FileChange, now: _Now) -> int:
    """The mode from before, unless somebody has set another one since."""
    return change.before_mode if now.sha256 is None or now.mode == change.after_mode else now.mode


def _kept(change: FileChange, read: Callable[[str], bytes]) -> bytes:
    if change.lost or change.before is None:
        raise _LeftError(Outcome.LEFT_LOST, change.lost)
    return _read(change.before, read)


def _read(sha256: str, read: Callable[[str], bytes]) -> bytes:
    try:
        return read(sha256)
    except OSError as error:
        raise _LeftError(Outcome.LEFT_LOST, f"the copy is missing or damaged: {error.strerror or error}") from None


def _left_by(after: str, read: Callable[[str], bytes]) -> bytes | None:
    """What the turn left, where that was kept."""
    try:
        return read(after)
    except OSError:
        return None
