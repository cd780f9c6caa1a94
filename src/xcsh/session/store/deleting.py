"""Deletes a session, unless a process has it."""

from __future__ import annotations

import os

from xcsh.session.store.appending import AppendedFile
from xcsh.session.store.errors import SessionWriteError, UnknownSessionError
from xcsh.session.store.records import ENDING


def delete_session(path: str) -> None:
    """Raises SessionBusyError for one in use, UnknownSessionError for none, SessionWriteError where it must stay."""
    try:
        file = AppendedFile.open(path, os.path.basename(path).removesuffix(ENDING))
        try:
            if os.name != "nt":  # there, an open file cannot be deleted
                os.unlink(path)
        finally:
            file.close()
        if os.name == "nt":
            os.unlink(path)
    except FileNotFoundError:
        raise UnknownSessionError(f"there is no session file {path}", "see: xcsh sessions") from None
    except PermissionError as error:
        raise SessionWriteError(path, (error.strerror or str(error)).lower()) from None
