"""Where the rows of a provider's table look: paths around the working folder, and what an item there is for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xcsh.model.source import Environment, Root, Source

_BY_DEPTH = frozenset({Root.ANCESTORS, Root.ABOVE, Root.NESTED})

_BEHIND = 1_000
"""More than any table has rows."""


class Place(NamedTuple):
    """One path of one row.

    `number`, `depth` and `lead` are where its items rank inside the provider: before everything with a greater number,
    then a greater depth, then by `lead` and the path below. `prefix` goes before their names; `folder` is the folder
    below cwd that they are for, `above` where cwd lies below the folder that they are for.
    """

    row: int
    source: Source
    path: str
    number: int
    depth: int = 0
    lead: str = ""
    prefix: str = ""
    folder: str = ""
    above: str = ""

    @property
    def base(self) -> str:
        """The folder that the row's path is relative to."""
        return self.path[: -len(self.source.path) - 1]


class Present:
    """What the folders around a discovery hold, listed once: most places of most tools need no look of their own."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str] | None] = {}

    def may_hold(self, folder: str, path: str) -> bool:
        """Whether `path` can be there in a folder, in any case, as some systems compare names."""
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(map(str.casefold, os.listdir(folder)))
            except (FileNotFoundError, NotADirectoryError):
                self._names[folder] = frozenset()
            except OSError:
                self._names[folder] = None  # it may not be listed, and what is in it may be read
        names = self._names[folder]
        return names is None or path.partition("/")[0].casefold() in names


def places_of(
    sources: Sequence[Source], environment: Environment, present: Present, found: Mapping[str, Sequence[str]]
) -> Iterator[Place]:
    """Every path that a table names and that may be there, in order of rank; a path is named once.

    `found` are the folders below cwd that hold a name, for rows of Root.NESTED; a row whose name is none of its keys is
    looked for in none.
    """
    looked: set[tuple[str, str | None]] = set()
    for place in (*_fixed(sources, environment, present), *_by_depth(sources, environment, present, found)):
        key = (place.path, place.source.plugin)
        if key not in looked:
            looked.add(key)
            yield place


def _fixed(sources: Sequence[Source], environment: Environment, present: Present) -> Iterator[Place]:
    tops = {Root.HOME: environment.home, Root.CWD: environment.cwd}
    for row, source in enumerate(sources):
        top = tops.get(source.root) if not source.variable else None
        path = _locate(source, environment) if top is None or present.may_hold(top, source.path) else None
        if path is not None:
            for each in _matching(path) if path.endswith("*") else (path,):
                yield Place(row, source, each, row)


def _matching(path: str) -> list[str]:
    """The paths that begin as `path` does up to its star: folders of one kind, such as Roo's `rules-MODE`."""
    folder, start = os.path.split(path[:-1])
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith(start)]
    except OSError:
        return []


def _locate(source: Source, environment: Environment) -> str | None:
    place = _native(source.path)
    if source.root == Root.HOME:
        if source.variable and (folder := dict(environment.given.folders).get(source.variable)):
            return os.path.join(folder, *place.split(os.sep)[1:])
        return os.path.join(environment.home, place)
    if source.root == Root.CWD:
        return os.path.join(environment.cwd, place)
    if source.root == Root.NEAREST:
        return _nearest(environment.cwd, place)
    if source.root == Root.PACKAGE:
        return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), place)
    return source.path if source.root == Root.ABSOLUTE else None


def _native(path: str) -> str:
    """A path of a table as the system writes it: one file has one spelling, however it was found."""
    return path if os.sep == "/" else path.replace("/", os.sep)


def _by_depth(
    sources: Sequence[Source], environment: Environment, present: Present, found: Mapping[str, Sequence[str]]
) -> Iterator[Place]:
    """Rows that look in many folders: from the repository root down to cwd, then below it, nearest last.

    Items are named by the folder's path below the root, since a name is a rule's identity (R-2). Their ranks are
    comparable between tables that have them behind rows of other kinds.
    """
    rows = [pair for pair in enumerate(sources) if pair[1].root in _BY_DEPTH]
    if not rows:
        return
    number = _BEHIND if rows[0][0] else 0
    top = environment.repo_root or environment.cwd
    below = os.path.relpath(environment.cwd, top).replace(os.sep, "/")
    parts = [] if below == "." else below.split("/")
    upward = [pair for pair in rows if pair[1].root != Root.NESTED]
    for depth in range(len(parts) + 1):
        prefix = "".join(part + "/" for part in parts[:depth])
        above = "/".join(parts[depth:])
        folder = os.path.join(top, *parts[:depth])
        for order, (row, source) in enumerate(upward):
            if (source.root == Root.ANCESTORS or above) and present.may_hold(folder, source.path):
                path = os.path.join(folder, _native(source.path))
                yield Place(row, source, path, number, depth, f"{order}/", prefix, above=above)
    lead = "".join(part + "/" for part in parts)
    downward = [pair for pair in rows if pair[1].root == Root.NESTED]
    for order, (row, source) in enumerate(downward):
        for folder in found.get(source.path.partition("/")[0], ()):
            path = os.path.join(environment.cwd, _native(folder), _native(source.path))
            depth = len(parts) + folder.count("/") + 1
            yield Place(row, source, path, number, depth, f"{folder}/{order}/", f"{lead}{folder}/", folder=folder)


def _nearest(folder: str, path: str) -> str | None:
    """`path` in the first folder, walking up, in which it exists."""
    while True:
        found = os.path.join(folder, path)
        if os.path.lexists(found):
            return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
