"""Reads the scope tokens and interrupt modes of stream rules (T-3, T-12)."""

from __future__ import annotations

import re
from typing import NamedTuple

from xcsh.model.rule import INTERRUPT_MODES
from xcsh.nearest import nearest
from xcsh.parsing.pattern_lists import split_top_level, unquote
from xcsh.parsing.values import elements

_TOKEN = re.compile(r"(?:text|thinking|tool|toolcall)\Z|(?:tool:)?[\w.-]*(?:\(.*\))?\Z", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(r"tool:|[\w.-]+\(", re.IGNORECASE)
_BARE = re.compile(r"[\w.-]+\Z")
_STREAMS = ("text", "thinking", "tool", "toolcall")
_LONGEST_NAME = 40
_LONGEST_TOKEN = 200


def split_scopes(value: object) -> tuple[str, ...]:
    """The tokens of a text or a list, split at commas outside brackets."""
    tokens: list[str] = []
    for text in elements(value) or [value]:
        if isinstance(text, str):
            tokens.extend(_split(text))
    return tuple(tokens)


def reaches_a_stream(token: str) -> bool:
    """Whether a token names a stream or a tool."""
    if token.lower() in _STREAMS:
        return True
    return bool(_NAMED.match(token) and _TOKEN.match(token))


def meant_scope(token: str) -> str:
    """The scope that a token which reaches no stream was probably meant to be; empty where that is not plain."""
    if len(token) > _LONGEST_TOKEN:
        return ""
    bare = unquote(token.removesuffix("()")).strip()
    if any(sign in bare for sign in "*/") and not any(sign in bare for sign in "() "):
        return f"tool:edit({bare})"
    spaced = re.sub(r"\s+(?=\()|(?<=:)\s+", "", bare) + ")" * (bare.count("(") - bare.count(")"))
    if spaced != token and reaches_a_stream(spaced):
        return spaced
    if not _BARE.match(bare) or len(bare) > _LONGEST_NAME:
        return ""
    near = nearest(bare, _STREAMS, alike=0.7)
    return near[0] if near else f"tool:{bare}"


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


def _one_glob(text: str) -> str:
    """What stands in the brackets of a scope as one glob: without quotes, and several as its alternatives."""
    globs = [glob for piece in split_top_level(text) if (glob := unquote(piece))]
    if len(globs) < 2:  # noqa: PLR2004 - one, or none
        return "".join(globs)
    return ",".join(globs) if any(glob.startswith("!") for glob in globs) else f"{{{','.join(globs)}}}"


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
    glob = _one_glob(rest.removesuffix(")")) if bracket else ""
    if name.lower() in ("tool", "toolcall"):
        name = ""
    raw = name.lower().endswith(".raw")
    return Scope("tool", name[:-4] if raw else name, glob, raw)
