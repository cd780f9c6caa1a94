"""Takes `/name arguments` apart (C-20, C-21)."""

from __future__ import annotations

from typing import NamedTuple

_QUOTES = "\"'"


class Invocation(NamedTuple):
    """A command call: the name, the argument text as typed, and the arguments."""

    name: str
    raw: str
    args: tuple[str, ...]


def parse_invocation(text: str) -> Invocation | None:
    """The call that a text makes; None where it does not begin with `/` and a name.

    Any white space ends the name. What follows it belongs to the arguments, line ends and all.
    """
    if not text.startswith("/") or len(text) < 2 or text[1].isspace():  # noqa: PLR2004 - a slash and a name
        return None
    parts = text[1:].split(maxsplit=1)
    name = parts[0]
    raw = text[1 + len(name) :].strip()
    return Invocation(name, raw, split_arguments(raw))


def split_arguments(text: str) -> tuple[str, ...]:
    """Splits at white space; quotes keep it and are removed, `""` is an empty argument, a backslash is a backslash.

    A quote that is never closed runs to the end.
    """
    arguments: list[str] = []
    current: list[str] = []
    started = False
    at = 0
    while at < len(text):
        character = text[at]
        if character in _QUOTES:
            close = text.find(character, at + 1)
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
