"""Finds the files and folders of tools in all sub-folders of a project, in one walk for all of them (R-60).

No folder is entered that an ignore file names, that is hidden, that holds fetched packages, or that is a repository or
a work tree of its own. A link is no folder. Nothing is executed: asking git would be no quicker, and its configuration
may name programs.

A second walk takes from the first what it would see again: the names in a folder whose times and identity are those of
the first walk. Contents are never remembered, neither those of rules nor those of ignore files.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import NamedTuple

from xcsh.model.source import Environment, Root, Source
from xcsh.sources.filesystem import lies_in
from xcsh.sources.ignore import (
    IGNORE_FILE,
    FolderIgnore,
    folder_ignore,
    ignore_files_above,
    read_ignore_file,
    with_ignore_file,
)

_FETCHED = frozenset({"node_modules", "__pycache__"})
_OF_THE_FOLDER = frozenset({IGNORE_FILE, ".git"})
MOST_FOLDERS = 50_000
_SETTLED = 2_000_000_000
"""Nanoseconds. A folder changed so shortly before it was listed may change again without its times telling."""

Stamp = tuple[int, int, int, int]
"""By what a folder is known to be unchanged: device, number, and the two times of its last change."""


class _Folder(NamedTuple):
    """One folder as it was listed: names of sub-folders, wanted names, what it ignores, and what is entered of it."""

    path: str
    depth: int
    stamp: Stamp | None
    listed: tuple[str, ...]
    wanted: tuple[str, ...]
    own: bytes
    ignore: FolderIgnore | None
    above: FolderIgnore | None
    entered: tuple[str, ...]


class Walk(NamedTuple):
    """What one walk found: folders below the working folder by wanted name, nearest first; and what it remembers.

    `cut` is the first folder that was not entered because there are too many.
    """

    names: frozenset[str]
    above: tuple[bytes, ...]
    ignore: FolderIgnore | None
    found: dict[str, list[str]]
    folders: dict[str, _Folder]
    cut: str | None = None


def may_search(environment: Environment) -> bool:
    """Whether the working folder is a project: a home, or what lies above it, holds everything else too."""
    return not lies_in(environment.home, environment.cwd)


def names_wanted(sources: Iterable[Source]) -> frozenset[str]:
    """The names that rows look for in all folders below the working folder."""
    return frozenset(source.path.partition("/")[0] for source in sources if source.root == Root.NESTED)


def walk_project(
    cwd: str,
    root: str | None,
    names: frozenset[str],
    before: Walk | None = None,
    *,
    most: int = MOST_FOLDERS,
    settled: int = _SETTLED,
    remember: bool = True,
) -> Walk:
    """Every folder below `cwd` that holds one of `names`, by its path below it with slashes.

    `root` is the repository's, whose ignore files count. `before` is an earlier walk of the same folder. Of more than
    `most` folders the rest is not entered; what changed in the last `settled` nanoseconds is not remembered. Without
    `remember` nothing is, which saves a look at each folder.
    """
    if before is not None and before.names != names:
        before = None
    top = root or cwd
    relative = os.path.relpath(cwd, top).replace(os.sep, "/")
    parts = [] if relative == "." else relative.split("/")
    above = ignore_files_above(top, parts)
    lister = _Lister(names | _OF_THE_FOLDER, "".join(part + "/" for part in parts), time.time_ns() - settled, remember)
    ignore = folder_ignore(above)
    if before is not None and before.above == above:
        if (same := _as_before(before, lister)) is not None:
            return same
        ignore = before.ignore
    remembered = before.folders if before is not None else {}
    start = _Pending(cwd, "", len(parts), ignore)
    folders, cut = _folders(start, lister, remembered, most)
    found: dict[str, list[str]] = {name: [] for name in names}
    for below, folder in folders.items():
        if below and ".git" not in folder.wanted:
            for name in names.intersection(folder.wanted):
                found[name].append(below)
    for below in found.values():
        below.sort(key=lambda path: (path.count("/"), path))
    return Walk(names, above, ignore, found, folders, cut)


class _Pending(NamedTuple):
    """A folder still to be listed: its path, the same below the working folder, depth below the root, what ignores."""

    path: str
    below: str
    depth: int
    ignore: FolderIgnore | None


def _folders(
    start: _Pending, lister: _Lister, remembered: dict[str, _Folder], most: int
) -> tuple[dict[str, _Folder], str | None]:
    """Every folder that is entered, by its path below the working folder, and the first that there was no room for."""
    folders: dict[str, _Folder] = {}
    cut: str | None = None
    pending = [start]
    while pending:
        path, below, depth, ignore = pending.pop()
        folder = lister.folder(path, below, depth, ignore, remembered.get(below))
        if folder is None:
            continue
        folders[below] = folder
        if not folder.entered or (below and ".git" in folder.wanted):
            continue
        if len(folders) + len(pending) + len(folder.entered) > most:
            cut = cut or f"{path}{os.sep}{folder.entered[0]}"
            continue
        lead = below + "/" if below else ""
        pending += [_Pending(f"{path}{os.sep}{name}", lead + name, depth + 1, folder.ignore) for name in folder.entered]
    return folders, cut


def _as_before(before: Walk, lister: _Lister) -> Walk | None:
    """The earlier walk, where no folder has other sub-folders, wanted names or ignore files than it had; else None."""
    changed: dict[str, _Folder] = {}
    for below, folder in before.folders.items():
        try:
            stamp = _stamp_of(folder.path)
        except OSError:
            return None
        if stamp == folder.stamp and not folder.own:
            continue
        listed = lister.folder(folder.path, below, folder.depth, folder.above, folder)
        if listed is None or listed[3:6] != folder[3:6]:
            return None
        changed[below] = folder._replace(stamp=listed.stamp)
    return before._replace(folders={**before.folders, **changed}) if changed else before


class _Lister(NamedTuple):
    """Lists folders of one project.

    `wanted` are names to look for; `prefix` is the working folder's path below the root, with a slash at its end; what
    changed after `settled` (nanoseconds since the epoch) is not remembered, and nothing is without `remember`.
    """

    wanted: frozenset[str]
    prefix: str
    settled: int
    remember: bool

    def folder(
        self, path: str, below: str, depth: int, above: FolderIgnore | None, before: _Folder | None
    ) -> _Folder | None:
        """One folder: as it was, where nothing in it has changed; None where it cannot be listed."""
        stamp: Stamp | None = None
        try:
            if self.remember or before is not None:
                stamp = _stamp_of(path)
            same = before is not None and before.stamp == stamp
            if before is not None and same:
                listed, wanted = before.listed, before.wanted
            else:
                listed, wanted = _names_in(path, self.wanted)
                if stamp is not None and max(stamp[2:]) > self.settled:
                    stamp = None
        except OSError:
            return None
        own = read_ignore_file(path) if IGNORE_FILE in wanted else b""
        if before is not None and same and before.above is above and before.own == own:
            return before
        ignore, entered = above, listed
        if own and listed:
            ignore = with_ignore_file(above, depth, own)
        if ignore is not None and listed:
            entered = ignore.kept((self.prefix + below).rstrip("/"), listed)
        return _Folder(path, depth, stamp, listed, wanted, own, ignore, above, entered)


def _stamp_of(folder: str) -> Stamp:
    status = os.lstat(folder)
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _names_in(path: str, wanted: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sub-folders that may be entered, and the wanted names, both in order."""
    folders: list[str] = []
    found: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name in wanted:
                found.append(entry.name)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
    if folders:
        folders = sorted([name for name in folders if name[0] != "." and name not in _FETCHED])
    return tuple(folders), tuple(sorted(found)) if found else ()
