"""Numbers by the YAML 1.2 core schema."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)\Z"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)\Z"
    r"|0o(?P<octal>[0-7]+)\Z|0x(?P<hex>[0-9a-fA-F]+)\Z"
    r"|(?P<special>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
)
_LONGEST = 400


def resolve_number(text: str) -> object:
    """An int or float, or the text itself where it is no number or longer than any number that is meant as one."""
    match = _NUMBER.match(text) if len(text) <= _LONGEST else None
    if match is None:
        return text
    if match["int"]:
        return int(text)
    if match["octal"]:
        return int(match["octal"], 8)
    if match["hex"]:
        return int(match["hex"], 16)
    return float(text.replace(".", "").lower() if match["special"] else text)
