"""What is written down about changes of files: the kinds of records, their fields, and who keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

INTENT = "file_change"
"""A file or folder is about to change. The fields:

- `id`: of this change; `turn`: the run that it belongs to, the outermost one where sub-agents work
- `root`: absolute folder; `path`: below it, with links resolved; `link`: the name that it was reached by, where another
- `operation`: `write`, `edit`, `create_directory`; of an undo also `undo`, `remove_directory`
- `before`: SHA-256 of the content, null where nothing was there, `unknown` where it cannot be read; `mode`: its
  permission bits, also of a folder that goes
- `intended`: SHA-256 of what is to be written, null where the file goes, or `unknown`
- `folders`: those that are missing on the way, below `root`, the outermost first
- `lost`: why the content from before is not kept; empty where it is
"""

DONE = "file_changed"
"""What became of it. `id`; `happened`; and where it did: `after` as `intended`, `mode`, and those of the missing
`folders` that are there now."""

UNDO_BEGAN = "undo_began"
"""From here on changes take a turn back. `turn`: the undo itself, a turn like another; `undoes`: what it takes back."""

UNDO_ENDED = "undo_ended"
"""The same fields. An undo without it can be finished."""

UNKNOWN = "unknown"
CREATE_DIRECTORY, REMOVE_DIRECTORY, UNDO = "create_directory", "remove_directory", "undo"

MAX_FILE_BYTES = 20 * 1024 * 1024
"""Default of the setting `undo.max_file_bytes`: the content of a larger file is not kept."""


class ChangeKeeper(Protocol):
    """Keeps records in their order, and contents. The disk has both when a call returns, or OSError is raised."""

    def record(self, kind: str, data: Mapping[str, object]) -> None:
        """Appends a record of plain JSON values, in the event loop's thread. An outcome need not be on the disk yet."""
        ...

    def blob(self, content: bytes) -> str:
        """Keeps a content and returns its SHA-256 as hexadecimal text. Called from any thread."""
        ...


class ContentKeeper(ChangeKeeper, Protocol):
    """A keeper that gives contents back, as undoing needs it."""

    def content(self, sha256: str) -> bytes:
        """The content of that hash. Raises OSError where it is not there or is damaged."""
        ...
