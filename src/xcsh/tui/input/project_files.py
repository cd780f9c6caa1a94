"""Lists the files of a project for completion: what git ignores is left out, and the nearest come first. Blocks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from xcsh.sources.filesystem import find_repo_root
from xcsh.sources.ignore import (
    FolderIgnore,
    folder_ignore,
    ignore_files_above,
    read_ignore_file,
    with_ignore_file,
)
from xcsh.tui.input.paths import PathIndex, never

MOST_FILES = 100_000
MOST_NAMES = 1_000
_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__"})


class _Folder(NamedTuple):
    path: str
    below: str
    """From the working folder, with a slash at its end; empty for that itself."""
    ignore: FolderIgnore | None


def list_project(cwd: str, most: int = MOST_FILES, cancelled: Callable[[], bool] = never) -> PathIndex:
    """The files and folders below `cwd`, at most `most`, nearest and unhidden first; links are listed, not entered."""
    root = find_repo_root(cwd) or cwd
    lead = os.path.relpath(cwd, root).replace(os.sep, "/")
    lead = "" if lead == "." else f"{lead}/"
    pending = deque([_Folder(cwd, "", folder_ignore(ignore_files_above(root, lead.split("/")[:-1])))])
    hidden: deque[_Folder] = deque()
    paths: list[str] = []
    while (pending or hidden) and not cancelled():
        folder = (pending or hidden).popleft()
        depth = (lead + folder.below).count("/")
        ignore = with_ignore_file(folder.ignore, depth, read_ignore_file(folder.path))
        for entry in _kept(_entries(folder.path), ignore, lead + folder.below):
            below = folder.below + entry.name
            if len(paths) == most:
                return PathIndex.of(paths, cut=True)
            if not entry.is_dir(follow_symlinks=False):
                paths.append(below)
            elif entry.name not in _NEVER_ENTERED:
                paths.append(below + "/")
                queue = hidden if entry.name.startswith(".") or folder.below.startswith(".") else pending
                queue.append(_Folder(entry.path, below + "/", ignore))
    return PathIndex.of(paths)


def list_names(folder: str, most: int = MOST_NAMES) -> tuple[str, ...]:
    """The names in any folder, sub-folders with a slash at their end; none where it cannot be listed."""
    names: list[str] = []
    for entry in _entries(folder)[:most]:
        try:
            names.append(entry.name + "/" if entry.is_dir() else entry.name)
        except OSError:
            names.append(entry.name)
    return tuple(names)


def _entries(path: str) -> list[os.DirEntry[str]]:
    """By name; those whose name a terminal or a prompt could not hold are left out."""
    try:
        with os.scandir(path) as found:
            return sorted((entry for entry in found if entry.name.isprintable()), key=lambda entry: entry.name)
    except OSError:
        return []


def _kept(entries: list[os.DirEntry[str]], ignore: FolderIgnore | None, folder: str) -> Iterable[os.DirEntry[str]]:
    """Those that git does not ignore. `folder`: below the repository's root, with a slash at its end."""
    if ignore is None:
        return entries
    kept = set(ignore.kept(folder.rstrip("/"), [entry.name for entry in entries]))
    return (entry for entry in entries if entry.name in kept)
