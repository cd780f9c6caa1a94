"""Walks the rows of a provider's table and reads what they hold, in the order of precedence inside the provider."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from xcsh.model.source import Environment, Naming, Origin, Source, SourceText
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.folder import Row, SubFolder, ending_of, list_folder
from xcsh.sources.ignore import IgnoreFiles
from xcsh.sources.links import Boundaries
from xcsh.sources.places import Place, Present, places_of
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


class _Pending(NamedTuple):
    """A folder still to be listed, its path below the row's folder, and the real folders around it."""

    folder: SubFolder
    prefix: str
    around: tuple[str, ...]


class Scan:
    """The rows of one table read once. `texts` yields the files; whatever is not read goes to `skips`.

    `found` are the folders below cwd that hold a name that a table looks for in all of them (`nested.Walk`).
    """

    def __init__(
        self,
        sources: Iterable[Source],
        environment: Environment,
        mode: Callable[[str], ScanMode],
        ignore: IgnoreFiles | None,
        boundaries: Boundaries,
        present: Present,
        skips: Skips,
        found: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._sources = tuple(sources)
        self._environment = environment
        self._mode = mode
        self._ignore = ignore
        self._skips = skips
        self._found = found or {}
        self._modes: dict[str, ScanMode] = {}
        self._boundaries = boundaries
        self._present = present

    def texts(self) -> Iterator[SourceText]:
        """Every file that could be read, ordered by row, depth and path (R-15, R-59). A place is looked at once."""
        for place in places_of(self._sources, self._environment, self._present, self._found):
            source = place.source
            if (source.instead or source.beside) and self._set_aside(place):
                continue
            row = self._row(place)
            if source.marker:
                yield from self._marked(place.path, row)
            elif source.extensions and (not source.name or os.path.isdir(place.path)):
                yield from self._folder(place.path, row)
            elif source.name:
                yield from self._one(place.path, source.name, row, 0, source.path)

    def _set_aside(self, place: Place) -> bool:
        """Whether the tool reads something else in the place of this one, or does not read it here."""
        source = place.source
        if source.beside and not os.path.lexists(os.path.join(self._environment.cwd, source.beside)):
            return True
        other = next((name for name in source.instead if _is_there(os.path.join(place.base, name))), None)
        if other is not None and os.path.lexists(place.path):
            self._skips.skip(place.path, "replaced", f"{self._skips.title} reads {other} in its place")
        return other is not None

    def _row(self, place: Place) -> Row:
        source = place.source
        mode = self._modes.get(source.level)
        if mode is None:
            mode = self._modes[source.level] = self._mode(source.level)
        boundary = self._boundaries.of(place.path, source)
        return Row(place, source, mode.recursive, mode.beyond, mode.max_bytes, boundary)

    def _one(self, path: str, name: str, row: Row, depth: int, relative: str) -> Iterator[SourceText]:
        """A row that is one file."""
        if not os.path.lexists(path):
            return
        folder, base = os.path.split(path)
        checker = self._ignore.checker(folder) if self._ignore else None
        if checker and (where := checker(base)):
            self._skips.skip(path, "git-ignored", where)
        elif (outside := row.boundary.outside(path)) is not None:
            self._skips.refuse_link(path, outside)
        elif (text := self._read(path, name, row, depth, relative)) is not None:
            yield text

    def _folder(self, folder: str, row: Row) -> Iterator[SourceText]:
        """A row that is a folder: its own files first, then what ranks behind them, by depth and path."""
        if (outside := row.boundary.outside(folder)) is not None:
            self._skips.refuse_link(folder, outside)
            return
        listing = list_folder(folder, row, self._ignore, self._skips, top=True)
        for name, path in listing.own:
            if (text := self._read(path, _stem(name, row), row, 0, name)) is not None:
                yield text
        later = [(1, name, path) for name, path in listing.more]
        if listing.folders:
            later += self._below(folder, listing.folders, row)
        for depth, relative, path in sorted(later):
            if not row.recursive and "/" in relative:
                self._skips.skip(path, "nested", "sub-folders are not read in this mode")
            elif (text := self._read(path, _stem(relative, row), row, depth, relative)) is not None:
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
            if row.beyond and not os.path.lexists(path):
                path = os.path.join(sub.path, marker.lower())  # people write it so, and some systems fold case
            yield from self._one(path, sub.name, row, 0, f"{sub.name}/{marker}")

    def _read(self, path: str, name: str, row: Row, depth: int, relative: str) -> SourceText | None:
        try:
            data = read_bytes(path, row.max_bytes, within=row.boundary.real_root)
            plain = not data.translate(None, _PLAIN_BYTES)
            text = data.decode("ascii") if plain else decode(data, self._skips.report, self._skips.finding(path))
        except ReadRefusedError as problem:
            self._skips.refuse(path, problem)
            return None
        source, place = row.source, row.place
        origin = Origin(
            self._skips.provider, self._skips.title, source.level, path, place.row, source.plugin, source.base
        )
        rank = (place.number, place.depth + depth, place.lead + relative)
        return SourceText(place.prefix + name, text, origin, rank, plain, place.folder, place.above)


def _stem(relative: str, row: Row) -> str:
    """What an item is called by its path below the row's folder: without its ending, or as its tool names it."""
    source = row.source
    if source.naming == Naming.TWO_PARTS:
        return "/".join(f"{source.path}/{relative}".split("/")[-2:])
    if source.naming == Naming.FILE:
        relative = relative.rpartition("/")[2]
    ending = ending_of(relative, source)
    return relative[: -len(ending)] if ending else relative


def _is_there(path: str) -> bool:
    """Whether there is a folder, or a file that is not empty."""
    try:
        return os.path.isdir(path) or os.path.getsize(path) > 0
    except OSError:
        return False
