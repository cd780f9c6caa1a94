"""Says what went wrong in somebody's code: which file, which line, in one sentence."""

from __future__ import annotations

from xcsh.extensions.running import HangingError, call_bounded
from xcsh.model.diagnostic import Diagnostic, Position
from xcsh.parsing.finding import Finding

_CUT = 300
_PATIENCE = 1.0
"""Seconds for an error to give its own text."""

_NOT_THEIRS = ("xcsh.extensions", "importlib", "_frozen_importlib", "asyncio")


class UnusableError(Exception):
    """A file runs and is still not what it should be."""


def failure(path: str, what: str, error: BaseException, code: str = "extension-failed") -> Diagnostic:
    """A diagnostic of `path`, on the line of that file where the error came from; `what` begins the sentence.

    Without a path it is the first file of the traceback that is not ours, nor part of the machinery of imports.
    """
    if isinstance(error, HangingError):
        code = "extension-hangs" if code == "extension-failed" else code
        return Finding(path, "native").make(code, None, f"{what} hangs: {error}")
    path, position = _place(path, error)
    said = _said(error)
    name = "" if isinstance(error, UnusableError) else type(error).__name__
    text = ": ".join(part for part in (name, said) if part)
    return Finding(path, "native").make(code, position, f"{what} failed: {text}")


def _place(path: str, error: BaseException) -> tuple[str, Position | None]:
    if isinstance(error, SyntaxError):
        filename: object = error.filename  # whoever raises one can put anything there
        if isinstance(filename, str) and filename and path in ("", filename):
            return filename, Position(_number(error.lineno), _number(error.offset))
    position: Position | None = None
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        if not path and not str(frame.f_globals.get("__name__", "")).startswith(_NOT_THEIRS):
            path = frame.f_code.co_filename
        if path and frame.f_code.co_filename == path:
            position = Position(trace.tb_lineno, 1)
        trace = trace.tb_next
    if (
        position is None and isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration)
    ):  # a coroutine cannot raise it as it is
        return _place(path, error.__cause__)
    return path, position


def _number(value: object) -> int:
    return max(value, 1) if isinstance(value, int) else 1


def _said(error: BaseException) -> str:
    """The error's own words on one line, whatever its author made of them."""
    said = call_bounded(lambda: str.__str__(str(error.msg if isinstance(error, SyntaxError) else error)), _PATIENCE)
    text = " ".join(said.value.split()) if isinstance(said.value, str) else "(its text cannot be read)"
    return (text if len(text) <= _CUT else f"{text[: _CUT - 1]}…").rstrip(".")
