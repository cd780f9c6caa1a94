"""Takes `/name arguments` apart (C-20, C-21)."""

from __future__ import annotations

from typing import NamedTuple

_QUOTES = "\"'"


class Invocation(NamedTuple):
    """A command call: the name, the argument text as typed, and the arguments."""

    name: str
    raw: str
    args: tuple[str, ...]


def parse_invocation(text: str, *, apostrophes: bool = True) -> Invocation | None:
    """The call that a text makes; None where it does not begin with `/` and a name.

    Any white space ends the name. What follows it belongs to the arguments, line ends and all. `apostrophes`: as for
    `split_arguments`; who looks at the arguments takes it from the setting `commands.apostrophes`.
    """
    if not text.startswith("/") or len(text) < 2 or text[1].isspace():  # noqa: PLR2004 - a slash and a name
        return None
    parts = text[1:].split(maxsplit=1)
    name = parts[0]
    raw = text[1 + len(name) :].strip()
    return Invocation(name, raw, split_arguments(raw, apostrophes=apostrophes))


def split_arguments(text: str, *, apostrophes: bool = True) -> tuple[str, ...]:
    """Splits at white space; quotes keep it and are removed, `""` is an empty argument, a backslash is a backslash.

    A quote that is never closed runs to the end. `apostrophes`: one between two letters or digits is a letter, wherever
    it stands; without, every one is a quote.
    """
    arguments: list[str] = []
    current: list[str] = []
    started = False
    at = 0
    while at < len(text):
        character = text[at]
        if character in _QUOTES and not (apostrophes and _is_apostrophe(text, at)):
            close = closing_quote(text, at, apostrophes=apostrophes)
            end = close if close >= 0 else len(text)
            current.append(text[at + 1 : end])
            started = True
            at = end
        elif character.isspace():
            if started:
                arguments.append("".join(current))
                current, started = [], False
        else:
            current.append(character)
            started = True
        at += 1
    if started:
        arguments.append("".join(current))
    return tuple(arguments)


def closing_quote(text: str, opening: int, *, apostrophes: bool = True) -> int:
    """The offset of the quote that closes the one at `opening`; -1 where nothing does."""
    at = text.find(text[opening], opening + 1)
    while apostrophes and at >= 0 and _is_apostrophe(text, at):
        at = text.find(text[opening], at + 1)
    return at


def _is_apostrophe(text: str, at: int) -> bool:
    if text[at] != "'" or at == 0 or at + 1 == len(text):
        return False
    return _is_of_word(text[at - 1]) and _is_of_word(text[at + 1])


def _is_of_word(character: str) -> bool:
    """Whether it is a letter, a digit, or an accent or vowel sign of its own, which is part of the letter before it."""
    if character.isalnum():
        return True
    if character.isascii():
        return False
    from unicodedata import category  # noqa: PLC0415 - only for text with other signs beside an apostrophe

    return category(character).startswith("M")
