"""Walks the rows of a provider's table and reads what they hold, in the order of precedence inside the provider."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from xcsh.model.source import Environment, Origin, Root, Source, SourceText
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.folder import Row, SubFolder, list_folder
from xcsh.sources.ignore import IgnoreFiles
from xcsh.sources.links import boundary_of
from xcsh.sources.skips import Skips

_DEEPEST = 16
_PLAIN_BYTES = bytes((0x09, 0x0A, *range(0x20, 0x7F)))
_MOST_FOLDERS = 4_096
"""Links to one folder from many places could otherwise multiply without end."""


class ScanMode(NamedTuple):
    """The settings that decide what is read; by level of the item."""

    recursive: bool
    beyond: bool
    max_bytes: int
    links_anywhere: bool


class _Pending(NamedTuple):
    """A folder still to be listed, its path below the row's folder, and the real folders around it."""

    folder: SubFolder
    prefix: str
    around: tuple[str, ...]


class Scan:
    """The rows of one table read once. `texts` yields the files; whatever is not read goes to `skips`."""

    def __init__(
        self,
        sources: Iterable[Source],
        environment: Environment,
        mode: Callable[[str], ScanMode],
        ignore: IgnoreFiles | None,
        skips: Skips,
    ) -> None:
        self._sources = tuple(sources)
        self._environment = environment
        self._mode = mode
        self._ignore = ignore
        self._skips = skips

    def texts(self) -> Iterator[SourceText]:
        """Every file that could be read, ordered by row, depth and path (R-15, R-59). A place is looked at once."""
        looked: set[tuple[str, str | None]] = set()
        for number, source in enumerate(self._sources):
            path = self._locate(source)
            if path is None or (path, source.plugin) in looked:
                continue
            looked.add((path, source.plugin))
            row = self._row(number, source, path)
            if source.marker:
                yield from self._marked(path, row)
            elif source.extensions and (not source.name or os.path.isdir(path)):
                yield from self._folder(path, row)
            elif source.name:
                yield from self._one(path, source.name, row, (number, 0, source.path))
        yield from self._ancestors()

    def _locate(self, source: Source) -> str | None:
        place = source.path.replace("/", os.sep)
        if source.root == Root.HOME:
            return os.path.join(self._environment.home, place)
        if source.root == Root.CWD:
            return os.path.join(self._environment.cwd, place)
        if source.root == Root.NEAREST:
            return _nearest(self._environment.cwd, place)
        if source.root == Root.PACKAGE:
            return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), source.path)
        return source.path if source.root == Root.ABSOLUTE else None

    def _row(self, number: int, source: Source, path: str) -> Row:
        mode = self._mode(source.level)
        boundary = boundary_of(path, source, self._environment, anywhere=mode.links_anywhere)
        return Row(number, source, mode.recursive, mode.beyond, mode.max_bytes, boundary)

    def _ancestors(self) -> Iterator[SourceText]:
        """Context files from the repository root down to cwd, nearest last; named by their path below the root."""
        rows = [pair for pair in enumerate(self._sources) if pair[1].root == Root.ANCESTORS]
        if not rows:
            return
        top = self._environment.repo_root or self._environment.cwd
        below = os.path.relpath(self._environment.cwd, top).replace(os.sep, "/")
        parts = [] if below == "." else below.split("/")
        for depth in range(len(parts) + 1):
            prefix = "".join(part + "/" for part in parts[:depth])
            for number, source in rows:
                path = os.path.join(top, *parts[:depth], source.path)
                row = self._row(number, source, path)
                yield from self._one(path, f"{prefix}{source.name}", row, (0, depth, f"{number}/{source.path}"))

    def _one(self, path: str, name: str, row: Row, rank: tuple[int, int, str]) -> Iterator[SourceText]:
        """A row that is one file."""
        if not os.path.lexists(path):
            return
        folder, base = os.path.split(path)
        checker = self._ignore.checker(folder) if self._ignore else None
        if checker and (where := checker(base)):
            self._skips.skip(path, "git-ignored", where)
        elif (outside := row.boundary.outside(path)) is not None:
            self._skips.refuse_link(path, outside)
        elif (text := self._read(path, name, row, rank)) is not None:
            yield text

    def _folder(self, folder: str, row: Row) -> Iterator[SourceText]:
        """A row that is a folder: its own files first, then what ranks behind them, by depth and path."""
        if (outside := row.boundary.outside(folder)) is not None:
            self._skips.refuse_link(folder, outside)
            return
        listing = list_folder(folder, row, self._ignore, self._skips, top=True)
        for name, path in listing.own:
            if (text := self._read(path, name.rpartition(".")[0], row, (row.number, 0, name))) is not None:
                yield text
        later = [(1, name, path) for name, path in listing.more]
        if listing.folders:
            later += self._below(folder, listing.folders, row)
        for depth, relative, path in sorted(later):
            rank = (row.number, depth, relative)
            if not row.recursive and "/" in relative:
                self._skips.skip(path, "nested", "sub-folders are not read in this mode")
            elif (text := self._read(path, relative.rpartition(".")[0], row, rank)) is not None:
                yield text

    def _below(self, folder: str, folders: list[SubFolder], row: Row) -> Iterator[tuple[int, str, str]]:
        """The files of all sub-folders: depth, path below the row's folder, path."""
        listed = 0
        pending = [_Pending(sub, "", (os.path.realpath(folder),)) for sub in reversed(folders)]
        while pending:
            sub, prefix, around = pending.pop()
            real = os.path.realpath(sub.path)
            if real in around:
                self._skips.skip(sub.path, "dangling-link", f"leads back to {real}")
            elif listed >= _MOST_FOLDERS:
                self._skips.skip(sub.path, "nested", f"more than {_MOST_FOLDERS:,} folders below one rules folder")
            elif len(around) > _DEEPEST:
                self._skips.skip(sub.path, "nested", f"more than {_DEEPEST} folders deep")
            else:
                listed += 1
                prefix = f"{prefix}{sub.name}/"
                listing = list_folder(sub.path, row, self._ignore, self._skips, top=False)
                yield from ((len(around), prefix + name, path) for name, path in (*listing.own, *listing.more))
                pending.extend(_Pending(deeper, prefix, (*around, real)) for deeper in reversed(listing.folders))

    def _marked(self, folder: str, row: Row) -> Iterator[SourceText]:
        """A row of folders, each of which is an item where it holds the marker file."""
        if (outside := row.boundary.outside(folder)) is not None:
            self._skips.refuse_link(folder, outside)
            return
        marker = row.source.marker or ""
        for sub in list_folder(folder, row, self._ignore, self._skips, top=True).folders:
            path = os.path.join(sub.path, marker)
            yield from self._one(path, sub.name, row, (row.number, 0, f"{sub.name}/{marker}"))

    def _read(self, path: str, name: str, row: Row, rank: tuple[int, int, str]) -> SourceText | None:
        try:
            data = read_bytes(path, row.max_bytes, within=row.boundary.real_root)
            plain = not data.translate(None, _PLAIN_BYTES)
            text = data.decode("ascii") if plain else decode(data, self._skips.report, self._skips.finding(path))
        except ReadRefusedError as problem:
            self._skips.refuse(path, problem)
            return None
        source = row.source
        origin = Origin(self._skips.provider, self._skips.title, source.level, path, row.number, source.plugin)
        return SourceText(name, text, origin, rank, plain)


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
