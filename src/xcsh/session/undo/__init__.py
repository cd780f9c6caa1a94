"""Takes the file changes of turns back, without touching what was changed since."""

from xcsh.session.undo.contents import FolderKeeper
from xcsh.session.undo.taking_back import redo_last, undo_last

__all__ = ["FolderKeeper", "redo_last", "undo_last"]
