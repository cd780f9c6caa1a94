"""What the finished JSON of a tool call's arguments holds: its files, the text that is watched, and the other texts."""

from __future__ import annotations

from typing import NamedTuple

from xcsh.guard.arguments import Arguments
from xcsh.guard.tools import CHANGING, canonical, introduces, names_a_path


class CallText(NamedTuple):
    """`watched`: the texts that conditions see; `others`: those that they do not, such as what an edit removes."""

    paths: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    is_object: bool = True


def read_call(text: str, tool: str) -> CallText:
    """The texts of a call of `tool`; `is_object` is False where `text` is no JSON object."""
    changing = canonical(tool) in CHANGING
    paths: list[str] = []
    watched: list[str] = []
    others: list[str] = []
    begun = ""
    for piece in Arguments().feed(text):
        begun += piece.text
        if not piece.closed:
            continue
        if names_a_path(piece.key):
            paths.append(begun)
        if not changing or introduces(piece.key):
            watched.append(begun)
        elif not names_a_path(piece.key):
            others.append(begun)
        begun = ""
    return CallText(tuple(paths), tuple(watched), tuple(others), _is_object(text))


def _is_object(text: str) -> bool:
    import json  # noqa: PLC0415 - only for raw arguments

    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
