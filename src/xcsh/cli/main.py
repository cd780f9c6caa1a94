"""Entry point: finds the verb, runs it, and turns every outcome into an exit code and at most two lines (U-1, U-5)."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence

from xcsh.cli.options import VERBS, parse
from xcsh.cli.output import say
from xcsh.errors import ExpansionTooLongError, FailedTurnError, RuleNotFoundError, RuleUrlError, UsageError

_OUTPUT_ERRORS = frozenset({errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EBADF})
_FAILURES: dict[type[Exception], str] = {
    RuleUrlError: "see: xcsh rules",
    RuleNotFoundError: "see: xcsh rules",
    ExpansionTooLongError: "give it fewer arguments, or look at its template: xcsh explain /NAME",
}
"""What goes wrong with something the caller named, and what to do."""
_HOOK = "hook"
FINE, FAILED, USAGE, BUG, INTERRUPTED = 0, 1, 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code. Nothing but SystemExit from argparse leaves it."""
    collecting = gc.isenabled()
    gc.disable()  # a light verb lives for a tenth of a second
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        code = _run_hook(words) if words[:1] == [_HOOK] else _run(words)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        code = FINE
    finally:
        if collecting:
            gc.enable()
    return _left(code) if argv is None else code


def _run_hook(argv: list[str]) -> int:
    """As any verb, but that nothing that goes wrong here holds up the agent that calls: for it 2 means to stop."""
    try:
        return min(_run(argv), FAILED)
    except SystemExit as ended:  # of argparse
        return FAILED if ended.code else FINE


def _left(code: int) -> int:
    """The exit code; no thread that a command in Python left behind holds the program up."""
    if "xcsh.extensions.running" not in sys.modules:
        return code
    from xcsh.extensions.leaving import leave

    return leave(code)


def _run(argv: list[str]) -> int:
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        args = parse(argv)
        code = VERBS[args.verb].load().run(args)
        sys.stdout.flush()
    except UsageError as error:
        return _complain(str(error), error.hint, USAGE)
    except tuple(_FAILURES) as error:
        return _complain(str(error), next(hint for kind, hint in _FAILURES.items() if isinstance(error, kind)), FAILED)
    except FailedTurnError as error:
        return _complain(str(error), error.hint, FAILED)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - U-5: no traceback reaches a user
        if isinstance(error, OSError) and error.errno in _OUTPUT_ERRORS and not error.filename:
            _silence_stdout()
            return _complain(
                f"the output could not be written: {error.strerror}", "make room, or write elsewhere", FAILED
            )
        from xcsh.cli.crash import write_crash_log

        where = write_crash_log(error, argv)
        return _complain(
            f"a bug in xcsh: {type(error).__name__}: {error}", f"please report it with this file: {where}", BUG
        )
    else:
        return code


def _complain(message: str, hint: str, code: int) -> int:
    say(message, hint)
    return code


def _open_streams() -> None:
    """A standard stream that the caller closed swallows what is written to it."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as the process


def _silence_stdout() -> None:
    """The reader has gone: what is still buffered must not raise again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
