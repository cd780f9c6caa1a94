"""Fields of an item that is an object of an SDK or the same as decoded JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast


def field(item: object, name: str) -> object:
    """The value of a field, None where there is none."""
    if isinstance(item, Mapping):
        return cast("Mapping[object, object]", item).get(name)
    return cast("object", getattr(item, name, None))


def text_field(item: object, name: str) -> str:
    """The text of a field, empty where it holds none."""
    value = field(item, name)
    return value if isinstance(value, str) else ""


def list_field(item: object, name: str) -> Sequence[object]:
    """The items of a field, none where it is no list."""
    value = field(item, name)
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()


def number_field(item: object, name: str, default: int = 0) -> int:
    """The number of a field."""
    value = field(item, name)
    return value if isinstance(value, int) else default
