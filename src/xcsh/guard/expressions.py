"""What an expression can not do: match at all, or be found where its match is very long."""

from __future__ import annotations

import re

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
