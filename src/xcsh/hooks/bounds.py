"""How much of a call is looked at: an agent waits ten seconds for a hook, and each file and text takes some of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

MOST_VALUES = 20_000
"""Values in the arguments of a call, at any depth."""

MOST_FILES = 5_000
"""Files that a call names, or that its patch changes."""


def within_bounds(arguments: Mapping[str, object]) -> tuple[Mapping[str, object], int]:
    """The arguments with no more than their first values, and how many values there are in all."""
    count = _count(arguments)
    if count <= MOST_VALUES:
        return arguments, count
    try:
        return cast("dict[str, object]", _first(arguments, [MOST_VALUES])), count
    except RecursionError:
        return {}, count


def _count(value: object) -> int:
    """The values in one, at any depth."""
    count, left = 0, [value]
    while left:
        each = left.pop()
        inner: list[object] = []
        if isinstance(each, dict):
            inner = list(cast("dict[str, object]", each).values())
        elif isinstance(each, list):
            inner = cast("list[object]", each)
        count += len(inner)
        left.extend(inner)
    return count


def _first(value: object, room: list[int]) -> object:
    """The value up to the one with which the room, of one number, is full."""
    room[0] -= 1
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {key: _first(each, room) for key, each in items if room[0] > 0}
    if isinstance(value, list):
        return [_first(each, room) for each in cast("list[object]", value) if room[0] > 0]
    return value
