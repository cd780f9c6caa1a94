"""Walks the rows of a provider's table and reads what they hold, in the order of precedence inside the provider."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from xcsh.model.diagnostic import Report
from xcsh.model.provider import Provider
from xcsh.model.source import Environment, Origin, Root, Skipped, Source, SourceText
from xcsh.parsing.finding import Finding
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefused, read_bytes, refusal
from xcsh.sources.ignore import IgnoreFiles
from xcsh.sources.links import Boundary, boundary_of

_DEEPEST = 16


class ScanMode(NamedTuple):
    """The settings that decide what is read; by level of the item."""

    recursive: bool
    beyond: bool
    max_bytes: int
    links_anywhere: bool


class Scan:
    """One provider's rows read once. `texts` yields the files; what is not read goes to `skipped` and `report`."""

    def __init__(
        self,
        provider: Provider,
        environment: Environment,
        mode: Callable[[str], ScanMode],
        ignore: IgnoreFiles,
        skipped: list[Skipped],
        report: Report,
    ) -> None:
        self._provider = provider
        self._environment = environment
        self._mode = mode
        self._ignore = ignore
        self._skipped = skipped
        self._report = report

    def texts(self) -> Iterator[SourceText]:
        """Every file that could be read, ordered by row, depth and path (R-15, R-59)."""
        for row, source in enumerate(self._provider.sources):
            mode = self._mode(source.level)
            if source.root == Root.ANCESTORS:
                continue
            path = self._locate(source)
            if path is None:
                continue
            boundary = boundary_of(path, source, self._environment, anywhere=mode.links_anywhere)
            if source.extensions and (not source.name or os.path.isdir(path)):
                yield from self._folder(path, row, source, mode, boundary)
            elif source.name:
                yield from self._one(path, source.name, row, 0, source, mode, boundary)
        yield from self._ancestors()

    def _locate(self, source: Source) -> str | None:
        if source.root == Root.HOME:
            return os.path.join(self._environment.home, source.path)
        if source.root == Root.CWD:
            return os.path.join(self._environment.cwd, source.path)
        current = self._environment.cwd
        while True:
            path = os.path.join(current, source.path)
            if os.path.lexists(path):
                return path
            parent = os.path.dirname(current)
            if parent == current:
                return None
            current = parent

    def _ancestors(self) -> Iterator[SourceText]:
        """Context files from the repository root down to cwd, nearest last; named by their path below the root."""
        rows = [(row, source) for row, source in enumerate(self._provider.sources) if source.root == Root.ANCESTORS]
        if not rows:
            return
        top = self._environment.repo_root or self._environment.cwd
        below = os.path.relpath(self._environment.cwd, top).replace(os.sep, "/")
        parts = [] if below == "." else below.split("/")
        for depth in range(len(parts) + 1):
            folder = os.path.join(top, *parts[:depth])
            prefix = "/".join([*parts[:depth], ""]) if depth else ""
            for row, source in rows:
                mode = self._mode(source.level)
                path = os.path.join(folder, source.path)
                boundary = boundary_of(path, source, self._environment, anywhere=mode.links_anywhere)
                yield from self._one(path, f"{prefix}{source.name}", row, depth, source, mode, boundary)

    def _one(
        self, path: str, name: str, row: int, depth: int, source: Source, mode: ScanMode, boundary: Boundary
    ) -> Iterator[SourceText]:
        if not os.path.lexists(path):
            return
        folder, base = os.path.split(path)
        checker = self._ignore.checker(folder)
        if checker and (where := checker(base)):
            self._skip(path, "git-ignored", where)
            return
        if (outside := boundary.outside(path)) is not None:
            self._refuse_link(path, outside)
            return
        rank = (0, depth, f"{row}/{base}") if source.root == Root.ANCESTORS else (row, depth, base)
        if (text := self._read(path, name, row, rank, source, mode)) is not None:
            yield text

    def _folder(
        self, folder: str, row: int, source: Source, mode: ScanMode, boundary: Boundary
    ) -> Iterator[SourceText]:
        """A rules folder and its sub-folders; its own files first, then the deeper ones by depth and path."""
        if (outside := boundary.outside(folder)) is not None:
            self._refuse_link(folder, outside)
            return
        later: list[tuple[int, str, str]] = []
        """Files that rank behind the folder's own: depth, relative path, absolute path."""
        pending = [(folder, "", 0)]
        seen = {os.path.realpath(folder)} if mode.recursive else set[str]()
        while pending:
            current, prefix, depth = pending.pop()
            own, more, folders = self._list(current, prefix, depth, source, mode, boundary)
            if depth == 0:
                for name, path in own:
                    if (text := self._read(path, name.rpartition(".")[0], row, (row, 0, name), source, mode)) is not None:
                        yield text
                later.extend((1, name, path) for name, path in more)
            else:
                later.extend((depth, prefix + name, path) for name, path in own + more)
            for name, path, linked in folders:
                if linked and (real := os.path.realpath(path)) in seen:
                    self._skip(path, "dangling-link", f"leads back to {real}")
                elif depth < _DEEPEST:
                    seen.add(os.path.realpath(path) if linked else path)
                    pending.append((path, f"{prefix}{name}/", depth + 1))
        for depth, relative, path in sorted(later):
            if not mode.recursive and "/" in relative:
                self._skip(path, "nested", "sub-folders are not read in this mode")
                continue
            name = relative.rpartition(".")[0]
            if (text := self._read(path, name, row, (row, depth, relative), source, mode)) is not None:
                yield text

    def _list(
        self, folder: str, prefix: str, depth: int, source: Source, mode: ScanMode, boundary: Boundary
    ) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[tuple[str, str, bool]]]:
        """The rule files of one folder by exact ending, by other endings that are read, and its sub-folders."""
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=_by_name)
        except FileNotFoundError:
            if os.path.islink(folder):
                self._refuse(folder, ReadRefused("dangling-link", "dangling-link", "the link leads nowhere"))
            return [], [], []
        except NotADirectoryError:
            if os.path.lexists(folder):
                self._refuse(folder, ReadRefused("not-a-file", "not-a-file", "a folder is expected here"))
            return [], [], []
        except OSError as error:
            problem = refusal(error)
            self._refuse(folder, ReadRefused("unreadable", "unreadable-folder", problem.message.replace("read", "listed")))
            return [], [], []
        checker = self._ignore.checker(folder) if entries else None
        own: list[tuple[str, str]] = []
        more: list[tuple[str, str]] = []
        folders: list[tuple[str, str, bool]] = []
        for entry in entries:
            name = entry.name
            path = entry.path
            if name[0] == ".":
                self._skip(path, "hidden")
                continue
            extension = name[name.rfind(".") :] if "." in name else ""
            known = extension in source.extensions
            if not known and entry.is_dir():
                if prefix == "" and name in source.reserved:
                    self._skip(path, "reserved", f"{self._provider.title} keeps it for something else")
                elif (linked := entry.is_symlink()) and (outside := boundary.outside(path)) is not None:
                    self._refuse_link(path, outside)
                else:
                    folders.append((name, path, linked))
                continue
            beyond = not known and mode.beyond and extension.lower() in (*source.extensions, *source.more_extensions)
            if not known and not beyond:
                self._skip(path, "extension", f"{self._provider.title} rules end in {' or '.join(source.extensions)}")
            elif checker and (where := checker(name)):
                self._skip(path, "git-ignored", where)
            elif entry.is_symlink() and (outside := boundary.outside(path)) is not None:
                self._refuse_link(path, outside)
            else:
                (own if known else more).append((name, path))
        self._report_case(own + more)
        return own, more, folders

    def _read(
        self, path: str, name: str, row: int, rank: tuple[int, int, str], source: Source, mode: ScanMode
    ) -> SourceText | None:
        provider = self._provider
        try:
            data = read_bytes(path, mode.max_bytes)
            text = data.decode("utf-8") if data.isascii() and b"\r" not in data and b"\0" not in data else None
            if text is None:
                text = decode(data, self._report, Finding(path, provider.id))
        except ReadRefused as problem:
            self._refuse(path, problem)
            return None
        return SourceText(name, text, Origin(provider.id, provider.title, source.level, path, row), rank)

    def _report_case(self, files: list[tuple[str, str]]) -> None:
        seen: dict[str, str] = {}
        for name, path in files:
            lower = name.lower()
            other = seen.setdefault(lower, name)
            if other != name:
                message = f"{name!r} and {other!r} differ in case only; some file systems keep only one of them"
                self._report(Finding(path, self._provider.id).make("case-collision", None, message))

    def _skip(self, path: str, reason: str, detail: str = "") -> None:
        self._skipped.append(Skipped(path, self._provider.id, reason, detail))

    def _refuse(self, path: str, problem: ReadRefused) -> None:
        self._skip(path, problem.reason, problem.message)
        self._report(Finding(path, self._provider.id).make(problem.code, problem.position, problem.message))

    def _refuse_link(self, path: str, target: str) -> None:
        self._skip(path, "outside-project", f"leads to {target}")
        message = f"the link leads to {target}, outside the project; it is not followed"
        self._report(Finding(path, self._provider.id).make("outside-project", None, message))


def _by_name(entry: os.DirEntry[str]) -> str:
    return entry.name
