"""What `.gitignore` says of a file (R-15).

Patterns are tried on the file itself: one that ignores only the folder, such as `.cursor/`, hides nothing, since that
is how people keep their own rules out of a repository. Hence patterns that end in a slash are left out, and a parent
folder that matches does not count. Only the search through all sub-folders of a project (R-60) stays out of folders
that are ignored, since what lies there is built or fetched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from xcsh.sources.filesystem import ReadRefusedError, read_bytes

_LIMIT, _SHORT = 1_048_576, 16_384
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


class _IgnoreFile(NamedTuple):
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


_EMPTY = _IgnoreFile((), frozenset(), (), (), None, ())


class FolderIgnore(NamedTuple):
    """What the ignore files from a repository's root down to one folder say of its sub-folders; parent by parent."""

    above: FolderIgnore | None
    depth: int
    patterns: _IgnoreFile

    def kept(self, folder: str, names: Iterable[str]) -> tuple[str, ...]:
        """The names of folders in `folder`, a path below the root with slashes, that are not ignored."""
        parts = folder.split("/") if folder else []
        layers: list[tuple[str, _IgnoreFile]] = []
        layer: FolderIgnore | None = self
        while layer is not None:
            below = parts[layer.depth :]
            layers.append(("/".join(below) + "/" if below else "", layer.patterns))
            layer = layer.above
        return tuple([name for name in names if not _is_hidden(name, layers)])


def _is_hidden(name: str, layers: Iterable[tuple[str, _IgnoreFile]]) -> bool:
    """Whether the nearest ignore file that says something of a name ignores it."""
    for prefix, patterns in layers:
        pattern = patterns.decision(prefix, name)
        if pattern is not None:
            return not pattern.negated
    return False


def folder_patterns(data: bytes) -> _IgnoreFile | None:
    """The patterns of an ignore file as they are tried on folders; None where there are none."""
    found = _patterns(data, folders=True)
    return found if found.patterns else None


def _patterns(data: bytes, *, folders: bool) -> _IgnoreFile:
    """What the content of an ignore file says; projects have many of the same, and a reload has them all again."""
    return (_parsed if len(data) <= _SHORT else _parsed.__wrapped__)(data, folders)


@lru_cache(maxsize=512)
def _parsed(data: bytes, folders: bool) -> _IgnoreFile:  # noqa: FBT001 - the cache keys on it
    return _parse(data.removeprefix(_BOM).decode("utf-8", "replace"), folders=folders)


class IgnoreFiles:
    """The `.gitignore` files of the work trees that one discovery meets, each read once."""

    def __init__(self) -> None:
        self._roots: dict[str, str | None] = {}
        self._layers: dict[str, list[tuple[str, str, _IgnoreFile]]] = {}

    def checker(self, folder: str) -> Callable[[str], str | None] | None:
        """A function that takes a file name in `folder` and says by which `.gitignore:LINE` it is ignored, or None.

        None instead of a function where nothing can be ignored: no work tree, or no pattern for files.
        """
        root = self._root(folder)
        layers = self._layers_of(folder, root) if root is not None else None
        if not layers:
            return None
        found: list[tuple[str, str, _IgnoreFile]] = []
        for holder, where, ignore in layers:
            below = folder[len(holder) :].lstrip(os.sep).replace(os.sep, "/")
            found.append((f"{below}/" if below else "", where, ignore))
        return _Checker(found).ignored_by

    def _layers_of(self, folder: str, root: str) -> list[tuple[str, str, _IgnoreFile]]:
        """The ignore files with patterns from a folder up to the root: folder, path below the root, what it says."""
        if folder not in self._layers:
            above = [] if folder == root else self._layers_of(os.path.dirname(folder), root)
            ignore = self._file(folder)
            where = os.path.join(folder, ".gitignore")[len(root) :].lstrip(os.sep).replace(os.sep, "/")
            self._layers[folder] = [(folder, where, ignore), *above] if ignore.patterns else above
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

    def _file(self, folder: str) -> _IgnoreFile:
        try:
            data = read_bytes(os.path.join(folder, ".gitignore"), _LIMIT)
        except ReadRefusedError:
            data = b""
        return _patterns(data, folders=False) if data else _EMPTY


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
    return _IgnoreFile(
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
