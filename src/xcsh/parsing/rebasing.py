"""Writes the patterns of one folder so that they mean the same from another, above or below it."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.parsing.globs import expand, matches

_SPECIAL = frozenset("*?[]{}!\\")


def from_above(pattern: str, folder: str) -> tuple[str, ...]:
    """The pattern of `folder`, a path below the working folder, as patterns that are relative to the working folder."""
    sign, body = _signed(pattern)
    prefix = "".join(f"\\{one}" if one in _SPECIAL else one for one in folder)
    found: list[str] = []
    for text in _alternatives(body):
        deep = "" if _anchored(text) or text == "**" else "**/"
        found.append(f"{sign}{prefix}/{deep}{text.removeprefix('/')}")
    return tuple(dict.fromkeys(found))


def from_below(pattern: str, folder: str) -> tuple[str, ...]:
    """The pattern of a folder above, as patterns relative to the working folder, which is `folder` below that one.

    One that matches nothing down here is written with `..`, so that it is seen and matches nothing.
    """
    sign, body = _signed(pattern)
    names = folder.split("/")
    found: list[str] = []
    for text in _alternatives(body):
        if not _anchored(text):
            found.append(sign + text)
            continue
        parts = tuple((text + "**" if text.endswith("/") else text).removeprefix("/").split("/"))
        found += (f"{sign}/{'/'.join(rest)}" for rest in _rests(parts, names))
    return tuple(dict.fromkeys(found)) or (f"{sign}{'../' * len(names)}{body.removeprefix('/')}",)


def _signed(pattern: str) -> tuple[str, str]:
    sign = "!" if pattern.startswith("!") else ""
    return sign, pattern[len(sign) :].removeprefix("./")


def _alternatives(body: str) -> Iterable[str]:
    """The pattern alone, but for braces that hold a slash: then some of their alternatives may be anchored."""
    if "{" not in body or "/" not in body:
        return (body,)
    return [text.removeprefix("./") for text in expand(body) or [body]]


def _anchored(text: str) -> bool:
    return "/" in text


def _rests(parts: tuple[str, ...], names: Iterable[str]) -> list[tuple[str, ...]]:
    """What is left of a pattern's parts after the names of folders were matched, in all ways in which they can be."""
    states = {parts: None}
    for name in names:
        following: dict[tuple[str, ...], None] = {}
        for state in states:
            rest = state
            while rest and rest[0] == "**":
                following[rest] = None
                rest = rest[1:]
            if rest and matches(rest[0], name):
                following[rest[1:]] = None
        states = following
    return [state for state in states if state]
