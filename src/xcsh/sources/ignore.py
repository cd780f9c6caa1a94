"""What `.gitignore` says of a file (R-15).

Patterns are tried on the file itself: one that ignores only the folder, such as `.cursor/`, hides nothing, since that
is how people keep their own rules out of a repository. Hence patterns that end in a slash are left out, and a parent
folder that matches does not count. Only the search through all sub-folders of a project (R-60) stays out of folders
that are ignored, since what lies there is built or fetched.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from xcsh.sources.filesystem import ReadRefusedError, find_repo_root, read_bytes

_LIMIT = 1_048_576
_BOM = b"\xef\xbb\xbf"


class _Pattern(NamedTuple):
    matches: Callable[[str], bool]
    negated: bool
    line: int


class _IgnoreFile(NamedTuple):
    """The patterns of one file, and what quickly rules out that any of them matches."""

    patterns: tuple[_Pattern, ...]
    names: frozenset[str]
    wild_name: Callable[[str], object] | None
    paths: tuple[_Pattern, ...]

    def decision(self, prefix: str, name: str) -> _Pattern | None:
        """The last pattern that matches `prefix + name`."""
        path = prefix + name
        if name not in self.names and not (self.wild_name and self.wild_name(name)):
            return next((pattern for pattern in reversed(self.paths) if pattern.matches(path)), None)
        return next((pattern for pattern in reversed(self.patterns) if pattern.matches(path)), None)


_EMPTY = _IgnoreFile((), frozenset(), None, ())


class FolderIgnore(NamedTuple):
    """What the ignore files from a repository's root down to one folder say of its sub-folders; parent by parent."""

    above: FolderIgnore | None
    depth: int
    patterns: _IgnoreFile

    def hides(self, path: str) -> bool:
        """Whether a folder, by its path below the root with slashes, is ignored; the nearest file decides."""
        layer: FolderIgnore | None = self
        folder, _, name = path.rpartition("/")
        parts = folder.split("/") if folder else []
        while layer is not None:
            below = parts[layer.depth :]
            pattern = layer.patterns.decision("/".join(below) + "/" if below else "", name)
            if pattern is not None:
                return not pattern.negated
            layer = layer.above
        return False


def folder_patterns(data: bytes) -> _IgnoreFile | None:
    """The patterns of an ignore file as they are tried on folders; None where there are none."""
    found = _parse(data.removeprefix(_BOM).decode("utf-8", "replace"), folders=True)
    return found if found.patterns else None


class IgnoreFiles:
    """The `.gitignore` files of the work trees that one discovery meets, each read once."""

    def __init__(self) -> None:
        self._roots: dict[str, str | None] = {}
        self._files: dict[str, _IgnoreFile] = {}

    def checker(self, folder: str) -> Callable[[str], str | None] | None:
        """A function that takes a file name in `folder` and says by which `.gitignore:LINE` it is ignored, or None.

        None instead of a function where nothing can be ignored: no work tree, or no pattern for files.
        """
        if folder not in self._roots:
            self._roots[folder] = find_repo_root(folder)
        root = self._roots[folder]
        if root is None:
            return None
        layers: list[tuple[str, str, _IgnoreFile]] = []
        current = folder
        while True:
            ignore = self._file(current)
            if ignore.patterns:
                prefix = os.path.relpath(folder, current).replace(os.sep, "/")
                where = os.path.relpath(os.path.join(current, ".gitignore"), root).replace(os.sep, "/")
                layers.append(("" if prefix == "." else prefix + "/", where, ignore))
            if current == root:
                break
            current = os.path.dirname(current)
        return _Checker(layers).ignored_by if layers else None

    def _file(self, folder: str) -> _IgnoreFile:
        if folder not in self._files:
            try:
                data = read_bytes(os.path.join(folder, ".gitignore"), _LIMIT).removeprefix(_BOM)
            except ReadRefusedError:
                data = b""
            self._files[folder] = _parse(data.decode("utf-8", "replace")) if data else _EMPTY
        return self._files[folder]


class _Checker(NamedTuple):
    layers: list[tuple[str, str, _IgnoreFile]]
    """Nearest first: path of the folder below the ignore file's, the ignore file, what it says."""

    def ignored_by(self, name: str) -> str | None:
        for prefix, where, ignore in self.layers:
            pattern = ignore.decision(prefix, name)
            if pattern is not None:
                return None if pattern.negated else f"{where}:{pattern.line}"
        return None


def _parse(text: str, *, folders: bool = False) -> _IgnoreFile:
    from xcsh.parsing.globs import compile_names, compile_path, is_literal  # noqa: PLC0415 - only for an ignore file

    patterns: list[_Pattern] = []
    names: set[str] = set()
    wild: list[str] = []
    paths: list[_Pattern] = []
    for number, raw in enumerate(text.split("\n"), 1):
        negated, body = _body(raw)
        if folders:
            body = body.removesuffix("/")
        if not body or body.endswith("/"):
            continue
        pattern = _Pattern(compile_path(body), negated, number)
        patterns.append(pattern)
        if "/" in body:
            paths.append(pattern)
        elif is_literal(body):
            names.add(body)
        else:
            wild.append(body)
    return _IgnoreFile(tuple(patterns), frozenset(names), compile_names(wild) if wild else None, tuple(paths))


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
