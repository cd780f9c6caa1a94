"""What an expression can not do, and what of it means something else than in the engine that it was written for."""

from __future__ import annotations

import re
from typing import NamedTuple

from xcsh.guard.condition import LOOK_BACK
from xcsh.guard.form import ENDLESS, form_of
from xcsh.parsing.patterns import split_flags

_ITEM = re.compile(
    r"(\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z]|.)|\[(?:[^\]\\]|\\.)*\]|.)"
    r"((?:[*+?]|\{\d+(?:,\d*)?\})?)\??",
    re.DOTALL,
)
_ANY_CHARACTER = re.compile(
    r"(?<!\\)(?:\[(?:\\s\\S|\\S\\s|\\d\\D|\\D\\d|\\w\\W|\\W\\w|\^)\]"
    r"|\((?:\?:)?(?:\.\|\\r\?\\n|\.\|\\n|\\n\|\.|\.\|\\s|\\s\|\.)\))(?:[*+]|\{\d+,\})\??"
)
_ANY_DOT = re.compile(r"(?<!\\)\.(?:[*+]|\{\d+,\})\??")


_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|x\{[0-9a-fA-F]+\}|[pP]\{[^}]*\}|.)", re.DOTALL)
_MEANINGLESS = frozenset("aeghijlmoqyzACEFGHIJKLMNOQRTUVXYZ")
"""The letters that are no escape in JavaScript: behind a backslash they stand for themselves."""
_MEANT = {
    "A": "for the start write `^`",
    "Z": "for the end write `$`",
    "z": "for the end write `$`",
    "h": "for blanks write `[ \\t]`",
    "Q": "write a backslash before each character that is special",
    "E": "write a backslash before each character that is special",
    "R": "for a line end write `\\r?\\n`",
    "a": "for a bell write `\\x07`",
    "e": "for an escape write `\\x1b`",
}
_LITERAL = re.compile(r"/((?:[^/\\\[\n]|\\.|\[(?:[^\]\\]|\\.)*\])+)/([a-zA-Z]{1,8})\Z")
_FLAGS = frozenset("gimsuy")
_POSIX = re.compile(r"\[(?:[^\]\\]|\\.)*?(\[:\^?[a-z]+:\])")
_LONGEST_LOOKED_AT = 2_000
"""Nobody writes a longer one by hand, and a search for classes grows with the square of their number."""
_UP_TO = re.compile(r"(?<!\\)\{,(\d+)\}")


class Foreign(NamedTuple):
    """Syntax of another engine, which compiles and means something else: how it is read here, what to write, and
    whether nobody can have meant what it is here.
    """

    reading: str
    advice: str
    sure: bool = True


def foreign_syntax(source: str) -> Foreign | None:
    """The first part of an expression that another engine reads differently; None where there is none."""
    body, _ = split_flags(source)
    if len(body) > _LONGEST_LOOKED_AT:
        return None
    if (literal := _LITERAL.match(body)) and _FLAGS.issuperset(literal[2]) and len(set(literal[2])) == len(literal[2]):
        flags = "".join(flag for flag in literal[2] if flag in "ims")
        reading = f"the slashes around it and the `{literal[2]}` behind it are read as text"
        return Foreign(reading, f"write `{f'(?{flags})' if flags else ''}{literal[1]}`")
    for escape in _ESCAPE.finditer(body):
        name = escape[1]
        if name[1:2] == "{":
            advice = "name a range of characters, as in [à-ÿ]" if name[0] in "pP" else "write the character itself"
            return Foreign(f"`{escape[0]}` is read as the text `{name}`", advice)
        if name in _MEANINGLESS:
            backslash = f"for a backslash `\\\\{name}`"
            advice = f"{_MEANT[name]}, {backslash}" if name in _MEANT else f"write {backslash}"
            return Foreign(f"`\\{name}` is read as the letter {name}", advice, name in _MEANT or name.isupper())
    if posix := _POSIX.search(body):
        return Foreign(f"there are no classes such as `{posix[1]}`", "write the characters out, as in [A-Za-z]")
    if up_to := _UP_TO.search(body):
        return Foreign(f"`{up_to[0]}` is read as text, not as a number of times", f"write `{{0,{up_to[1]}}}`")
    return None


def why_hopeless(source: str) -> str:
    """Why an expression matches no text at all; empty where it may match, or where that is not plain to see."""
    body, flags = split_flags(source)
    consumed = ended = False
    items = _ITEM.findall(body)
    if any(item in "(|" for item, _ in items):
        return ""  # what holds of one branch need not hold of the other
    for item, quantifier in items:
        needed = not quantifier.startswith(("*", "?", "{0"))
        if item == "^":
            if consumed and "m" not in flags:
                return "`^` is the start of the whole text unless the expression begins with (?m)"
        elif item == "$":
            ended = "m" not in flags
        elif item[0] != "\\" or item[1] not in "bBk0123456789":
            if needed and item == "[]":
                return "`[]` is a class without characters"
            if needed and ended:
                return "`$` is the end of the whole text unless the expression begins with (?m)"
            consumed = consumed or needed
    return ""


def may_be_long(source: str) -> bool:
    """Whether a match that is longer than LOOK_BACK is plainly meant: a large number, or all text between two things.

    `.*` is not: it ends with its line.
    """
    body, flags = split_flags(source)
    form = form_of(body)
    if form.least > LOOK_BACK or LOOK_BACK < form.greatest < ENDLESS:
        return True
    found = [*_ANY_CHARACTER.finditer(body), *(_ANY_DOT.finditer(body) if "s" in flags else ())]
    return any(match.start() > 0 and match.end() < len(body) for match in found)
