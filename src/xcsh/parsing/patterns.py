"""Compiles the conditions of stream rules. The one module that imports the regular-expression engine."""

from __future__ import annotations

import re

_INLINE_FLAGS = re.compile(r"\(\?([ims]+)\)")
_GLOB_META = re.compile(r"[*?\[{]")
_REGEX_META = re.compile(r"[\\^$+|()]")


def is_glob_shorthand(condition: str) -> bool:
    """T-4: a condition that is plainly a file glob stands for any edit or write of such a file."""
    if not _GLOB_META.search(condition) or _REGEX_META.search(condition):
        return False
    return "/" in condition or condition.startswith("*.")


def split_flags(source: str) -> tuple[str, str]:
    """A leading `(?i)` style group, which JavaScript has not, as flags; and the rest of the expression."""
    match = _INLINE_FLAGS.match(source)
    return (source[match.end() :], match[1]) if match else (source, "")


def problem_of(source: str) -> str | None:
    """Why an expression does not compile as JavaScript would compile it; None where it does."""
    import corvus_regex_ecma262 as ecma  # noqa: PLC0415 - only projects with stream rules pay for it

    pattern, flags = split_flags(source)
    try:
        ecma.compile(pattern, "".join(sorted(set(flags))))
    except ecma.error as error:
        return str(error).removeprefix("ecmaregex: ").partition(' in "')[0]
    return None


class OverrunError(RuntimeError):
    """A search was given up: it took longer than it may."""


class Expression:
    """A condition, compiled: the answers of JavaScript, positions in code points, a limit of time on every search."""

    __slots__ = ("_regex", "body", "flags")

    def __init__(self, source: str, seconds: float) -> None:
        """Raises ValueError for a source that does not compile."""
        import corvus_regex_ecma262 as ecma  # noqa: PLC0415 - as above

        self.body, flags = split_flags(source)
        self.flags = "".join(sorted(set(flags)))
        self._regex = ecma.compile(self.body, self.flags, timeout=seconds)

    def search(self, text: str, start: int) -> tuple[int, int] | None:
        """The leftmost match that starts at `start` or later; what stands before it is seen by look-behind alone.

        Raises OverrunError.
        """
        import corvus_regex_ecma262 as ecma  # noqa: PLC0415 - as above

        try:
            match = self._regex.search(text, start)  # pyright: ignore[reportUnknownMemberType] - of arrays, not of texts
        except ecma.MatchLimitError:
            raise OverrunError from None
        return match.span() if match is not None else None
