"""What `.gitignore` says of a rule file (R-15).

Patterns are tried on the file itself: one that ignores only the folder, such as `.cursor/`, hides nothing, since that
is how people keep their own rules out of a repository. Hence patterns that end in a slash are left out, and a parent
folder that matches does not count.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from xcsh.sources.filesystem import ReadRefusedError, find_repo_root, read_bytes

_LIMIT = 1_048_576


class _Pattern(NamedTuple):
    matches: Callable[[str], bool]
    negated: bool
    line: int


class IgnoreFiles:
    """The `.gitignore` files of the work trees that one discovery meets, each read once."""

    def __init__(self) -> None:
        self._roots: dict[str, str | None] = {}
        self._files: dict[str, tuple[_Pattern, ...]] = {}

    def checker(self, folder: str) -> Callable[[str], str | None] | None:
        """A function that takes a file name in `folder` and says by which `.gitignore:LINE` it is ignored, or None.

        None instead of a function where nothing can be ignored: no work tree, or no pattern for files.
        """
        if folder not in self._roots:
            self._roots[folder] = find_repo_root(folder)
        root = self._roots[folder]
        if root is None:
            return None
        layers: list[tuple[str, str, tuple[_Pattern, ...]]] = []
        current = folder
        while True:
            if patterns := self._patterns(current):
                prefix = os.path.relpath(folder, current).replace(os.sep, "/")
                where = os.path.relpath(os.path.join(current, ".gitignore"), root).replace(os.sep, "/")
                layers.append(("" if prefix == "." else prefix + "/", where, patterns))
            if current == root:
                break
            current = os.path.dirname(current)
        return _Checker(layers).ignored_by if layers else None

    def _patterns(self, folder: str) -> tuple[_Pattern, ...]:
        if folder not in self._files:
            try:
                data = read_bytes(os.path.join(folder, ".gitignore"), _LIMIT)
            except ReadRefusedError:
                data = b""
            self._files[folder] = tuple(_parse(data.decode("utf-8-sig", "replace"))) if data else ()
        return self._files[folder]


class _Checker(NamedTuple):
    layers: list[tuple[str, str, tuple[_Pattern, ...]]]
    """Nearest first: path of the folder below the ignore file's, the ignore file, its patterns."""

    def ignored_by(self, name: str) -> str | None:
        for prefix, where, patterns in self.layers:
            path = prefix + name
            for pattern in reversed(patterns):
                if pattern.matches(path):
                    return None if pattern.negated else f"{where}:{pattern.line}"
        return None


def _parse(text: str) -> list[_Pattern]:
    from xcsh.parsing.globs import compile_path  # noqa: PLC0415 - only where an ignore file exists

    patterns: list[_Pattern] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.rstrip("\n")
        while line.endswith(" ") and not line.endswith("\\ "):
            line = line[:-1]
        if not line or line.startswith("#"):
            continue
        negated = line.startswith("!")
        body = line[1:] if negated else line
        if body.startswith(("\\#", "\\!")):
            body = body[1:]
        if not body or body.endswith("/"):
            continue
        patterns.append(_Pattern(compile_path(body), negated, number))
    return patterns
