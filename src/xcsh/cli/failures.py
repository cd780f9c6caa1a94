"""What is said of everything that can go wrong in a verb, and with which code the program ends (U-1, U-5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xcsh.errors import ExpansionTooLongError, FailedTurnError, RuleNotFoundError, RuleUrlError, UsageError

FINE, FAILED, USAGE, BUG, INTERRUPTED = 0, 1, 2, 3, 130
_HINTS: dict[type[Exception], str] = {
    RuleUrlError: "see: xcsh rules",
    RuleNotFoundError: "see: xcsh rules",
    ExpansionTooLongError: "give it fewer arguments, or look at its template: xcsh explain /NAME",
}
"""What goes wrong with something the caller named, and what to do."""


class Failure(NamedTuple):
    """One sentence, what to do, and the exit code."""

    message: str
    hint: str
    code: int


def unreadable_input(error: OSError) -> UsageError:
    """The error for a standard input that cannot be read, as one that is open for writing only."""
    return UsageError(f"standard input cannot be read: {error.strerror or error}", "pipe a text in, or give it a file")


def failure_of(error: Exception, argv: Sequence[str]) -> Failure:
    """What an error comes to. Of a bug of ours the details are written to a file, which is named."""
    if isinstance(error, UsageError):
        return Failure(str(error), error.hint, USAGE)
    if isinstance(error, FailedTurnError):
        return Failure(str(error), error.hint, FAILED)
    hint = next((hint for kind, hint in _HINTS.items() if isinstance(error, kind)), None)
    if hint is not None:
        return Failure(str(error), hint, FAILED)
    from xcsh.cli.crash import write_crash_log

    where = write_crash_log(error, list(argv))
    return Failure(f"a bug in xcsh: {type(error).__name__}: {error}", f"please report it with this file: {where}", BUG)
