"""Which files of the project a few typed letters may mean, ranked; pure, and quick for a hundred thousand paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from xcsh.tui.input.fuzzy import fitting, score

MOST_SHOWN = 50
_CHUNK = 4_000
_MOST_SCORED = 3_000
_IN_NAME = 100


def never() -> bool:
    """For whoever waits for the end."""
    return False


class PathIndex(NamedTuple):
    """The paths of a project, from its folder and with slashes; a folder ends in one. `cut`: there are more."""

    paths: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()
    cut: bool = False

    @classmethod
    def of(cls, paths: Iterable[str], *, cut: bool = False) -> PathIndex:
        """An index of paths, which keep their order where nothing else ranks them."""
        kept = tuple(paths)
        return cls(kept, tuple(path.lower() for path in kept), cut)


def rank_paths(index: PathIndex, query: str, cancelled: Callable[[], bool] = never) -> list[str]:
    """The likeliest paths for a query, at most MOST_SHOWN. Empty where it is cancelled.

    A query that names a folder up to its last slash gets what lies in that folder first. Hidden files are found where
    the query names something hidden.
    """
    folder, _, rest = query.rpartition("/")
    folder = folder + "/" if "/" in query else ""
    if not rest:
        return list(_children(index, folder, shows_hidden=False))[:MOST_SHOWN]
    hidden = query.startswith(".") or "/." in query
    inside = [
        path for path in _children(index, folder, shows_hidden=hidden) if rest.lower() in path[len(folder) :].lower()
    ]
    first = sorted(inside, key=lambda path: _rank(rest, path.rstrip("/")[len(folder) :], 0), reverse=True)
    found = _matching(index, query.lower(), cancelled, hidden=hidden)
    if found is None:
        return []
    found.sort(key=lambda path: _path_score(query, path), reverse=True)
    return list(dict.fromkeys([*(first if folder else ()), *found]))[:MOST_SHOWN]


def _children(index: PathIndex, folder: str, *, shows_hidden: bool) -> Iterator[str]:
    """What lies directly in a folder."""
    length = len(folder)
    for path in index.paths:
        if (
            path.startswith(folder)
            and len(path) > length
            and "/" not in path[length:-1]
            and (shows_hidden or path[length] != ".")
        ):
            yield path


def _matching(index: PathIndex, query: str, cancelled: Callable[[], bool], *, hidden: bool) -> list[str] | None:
    """Paths that hold the letters in their order; of too many, those that hold the query as it stands go first."""
    fits = fitting(query)
    found: list[int] = []
    for start in range(0, len(index.lower), _CHUNK):
        if cancelled():
            return None
        chunk = index.lower[start : start + _CHUNK]
        found += [start + at for at, path in enumerate(chunk) if fits(path)]
    if not hidden:
        found = [at for at in found if not _is_hidden(index.lower[at])]
    if len(found) > _MOST_SCORED:
        name = query.rpartition("/")[2]
        named = [at for at in found if name in index.lower[at].rstrip("/").rpartition("/")[2]]
        found = list(dict.fromkeys([*named, *found]))[:_MOST_SCORED]
    return [index.paths[at] for at in found]


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _path_score(query: str, path: str) -> tuple[int, int]:
    """A name that fits beats a path in which letters stand here and there."""
    bare = path.rstrip("/")
    name = bare.rpartition("/")[2]
    in_name = score(query, name) if "/" not in query else None
    whole = score(query, bare)
    best = max(-10_000 if whole is None else whole, -10_000 if in_name is None else in_name + _IN_NAME)
    return best, -bare.count("/")


def _rank(query: str, name: str, otherwise: int) -> int:
    found = score(query, name)
    return otherwise if found is None else found
