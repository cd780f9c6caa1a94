"""Reads the scope tokens of stream rules (T-3)."""

from __future__ import annotations

import re

from xcsh.parsing.pattern_lists import unquote
from xcsh.parsing.values import elements

_TOKEN = re.compile(r"(?:text|thinking|tool|toolcall)\Z|(?:tool:)?[\w.-]*(?:\(.*\))?\Z", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(r"tool:|[\w.-]+\(", re.IGNORECASE)


def split_scopes(value: object) -> tuple[str, ...]:
    """The tokens of a text or a list, split at commas outside brackets."""
    tokens: list[str] = []
    for text in elements(value) or [value]:
        if isinstance(text, str):
            tokens.extend(_split(text))
    return tuple(tokens)


def reaches_a_stream(token: str) -> bool:
    """Whether a token names a stream or a tool."""
    if token.lower() in {"text", "thinking", "tool", "toolcall"}:
        return True
    return bool(_NAMED.match(token) and _TOKEN.match(token))


def _split(text: str) -> list[str]:
    pieces: list[str] = []
    depth = start = 0
    for at, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth = max(0, depth - 1)
        elif character == "," and depth == 0:
            pieces.append(text[start:at])
            start = at + 1
    pieces.append(text[start:])
    return [token for piece in pieces if (token := unquote(piece))]
