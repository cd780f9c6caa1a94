"""Glob patterns without braces as regular expressions, part by part; no pattern can make one slow."""

from __future__ import annotations

import re
from typing import NamedTuple

_STAR = "*"
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r" \t-\r", "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
"""The named classes of `[[:alpha:]]`; of ASCII alone, as git has them."""
_MEMBER = re.compile(r"\[:(?P<name>[^\]]{0,64}):\]|(?P<low>\\.|[^\\])(?:-(?P<high>\\.|[^\\\]]))?", re.DOTALL)
"""A named class, a character or a range; the bound on names keeps a row of unfinished ones from stalling."""


class _Bracket(NamedTuple):
    """A bracket expression: where it ends, its regular expression, whether it may be meant as part of a name.

    Without an expression it names a class that does not exist; there git gives up.
    """

    end: int
    expression: str
    perhaps_name: bool


def part_expression(part: str) -> str:
    """The regular expression of one part; what is no class of characters stands for itself, as in `[[...slug]]`."""
    return _joined(_tokens(part, git=False) or [])


def git_expressions(pattern: str) -> list[str] | None:
    """The regular expressions of a pattern's parts, `**` for one of stars alone; None where git gives up.

    A bracket expression may hold a slash, which it never matches; so the parts are not those between all slashes.
    """
    tokens = _tokens(pattern, git=True)
    if tokens is None:
        return None
    parts: list[list[str]] = [[]]
    for expression in tokens:
        if expression == "/":
            parts.append([])
        else:
            parts[-1].append(expression)
    return ["**" if len(part) > 1 and set(part) == {_STAR} else _joined(part) for part in parts]


def _tokens(pattern: str, *, git: bool) -> list[str] | None:
    """A regular expression for each character or class, stars and slashes as they are; None where git gives up."""
    tokens: list[str] = []
    at = 0
    closes = True
    while at < len(pattern):
        character = pattern[at]
        start = at
        at += 1
        if character == "[":
            bracket = _bracket(pattern, start) if closes else None
            closes = bracket is not None  # where one never closes, no further one does
            if git and not (bracket and bracket.expression):
                return None
            if bracket:
                at = bracket.end
            is_class = bracket is not None and (git or not bracket.perhaps_name)
            tokens.append(bracket.expression if bracket and is_class else re.escape(pattern[start:at]))
        elif character == "\\" and at < len(pattern):
            tokens.append(re.escape(pattern[at]))
            at += 1
        elif character == "\\" and git:
            return None
        elif character in "*/":
            tokens.append(character)
        else:
            tokens.append("." if character == "?" else re.escape(character))
    return tokens


def _bracket(text: str, start: int) -> _Bracket | None:
    """The bracket expression at an opening bracket, as git reads it; None for one that never closes."""
    first = start + 2 if text.startswith(("!", "^"), start + 1) else start + 1
    members = "" if first == start + 1 else "^"
    known = ordered = True
    at = first
    while at == first or not text.startswith("]", at):
        member = _MEMBER.match(text, at)
        if member is None:
            return None
        at = member.end()
        if member["name"] is not None:
            known = known and member["name"] in _CLASSES
            members += _CLASSES.get(member["name"], "")
            continue
        low = member["low"][-1]
        high = (member["high"] or low)[-1]
        ordered = ordered and low <= high
        members += f"{re.escape(low)}-{re.escape(high)}" if low < high else re.escape(low)
    content = text[start + 1 : at]
    nested = content[:1] == "[" and content[1:2] not in ("", ":") and text.startswith("]", at + 1)
    perhaps_name = nested or not known or not ordered or content.startswith("...")
    return _Bracket(at + 1, f"[{members}]" if known else "", perhaps_name)


def _joined(tokens: list[str]) -> str:
    """One expression for a part. What is found behind a star is never given up, so that nothing is tried twice."""
    pieces: list[str] = []
    piece: list[str] = []
    for token in tokens:
        if token == _STAR:
            pieces.append("".join(piece))
            piece = []
        else:
            piece.append(token)
    last = "".join(piece)
    if not pieces:
        return rf"(?s:{last})\Z"
    between = "".join(f"(?>.*?{piece})" for piece in pieces[1:] if piece)
    return rf"(?s:{pieces[0]}{between}.*{last})\Z"
