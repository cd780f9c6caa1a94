"""Deletes a session and the folder of its contents, unless a process has it."""

from __future__ import annotations

import os

from xcsh.session.store.appending import AppendedFile
from xcsh.session.store.errors import SessionWriteError, UnknownSessionError
from xcsh.session.store.records import CONTENTS, ENDING


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
        _delete_contents(path.removesuffix(ENDING) + CONTENTS)
    except FileNotFoundError:
        raise UnknownSessionError(f"there is no session file {path}", "see: xcsh sessions") from None
    except PermissionError as error:
        raise SessionWriteError(error.filename or path, (error.strerror or str(error)).lower()) from None


def _delete_contents(folder: str) -> None:
    """Only what is a folder itself: of a link neither the link nor what it leads to is ours."""
    if os.path.isdir(folder) and not os.path.islink(folder):
        import shutil  # noqa: PLC0415 - most sessions have no such folder

        shutil.rmtree(folder)
