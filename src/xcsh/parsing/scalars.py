"""Plain and quoted one-line YAML 1.2 scalars: what a YAML reader is certain to make of them, without one."""

from __future__ import annotations

import re

UNKNOWN = object()
"""Only a YAML reader can say."""
BROKEN = object()
"""A YAML reader is certain to reject it."""

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INT = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_SPECIAL = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_NUMBER_START = frozenset("0123456789-+.")
_LONGEST_NUMBER = 400

UNUSUAL = re.compile("[^\\n\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that YAML forbids or reads as line ends, and tabs: a block that holds one is left to the YAML reader."""

_PLAIN_START = re.compile(r"[^\W]|[./^$()~+=;<\\]|[-?:](?=[^\s,\[\]{}])", re.ASCII)


def resolve(text: str) -> object:
    """The value of a plain scalar by the YAML 1.2 core schema: None, bool, int, float, or the text itself."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if text[0] in _NUMBER_START and len(text) <= _LONGEST_NUMBER:
        if _INT.match(text):
            return int(text)
        if _FLOAT.match(text):
            return float(text)
        if _OCTAL.match(text):
            return int(text[2:], 8)
        if _HEX.match(text):
            return int(text[2:], 16)
        if _SPECIAL.match(text):
            return float(text.replace(".", "").lower())
    return text


def classify(text: str) -> object:
    """What YAML makes of a one-line value, already stripped of spaces: its value, BROKEN, or UNKNOWN.

    The text must hold no character that UNUSUAL matches. `*` is BROKEN only where the block defines no anchor.
    """
    if not text:
        return None
    first = text[0]
    if first == '"':
        return text[1:-1] if len(text) > 1 and text[-1] == '"' and text.find('"', 1) == len(text) - 1 and "\\" not in text else UNKNOWN
    if first == "'":
        return text[1:-1] if len(text) > 1 and text[-1] == "'" and text.find("'", 1) == len(text) - 1 else UNKNOWN
    if ": " in text or " #" in text or text[-1] == ":":
        return UNKNOWN
    if first == "*":
        return BROKEN
    if first.isalnum() or _PLAIN_START.match(text):
        return resolve(text)
    return UNKNOWN
