"""Reads TOML, with the place of whatever is wrong with it, and of the value of a key."""

from __future__ import annotations

import re
from typing import NamedTuple

from xcsh.model.diagnostic import Position
from xcsh.parsing.block import position_at

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_OPENINGS = ('"""', "'''", '"', "'")
_LONGEST = 200


class TomlProblem(NamedTuple):
    """Why a text is no TOML, where it shows, and what to do."""

    message: str
    position: Position
    hint: str = ""


def read_toml(text: str) -> dict[str, object] | TomlProblem:
    """The keys of a TOML text, or why there are none."""
    import tomllib  # noqa: PLC0415 - most projects have no file of this kind

    try:
        return tomllib.loads(text)
    except RecursionError:
        return TomlProblem("it is nested too deeply", position_at(text, len(text)))
    except tomllib.TOMLDecodeError as error:
        return _problem(str(error), text)
    except ValueError as error:  # a number of thousands of digits, which Python does not read
        return _problem(str(error), text)


def place_of_value(text: str, key: str) -> tuple[Position, Position]:
    """Where the key stands, and where the characters of its text begin, as far as a glance can tell."""
    found = re.search(rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=[ \t]*", text, re.MULTILINE)
    if found is None:
        return Position(1, 1), Position(1, 1)
    at = found.end()
    opening = next((quote for quote in _OPENINGS if text.startswith(quote, at)), "")
    at += len(opening)
    if len(opening) > 1 and text.startswith("\n", at):
        at += 1  # TOML leaves out a line end that follows the quotes
    return position_at(text, found.start()), position_at(text, at)


def _problem(reason: str, text: str) -> TomlProblem:
    place = _PLACE.search(reason)
    position = Position(int(place[1]), int(place[2])) if place and place[1] else position_at(text, len(text))
    from xcsh.parsing.toml_mistakes import explain_toml  # noqa: PLC0415 - most files have none

    mistake = explain_toml(reason[: place.start()] if place else reason, text, position)
    return TomlProblem(mistake.message[:_LONGEST], mistake.position or position, mistake.hint)
