"""Sessions on disk (S-13): a file of JSON Lines each, written as they go. Light to import."""

from xcsh.session.store.errors import SessionBusyError, SessionFormatError, SessionWriteError, UnknownSessionError
from xcsh.session.store.folder import resolve_session, sessions_folder
from xcsh.session.store.listing import SessionSummary, list_sessions
from xcsh.session.store.reading import StoredSession, read_session
from xcsh.session.store.repair import valid_history
from xcsh.session.store.writing import SessionFile

__all__ = [
    "SessionBusyError",
    "SessionFile",
    "SessionFormatError",
    "SessionSummary",
    "SessionWriteError",
    "StoredSession",
    "UnknownSessionError",
    "list_sessions",
    "read_session",
    "resolve_session",
    "sessions_folder",
    "valid_history",
]
