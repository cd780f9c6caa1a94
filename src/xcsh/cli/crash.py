"""Writes what a maintainer needs of a bug of ours to a file; the user sees its name and no traceback (U-1, U-5)."""

from __future__ import annotations

import os
import sys
import traceback


def write_crash_log(error: BaseException, argv: list[str]) -> str:
    """Appends versions, options and the traceback to a log for its owner alone; returns its path, or why not."""
    from xcsh import __version__
    from xcsh.sources.state_folder import state_folder

    path = os.path.join(state_folder(os.environ, os.path.expanduser("~")), "crash.log")
    lines = [
        f"xcsh {__version__}, Python {sys.version.split()[0]}, {sys.platform}",
        f"options: {' '.join(word for word in argv if word.startswith('-'))}",
        "".join(traceback.format_exception(error)),
    ]
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write("\n".join(lines) + "\n")
    except OSError as problem:
        return f"(no log could be written: {problem.strerror})"
    return path
