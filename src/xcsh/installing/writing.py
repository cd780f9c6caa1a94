"""Shows what a file of another program would become, and writes it."""

from __future__ import annotations

import difflib
import os
import stat
from contextlib import suppress

from xcsh.errors import UsageError
from xcsh.sources.locking import held
from xcsh.sources.replacing import replace_file

_LIMIT = 8_000_000
_PATIENCE = 10.0


def read_text(path: str) -> str:
    """The file's text; empty where there is none. UsageError where it cannot be read or is no UTF-8."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
            raise UsageError(f"{path} is no regular file", "nothing was written")  # a pipe would be waited for
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read(_LIMIT + 1)
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8"
        raise UsageError(f"{path} cannot be read: {reason}", "nothing was written") from None
    if len(text) > _LIMIT:
        raise UsageError(f"{path} is too large to be a file of settings", "nothing was written")
    return text


def difference(path: str, before: str, after: str | None) -> list[str]:
    """The change as a unified diff. Before, an empty text is no file; after it None is."""
    old, new = path if before else os.devnull, path if after is not None else os.devnull
    return list(difflib.unified_diff(before.splitlines(), (after or "").splitlines(), old, new, lineterm=""))


def write_text(path: str, before: str, text: str | None) -> None:
    """Puts a new file in the old one's place, with its mode; a link is followed. With None it goes.

    UsageError where it cannot be, or where the file is not `before` any more.
    """
    real = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(real), exist_ok=True)
        with held(os.path.dirname(real), _PATIENCE):  # another one that installs must not come in between
            if read_text(real) != before:
                raise UsageError(f"{path} was changed meanwhile", "nothing was written; run it again")
            if text is None:
                os.unlink(real)
            else:
                replace_file(real, text.encode("utf-8"), mode=0o644)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}", "nothing was written") from None


def remove_empty_folders(path: str, base: str) -> None:
    """Takes away the folders of a file that is gone, as far as nothing is in them, up to `base`, which stays."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        while folder != base and folder.startswith(os.path.join(base, "")):
            os.rmdir(folder)
            folder = os.path.dirname(folder)
