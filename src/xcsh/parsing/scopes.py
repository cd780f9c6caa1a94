"""Reads the scope tokens and interrupt modes of stream rules (T-3, T-12)."""

from __future__ import annotations

import re
from typing import NamedTuple

from xcsh.model.rule import INTERRUPT_MODES
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


def interrupt_mode(value: object) -> str | None:
    """The mode that a value means, without regard to case, underscores and blanks around; None for none."""
    mode = value.strip().lower().replace("_", "-") if isinstance(value, str) else ""
    return mode if mode in INTERRUPT_MODES else None


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


class Scope(NamedTuple):
    """One scope: the stream, and for tool calls the tool's name as given (empty: every tool), a glob, raw or not."""

    stream: str
    tool: str = ""
    glob: str = ""
    raw: bool = False


def parse_scope(token: str) -> Scope | None:
    """What a token says (T-3); None for one that reaches no stream."""
    lowered = token.lower()
    if lowered in ("text", "thinking"):
        return Scope(lowered)
    if not reaches_a_stream(token):
        return None
    if lowered.startswith("tool:"):
        token = token[5:]
    name, bracket, rest = token.partition("(")
    glob = rest.removesuffix(")").strip() if bracket else ""
    if name.lower() in ("tool", "toolcall"):
        name = ""
    raw = name.lower().endswith(".raw")
    return Scope("tool", name[:-4] if raw else name, glob, raw)
