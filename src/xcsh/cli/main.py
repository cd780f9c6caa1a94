"""Entry point: finds the verb, runs it, and turns every outcome into an exit code and at most two lines (U-1, U-5)."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING

from xcsh.cli.failures import FAILED, FINE, INTERRUPTED, failure_of
from xcsh.cli.output import say
from xcsh.cli.verb_table import VERBS, first_word

if TYPE_CHECKING:
    import argparse

_OUTPUT_ERRORS = frozenset({errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EBADF})
_HOOK = "hook"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code. Nothing but SystemExit from argparse leaves it."""
    collecting = gc.isenabled()
    gc.disable()  # a light verb lives for a tenth of a second
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        code = _run_hook(words) if _is_hook(words) else _run(words)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        code = FINE
    finally:
        if collecting:
            gc.enable()
    return _left(code) if argv is None else code


def _is_hook(argv: list[str]) -> bool:
    at = first_word(argv)
    return at is not None and argv[at] == _HOOK


def _run_hook(argv: list[str]) -> int:
    """As any verb, but that no event is answered with a failure: some agents take any for a denial, all of them 2."""
    try:
        code = min(_run(argv), FAILED)
    except SystemExit as ended:  # of argparse
        return FAILED if ended.code else FINE
    return code if any(word.startswith(("--install", "--remove")) for word in argv) else FINE


def _arguments(argv: list[str]) -> argparse.Namespace:
    if argv[:1] == [_HOOK]:
        from xcsh.cli.event_call import event_call

        if (event := event_call(argv)) is not None:
            return event
    from xcsh.cli.options import parse  # loads the parser of options, which events do without

    return parse(argv)


def _left(code: int) -> int:
    """The exit code; no thread that is still loading, or that a command in Python left behind, holds the program up."""
    threads = sys.modules.get("threading")
    if threads is None or threads.active_count() == 1:
        gc.freeze()  # else its end searches everything for circles again, a twentieth of a light verb
        return code
    from xcsh.extensions.leaving import leave

    return leave(code)


def _run(argv: list[str]) -> int:
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace", encoding=_readable(stream.encoding))
    try:
        args = _arguments(argv)
        code = VERBS[args.verb].load().run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - U-5: no traceback reaches a user
        if isinstance(error, OSError) and error.errno in _OUTPUT_ERRORS and not error.filename:
            _silence_stdout()
            say(f"the output could not be written: {error.strerror}", "make room, or write elsewhere")
            return FAILED
        failure = failure_of(error, argv)
        say(failure.message, failure.hint)
        return failure.code
    else:
        return code


def _open_streams() -> None:
    """A standard stream that the caller closed swallows what is written to it."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as the process


def _readable(encoding: str) -> str:
    """The encoding of a stream, but UTF-8 in place of one in which even JSON is not ASCII, such as UTF-16: neither
    terminals nor programs read that.
    """
    try:
        return encoding if "{".encode(encoding) == b"{" else "utf-8"
    except (LookupError, UnicodeError):
        return "utf-8"


def _silence_stdout() -> None:
    """The reader has gone: what is still buffered must not raise again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
