"""Narrows parsed values, whose types no checker can know, to lists and mappings of unknown things."""

from __future__ import annotations

from typing import cast


def elements(value: object) -> list[object] | None:
    """The value where it is a list."""
    return cast("list[object]", value) if isinstance(value, list) else None


def mapping(value: object) -> dict[object, object] | None:
    """The value where it is a mapping."""
    return cast("dict[object, object]", value) if isinstance(value, dict) else None


def as_text(value: object) -> str:
    """A value taken as it stands, as text: bools and null in lower case, as they are written (R-1)."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def type_name(value: object) -> str:
    """What kind of value it is, in the words of a message."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    names: dict[str, str] = {"str": "a text", "list": "a list", "dict": "a mapping"}
    return names.get(type(value).__name__, "this")
