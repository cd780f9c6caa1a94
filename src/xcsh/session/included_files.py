"""Reads the files that a command includes: inside the project only, of bounded size, and text (C-42)."""

from __future__ import annotations

import os
from typing import NamedTuple

from xcsh.model.source import Environment
from xcsh.parsing.finding import Finding
from xcsh.parsing.tokens import estimate_tokens
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, lies_in, read_bytes

FILE_LIMIT = 262_144
"""Bytes of one included file; also what all files of one call may have together, times four."""

_ALL_LIMIT = 4 * FILE_LIMIT
_ENTRIES = 200


class IncludedFile(NamedTuple):
    """A path that a command includes: its text, or why it is not included. `exists`: there is something at the path."""

    path: str
    text: str = ""
    problem: str = ""
    exists: bool = True

    @property
    def tokens(self) -> int:
        """About how many tokens the text costs."""
        return estimate_tokens(self.text)


def read_included(paths: list[str], environment: Environment) -> list[IncludedFile]:
    """Each path once, relative to the working folder, in order. Reads files; nothing is raised."""
    left = _ALL_LIMIT
    found: list[IncludedFile] = []
    for path in dict.fromkeys(paths):
        file = _read(path, environment)
        if len(file.text) > left:
            file = IncludedFile(path, problem=f"all files together have more than {_ALL_LIMIT:,} characters")
        left -= len(file.text)
        found.append(file)
    return found


def _read(path: str, environment: Environment) -> IncludedFile:
    if "\0" in path:
        return IncludedFile(path, exists=False)
    place = os.path.normpath(os.path.join(environment.cwd, path))
    if not os.path.exists(place):
        return IncludedFile(path, exists=False)
    root = os.path.realpath(environment.repo_root or environment.cwd)
    if not lies_in(os.path.realpath(place), root):
        return IncludedFile(path, problem="it lies outside of the project")
    if os.path.isdir(place):
        return _listed(path, place)
    try:
        data = read_bytes(place, FILE_LIMIT, within=root)
        text = decode(data, lambda _: None, Finding(place))
    except ReadRefusedError as refused:
        return IncludedFile(path, problem=refused.message)
    return IncludedFile(path, text)


def _listed(path: str, place: str) -> IncludedFile:
    """Of a folder, the names in it."""
    try:
        names = sorted(name + "/" if os.path.isdir(os.path.join(place, name)) else name for name in os.listdir(place))
    except OSError as error:
        return IncludedFile(path, problem=f"it cannot be listed: {(error.strerror or str(error)).lower()}")
    more = [f"… and {len(names) - _ENTRIES:,} more"] if len(names) > _ENTRIES else []
    return IncludedFile(path, "\n".join([*names[:_ENTRIES], *more]))
