"""Whether a file plainly tries to narrow where it applies, although no reader got that out of it.

Before a tool's default makes a rule apply always, its text is looked at once more: a failed parse must never widen
(R-24), whatever the slip was and in whichever mode it is read.
"""

from __future__ import annotations

import re

from xcsh.model.diagnostic import Position
from xcsh.parsing.block import position_at

_HEAD = 4_096
"""Frontmatter stands at the top; a rule about rules may well show some further down."""
_FENCE = re.compile(r"^[^\w\n]{0,8}(?:[-\u2010-\u2015][ \t]?){2,}[^\w\n]*$", re.MULTILINE)
_KEYS = (
    r"(?:trigger|globs?|paths?|applyTo|apply_to|alwaysApply|always[-_]apply|inclusion|fileMatchPattern"
    r"|file_?patterns?|condition|ttsr_?trigger)\b"
)
_NARROWING = re.compile(rf"^[^\w\n]*{_KEYS}[^\w\n]{{0,3}}:?", re.MULTILINE | re.IGNORECASE)
_TOML_FENCE = re.compile(r"^[^\w\n]{0,8}(?:\+[ \t]?){2,}[^\w\n]{0,8}(?:#.*)?$", re.MULTILINE)


def narrowing_line(text: str) -> Position | None:
    """Where something like a narrowing key stands in a head that holds something like a fence; None where none does."""
    head = text[:_HEAD]
    match = None
    if _FENCE.search(head):
        match = next((match for match in _NARROWING.finditer(head) if _is_key(match, head)), None)
    if match is None and "+" in head and (fence := _TOML_FENCE.search(head)):
        match = _narrowing_in_toml(text, fence.end())
    return None if match is None else position_at(text, match.start())


def _narrowing_in_toml(text: str, start: int) -> re.Match[str] | None:
    """A narrowing key of TOML between a fence that ends at `start` and the next one, however far that is."""
    close = re.compile(r"^[ \t]*\+{2,}[ \t]*(?:#.*)?$", re.MULTILINE).search(text, start)
    key = rf"^[^\w\n]*(?:[A-Za-z_][\w-]*[\"']?\.[\"']?)?{_KEYS}[^\w\n]{{0,3}}[ \t]*[:=]"
    return re.compile(key, re.MULTILINE | re.IGNORECASE).search(text, start, close.start() if close else len(text))


def holds_narrowing_key(text: str) -> bool:
    """Whether any line of a text is like a narrowing key."""
    return any(_is_key(match, text) for match in _NARROWING.finditer(text))


def _is_key(match: re.Match[str], text: str) -> bool:
    """Whether the line could be a key: a colon follows, or nothing but a value without words of prose around it."""
    end = text.find("\n", match.end())
    rest = text[match.end() : end if end >= 0 else len(text)]
    return match[0].rstrip().endswith(":") or ":" in rest.split(" ")[0] or len(rest.split()) == 1
