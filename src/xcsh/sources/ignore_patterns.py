"""Reads the patterns of an ignore file, and tries them on a path (R-15).

Patterns for files are tried on the file itself, so that those that end in a slash are left out; with `folders` they are
tried on folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

_SHORT = 16_384
_BRACKET = re.compile(r"[\[\\]")
"""In a bracket a slash ends no part of a pattern."""
_BOM = b"\xef\xbb\xbf"


class _Pattern(NamedTuple):
    body: str
    negated: bool
    line: int

    def matches(self, path: str) -> bool:
        """Whether it matches a path; most patterns are never tried on any, and those are not compiled."""
        return _matcher(self.body)(path)


@lru_cache(maxsize=4096)
def _matcher(body: str) -> Callable[[str], bool]:
    from xcsh.parsing.globs import compile_path  # noqa: PLC0415 - only for an ignore file

    return compile_path(body)


class IgnorePatterns(NamedTuple):
    """The patterns of one file, and what quickly rules out that any of them matches.

    These are literal last parts, ends and beginnings of names, an expression for other names, and patterns of paths
    whose last part is no literal.
    """

    patterns: tuple[_Pattern, ...]
    names: frozenset[str]
    ends: tuple[str, ...]
    starts: tuple[str, ...]
    wild_name: Callable[[str], object] | None
    paths: tuple[_Pattern, ...]

    def decision(self, prefix: str, name: str) -> _Pattern | None:
        """The last pattern that matches `prefix + name`."""
        patterns = self.patterns
        if not (
            name in self.names
            or name.endswith(self.ends)
            or name.startswith(self.starts)
            or (self.wild_name and self.wild_name(name))
        ):
            if not self.paths:
                return None
            patterns = self.paths
        path = prefix + name
        return next((pattern for pattern in reversed(patterns) if pattern.matches(path)), None)


def file_patterns(data: bytes) -> IgnorePatterns | None:
    """The patterns of an ignore file as they are tried on files; None where there are none."""
    return _patterns(data, folders=False)


def folder_patterns(data: bytes) -> IgnorePatterns | None:
    """The same as they are tried on folders."""
    return _patterns(data, folders=True)


def _patterns(data: bytes, *, folders: bool) -> IgnorePatterns | None:
    """What the content of an ignore file says; projects have many of the same, and a reload has them all again."""
    if not data:
        return None
    return (_parsed if len(data) <= _SHORT else _parsed.__wrapped__)(data, folders)


@lru_cache(maxsize=512)
def _parsed(data: bytes, folders: bool) -> IgnorePatterns | None:  # noqa: FBT001 - the cache keys on it
    found = _parse(data.removeprefix(_BOM).decode("utf-8", "replace"), folders=folders)
    return found if found.patterns else None


def _parse(text: str, *, folders: bool) -> IgnorePatterns:
    from xcsh.parsing.globs import compile_names, is_literal  # noqa: PLC0415 - only for an ignore file

    patterns: list[_Pattern] = []
    names: set[str] = set()
    ends: list[str] = []
    starts: list[str] = []
    wild: list[str] = []
    paths: list[_Pattern] = []
    for number, raw in enumerate(text.split("\n"), 1):
        negated, body = _body(raw)
        if folders:
            body = body.removesuffix("/")
        if not body or body.endswith("/"):
            continue
        pattern = _Pattern(body, negated, number)
        patterns.append(pattern)
        last = body.rpartition("/")[2]
        if is_literal(last) and not (last != body and _BRACKET.search(body)):
            names.add(last)
        elif "/" in body:
            paths.append(pattern)
        elif body[0] == "*" and is_literal(body[1:]):
            ends.append(body[1:])
        elif body[-1] == "*" and is_literal(body[:-1]):
            starts.append(body[:-1])
        else:
            wild.append(body)
    return IgnorePatterns(
        tuple(patterns),
        frozenset(names),
        tuple(ends),
        tuple(starts),
        compile_names(wild) if wild else None,
        tuple(paths),
    )


def _body(line: str) -> tuple[bool, str]:
    """Whether a line re-includes, and its pattern; an empty one for a comment."""
    line = line.removesuffix("\r")
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2
    line = line[: len(bare) + escaped]
    if line.startswith("#"):
        return False, ""
    negated = line.startswith("!")
    body = line[1:] if negated else line
    return negated, body[1:] if body.startswith(("\\#", "\\!")) else body
