"""One change of a file between its announcement and its outcome: what was there, what is to be there, what came."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from pydantic_ai_harness.filesystem import FileChangeRequestEvent, Replacement

from xcsh.agent.changes.file_state import ABSENT, FileState, missing_folders, state_at
from xcsh.agent.changes.records import CREATE_DIRECTORY, UNKNOWN, ChangeKeeper


class Announced(NamedTuple):
    """A change that was announced. `intended`: what is to be written, if known. `real`: the path with links resolved,
    empty where the file is none of this machine.

    `folders`: those that are missing. `lost`: why it cannot be undone.
    """

    id: str
    root: str
    path: str
    real: str
    before: FileState
    intended: bytes | None
    folders: tuple[str, ...]
    lost: str
    event: FileChangeRequestEvent

    def fields(self, turn: str) -> dict[str, object]:
        """The record of the intent."""
        return {
            "id": self.id,
            "turn": turn,
            "root": _plain(self.root),
            "path": _plain(self.path),
            "link": _plain(self.event.path) if self.event.path != self.path else None,
            "operation": self.event.operation,
            "before": self.before.sha256,
            "mode": self.before.mode,
            "intended": self.intended_hash,
            "folders": [_plain(folder) for folder in self.folders],
            "lost": self.lost,
        }

    @property
    def intended_hash(self) -> str | None:
        """SHA-256 of what is to be written."""
        if self.event.operation == CREATE_DIRECTORY:
            return None
        return UNKNOWN if self.intended is None else sha256(self.intended).hexdigest()


def look_before(
    event: FileChangeRequestEvent, args: Mapping[str, Any], keeper: ChangeKeeper, limit: int, *, local: bool
) -> Announced:
    """What is there before a change goes through; its content is kept when this returns, and so is the intended one.

    Reads and writes files. Raises OSError where the content cannot be kept.
    """
    change = uuid.uuid4().hex
    root, path = event.root_dir, event.path
    if not local:
        unknown = FileState(UNKNOWN)
        return Announced(change, root, path, "", unknown, None, (), "it lies in no workspace of this machine", event)
    real = os.path.realpath(os.path.join(root, path))
    path = os.path.relpath(real, root)
    folders = missing_folders(root, path)
    if event.operation == CREATE_DIRECTORY:
        missing = () if os.path.lexists(real) else (*folders, path)
        return Announced(change, root, path, real, ABSENT, None, missing, _unspeakable(real), event)
    before = state_at(real, limit)
    intended = intended_content(event.operation, args, before)
    for content in (before.content, intended):
        if content is not None and len(content) <= limit:
            keeper.blob(content)
    lost = before.problem or _unspeakable(real)
    return Announced(change, root, path, real, before, intended, tuple(folders), lost, event)


def intended_content(operation: str, args: Mapping[str, Any], before: FileState) -> bytes | None:
    """What the call of a tool is about to leave in a file; None where its arguments do not say."""
    if operation == "write":
        content = args.get("content")
        return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else None
    replacements = args.get("replacements")
    if replacements is None:
        replacements = [{"old_text": args.get("old_text"), "new_text": args.get("new_text")}]
    try:
        text = (before.content or b"").decode("utf-8")
    except UnicodeDecodeError:
        return None
    for old, new in map(_texts, replacements):
        # As the tool does it: each has to be there once, or nothing is written at all.
        if not old or text.count(old) != 1:
            return None
        text = text.replace(old, new, 1)
    return text.encode("utf-8", "surrogatepass")


def outcome(
    change: Announced, now: FileState, keeper: ChangeKeeper, limit: int, *, succeeded: bool | None
) -> dict[str, object] | None:
    """The record of what became of a change; None where that cannot be told from what is there now.

    `succeeded`: whether the tool said so; None while that is not known.
    """
    if change.event.operation == CREATE_DIRECTORY or change.event.cancelled:
        made = [folder for folder in change.folders if os.path.isdir(os.path.join(change.root, folder))]
        happened = bool(made) and not change.event.cancelled
        return {"id": change.id, "happened": happened, "after": None, "mode": 0, "folders": made if happened else []}
    after = now.sha256
    if after == change.before.sha256 != UNKNOWN:
        return {"id": change.id, "happened": False}
    if after != change.intended_hash:
        torn = is_torn(now.content, change.intended)
        if succeeded and change.intended is not None:
            after = change.intended_hash  # somebody else has written since; this is what the turn left
        elif succeeded or (succeeded is False and torn):
            if now.content is not None and len(now.content) <= limit:
                keeper.blob(now.content)
        else:
            return None
    made = [_plain(folder) for folder in change.folders if os.path.isdir(os.path.join(change.root, folder))]
    return {"id": change.id, "happened": True, "after": after, "mode": now.mode, "folders": made}


def is_torn(content: bytes | None, intended: bytes | None) -> bool:
    """Whether a file holds the beginning of what was to be written: tools write in place, and a disk may fill up."""
    return content is not None and intended is not None and content != intended and intended.startswith(content)


def _texts(replacement: Replacement | Mapping[str, Any]) -> tuple[str, str]:
    if isinstance(replacement, Replacement):
        return replacement.old_text, replacement.new_text
    old, new = replacement.get("old_text"), replacement.get("new_text")
    return (old, new) if isinstance(old, str) and isinstance(new, str) else ("", "")


def _plain(path: str) -> str:
    """A path that JSON can hold."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _unspeakable(path: str) -> str:
    return "" if _plain(path) == path else "its name is no UTF-8"
