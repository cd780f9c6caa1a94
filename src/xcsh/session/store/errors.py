"""What can go wrong with a session's file, said to the person whose session it is."""

from __future__ import annotations

from xcsh.errors import FailedTurnError, UsageError


class SessionBusyError(UsageError, BlockingIOError):
    """Another process is writing the session. `pid` is that process's, 0 where it is not known."""

    def __init__(self, session: str, pid: int = 0) -> None:
        self.pid = pid
        owner = f"process {pid}" if pid else "another process"
        super().__init__(f"the session {session} is in use by {owner}", "end that one first, or start a new session")


class SessionWriteError(FailedTurnError, OSError):
    """Something that was to be kept could not be written; nothing of it counts as kept."""

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        super().__init__(
            f"the session cannot be written to {path}: {why}",
            "make room or correct the permissions; XDG_STATE_HOME names another place",
        )


class SessionFormatError(UsageError):
    """A file that is no session, or one of a later version of the format."""


class UnknownSessionError(UsageError, LookupError):
    """No session has the id, or several start with it."""
