"""Which links are followed: a project's may not lead out of it, lest a checkout show your files to a model."""

import os
from collections.abc import Callable
from typing import NamedTuple

from xcsh.model.source import Environment, Level, Source
from xcsh.sources.filesystem import lies_in


class Boundary(NamedTuple):
    """The real folder that a path must lie in; empty where links may lead anywhere."""

    real_root: str
    real: Callable[[str], str] = os.path.realpath

    def outside(self, path: str) -> str | None:
        """The real target of `path` where it lies outside, else None. A link that leads nowhere is not outside."""
        if not self.real_root:
            return None
        real = self.real(path)
        return None if lies_in(real, self.real_root) else real


class RealPaths:
    """The real paths of one discovery: each folder is looked at once, however many paths lead through it."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """As `os.path.realpath`, for an absolute path without `..`."""
        known = self._known.get(path)
        if known is None:
            parent, name = os.path.split(path)
            plain = name and not os.path.islink(path)
            known = self._known[path] = os.path.join(self.of(parent), name) if plain else os.path.realpath(path)
        return known


class Boundaries:
    """The boundaries of the rows of one discovery."""

    def __init__(self, environment: Environment, real_paths: RealPaths, *, anywhere: bool) -> None:
        self._root = environment.repo_root or environment.cwd
        self._within = self._root.rstrip(os.sep) + os.sep
        self._real = real_paths.of
        self._anywhere = anywhere

    def of(self, path: str, source: Source) -> Boundary:
        """The user's own files may be links to anywhere; a project's stay in its repository, or else its folder."""
        if self._anywhere or source.level != Level.PROJECT:
            return Boundary("")
        if path.startswith(self._within):
            return Boundary(self._real(self._root), self._real)
        # The nearest .clinerules may stand above the repository: then nothing in it leads out of it, itself included.
        return Boundary(os.path.join(self._real(os.path.dirname(path)), os.path.basename(path)), self._real)
