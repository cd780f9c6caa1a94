"""Plain and quoted one-line YAML 1.2 scalars: what a YAML reader is certain to make of them, without one."""

from __future__ import annotations

import re

UNKNOWN = object()
"""Only a YAML reader can say."""
BROKEN = object()
"""A YAML reader is certain to reject it."""

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_START = frozenset("0123456789-+.")
_PLAIN_START = frozenset("_./^$()~+=;<\\")
_INDICATOR_BEFORE_TEXT = frozenset("-?:")
_NOT_AFTER_INDICATOR = frozenset(" \t,[]{}")
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"\Z')
"""Holds no escapes but those of a quote and of a backslash, as regular expressions in quotes do."""
_ESCAPE = re.compile(r"\\(.)")
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'\Z")


def resolve(text: str) -> object:
    """The value of a plain scalar by the YAML 1.2 core schema: None, bool, int, float, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMBER_START:
        from xcsh.parsing.numbers import resolve_number  # noqa: PLC0415 - few values look like numbers

        return resolve_number(text)
    return text


def usual(text: str) -> bool:
    """Whether the text holds only line ends and characters that YAML allows and does not read as line ends or tabs."""
    return text.replace("\n", "").isprintable()


def classify(text: str) -> object:
    """What YAML makes of a one-line value, already stripped of spaces: its value, BROKEN, or UNKNOWN.

    The text must be `usual`. `*` is BROKEN only where the block defines no anchor.
    """
    if not text:
        return None
    first = text[0]
    if first == '"':
        quoted = _DOUBLE_QUOTED.match(text)
        return UNKNOWN if quoted is None else _ESCAPE.sub(r"\1", quoted[1])
    if first == "'":
        quoted = _SINGLE_QUOTED.match(text)
        return UNKNOWN if quoted is None else quoted[1].replace("''", "'")
    if ": " in text or " #" in text or text[-1] == ":":
        return UNKNOWN
    if first == "*":
        return BROKEN
    if first.isalnum() or first in _PLAIN_START:
        return resolve(text)
    if first in _INDICATOR_BEFORE_TEXT and len(text) > 1 and text[1] not in _NOT_AFTER_INDICATOR:
        return resolve(text)
    return UNKNOWN
