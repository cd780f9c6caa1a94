"""Reads each context file once, whatever links and copies of it there are, with what it imports (R-60)."""

from __future__ import annotations

import os
from typing import NamedTuple

from xcsh.model.diagnostic import Position
from xcsh.model.provider import RuleTable
from xcsh.model.source import Environment, SourceText
from xcsh.sources.links import RealPaths
from xcsh.sources.skips import Skips


class ContextRules(NamedTuple):
    """The text of a context file, None where it is said already, and files of its that are rules of their own."""

    source: SourceText | None
    imported: tuple[SourceText, ...] = ()


class ContextFiles:
    """The context files of one discovery, in the order of precedence."""

    def __init__(self, environment: Environment, real_paths: RealPaths, max_bytes: int, *, dedupe: bool) -> None:
        self._environment = environment
        self._root = environment.repo_root or environment.cwd
        self._real_paths = real_paths
        self._max_bytes = max_bytes
        self._dedupe = dedupe
        self._files: dict[str, str] = {}
        self._texts: dict[tuple[str, str], str] = {}

    def read(self, source: SourceText, table: RuleTable, skips: Skips, *, taken: bool) -> ContextRules:
        """A context file as it counts. `taken`: another rule has its name, so that it will say nothing."""
        path = source.origin.path
        real = self._real_paths.of(path)
        if real in self._files:
            skips.skip(
                path, "duplicate", f"{shown_from(self._files[real], self._root)} is the same file, or imports it"
            )
            return ContextRules(None)
        files: list[str] = [real]
        imported: tuple[SourceText, ...] = ()
        if table.imports and "@" in source.text:
            said = source.text
            source, files, imported = self._with_imports(source, table, skips)
            if said.strip() and not source.text.strip():
                skips.skip(path, "duplicate", "it only imports what is read anyway")
                return ContextRules(None, imported)
        text = source.text.strip()
        same = self._texts.get(("", text)) or self._texts.get((source.folder, text))
        if self._dedupe and text and same:
            skips.skip(path, "duplicate", f"{shown_from(same, self._root)} says the same")
            return ContextRules(None, imported)
        if not taken:
            self._texts.setdefault((source.folder, text), path)
            for each in [real] if source.folder else files:
                self._files.setdefault(each, path)
        return ContextRules(source, imported)

    def _with_imports(
        self, source: SourceText, table: RuleTable, skips: Skips
    ) -> tuple[SourceText, list[str], tuple[SourceText, ...]]:
        from xcsh.sources.imports import Expansion, Mention, Roots  # noqa: PLC0415 - most projects import nothing

        path = source.origin.path
        finding = skips.finding(path)

        def problem(place: Mention, written: str, why: str) -> None:
            message = f"`@{written}` is not imported: {why}"
            where = Position(place.line, place.column)
            skips.report(finding.make("import-not-read", where, message, length=place.length))

        folders = (
            self._root,
            *(os.path.join(self._environment.home, home) for home in table.homes),
        )
        roots = Roots([self._real_paths.of(folder) for folder in folders], self._environment.home, self._max_bytes)
        expansion = Expansion(roots, lambda real: real in self._files, problem)
        text = expansion.expand(path, source.text)
        imported = tuple(
            SourceText(
                name_of(each.path, self._root),
                each.text,
                source.origin._replace(path=each.path),
                _after(source, each.path),
            )
            for each in expansion.conditional
        )
        return source._replace(text=text, plain=False), expansion.files, imported


def name_of(path: str, root: str) -> str:
    """What an imported file is called as a rule: its path from `root` with slashes and without an ending."""
    return os.path.splitext(_relative(path, root))[0].replace(os.sep, "/")


def shown_from(path: str, root: str) -> str:
    """A path as a reason names it: from `root`, or whole where it leads out of it."""
    shown = _relative(path, root)
    return path if shown.startswith("..") else shown


def _relative(path: str, root: str) -> str:
    try:
        return os.path.relpath(path, root)
    except ValueError:  # on another drive
        return path


def _after(source: SourceText, path: str) -> tuple[int, int, str]:
    """Ranks behind the file that imports it."""
    row, depth, relative = source.rank
    return row, depth, f"{relative}@{path}"
