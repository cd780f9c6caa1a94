"""What `.gitignore` says of a file (R-15).

Patterns are tried on the file itself: one that ignores only the folder, such as `.cursor/`, hides nothing, since that
is how people keep their own rules out of a repository. Hence patterns that end in a slash are left out, and a parent
folder that matches does not count. Only the search through all sub-folders of a project (R-60) stays out of folders
that are ignored, since what lies there is built or fetched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.ignore_patterns import IgnorePatterns, file_patterns, folder_patterns

IGNORE_FILE = ".gitignore"
_LIMIT = 1_048_576


def read_ignore_file(folder: str) -> bytes:
    """The content of a folder's ignore file; empty where there is none that can be read."""
    try:
        return read_bytes(os.path.join(folder, IGNORE_FILE), _LIMIT)
    except ReadRefusedError:
        return b""


class FolderIgnore(NamedTuple):
    """What the ignore files from a repository's root down to one folder say of its sub-folders; parent by parent."""

    above: FolderIgnore | None
    depth: int
    patterns: IgnorePatterns

    def kept(self, folder: str, names: Iterable[str]) -> tuple[str, ...]:
        """The names of folders in `folder`, a path below the root with slashes, that are not ignored."""
        parts = folder.split("/") if folder else []
        layers: list[tuple[str, IgnorePatterns]] = []
        layer: FolderIgnore | None = self
        while layer is not None:
            below = parts[layer.depth :]
            layers.append(("/".join(below) + "/" if below else "", layer.patterns))
            layer = layer.above
        return tuple([name for name in names if not _is_hidden(name, layers)])


def with_ignore_file(above: FolderIgnore | None, depth: int, data: bytes) -> FolderIgnore | None:
    """What is ignored in a folder that lies `depth` folders below the root, where its own ignore file says `data`."""
    patterns = folder_patterns(data)
    return above if patterns is None else FolderIgnore(above, depth, patterns)


def ignore_files_above(root: str, parts: Sequence[str]) -> tuple[bytes, ...]:
    """What the ignore files from the root down say, but for the folder's own. `parts`: its path below the root."""
    return tuple(read_ignore_file(os.path.join(root, *parts[:depth])) for depth in range(len(parts)))


def folder_ignore(contents: Iterable[bytes]) -> FolderIgnore | None:
    """What these ignore files say together, those of the folders from the root down."""
    ignore: FolderIgnore | None = None
    for depth, data in enumerate(contents):
        ignore = with_ignore_file(ignore, depth, data)
    return ignore


def _is_hidden(name: str, layers: Iterable[tuple[str, IgnorePatterns]]) -> bool:
    """Whether the nearest ignore file that says something of a name ignores it."""
    for prefix, patterns in layers:
        pattern = patterns.decision(prefix, name)
        if pattern is not None:
            return not pattern.negated
    return False


class IgnoreFiles:
    """The `.gitignore` files of the work trees that one discovery meets, each read once."""

    def __init__(self) -> None:
        self._roots: dict[str, str | None] = {}
        self._layers: dict[str, list[tuple[str, str, IgnorePatterns]]] = {}

    def checker(self, folder: str) -> Callable[[str], str | None] | None:
        """A function that takes a file name in `folder` and says by which `.gitignore:LINE` it is ignored, or None.

        None instead of a function where nothing can be ignored: no work tree, or no pattern for files.
        """
        root = self._root(folder)
        layers = self._layers_of(folder, root) if root is not None else None
        if not layers:
            return None
        found: list[tuple[str, str, IgnorePatterns]] = []
        for holder, where, ignore in layers:
            below = folder[len(holder) :].lstrip(os.sep).replace(os.sep, "/")
            found.append((f"{below}/" if below else "", where, ignore))
        return _Checker(found).ignored_by

    def _layers_of(self, folder: str, root: str) -> list[tuple[str, str, IgnorePatterns]]:
        """The ignore files with patterns from a folder up to the root: folder, path below the root, what it says."""
        if folder not in self._layers:
            above = [] if folder == root else self._layers_of(os.path.dirname(folder), root)
            ignore = file_patterns(read_ignore_file(folder))
            where = os.path.join(folder, IGNORE_FILE)[len(root) :].lstrip(os.sep).replace(os.sep, "/")
            self._layers[folder] = [(folder, where, ignore), *above] if ignore is not None else above
        return self._layers[folder]

    def _root(self, folder: str) -> str | None:
        """The nearest folder at or above that holds `.git`; one that lies beside another needs one look."""
        climbed: list[str] = []
        while folder not in self._roots:
            climbed.append(folder)
            parent = os.path.dirname(folder)
            if os.path.lexists(os.path.join(folder, ".git")):
                self._roots[folder] = folder
            elif parent == folder:
                self._roots[folder] = None
            else:
                folder = parent
        root = self._roots[folder]
        self._roots.update(dict.fromkeys(climbed, root))
        return root


class _Checker(NamedTuple):
    layers: list[tuple[str, str, IgnorePatterns]]
    """Nearest first: path of the folder below the ignore file's, the ignore file, what it says."""

    def ignored_by(self, name: str) -> str | None:
        for prefix, where, ignore in self.layers:
            pattern = ignore.decision(prefix, name)
            if pattern is not None:
                return None if pattern.negated else f"{where}:{pattern.line}"
        return None
