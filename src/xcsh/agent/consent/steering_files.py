"""Which files steer what comes after: rules, settings and hooks of tools, and what runs without being called."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache

from xcsh.agent.consent.run_by_themselves import RUN_BY_THEMSELVES
from xcsh.model.provider import Provider
from xcsh.model.source import Root
from xcsh.providers import BUILTIN_PROVIDERS

_ALWAYS = (".xcsh", ".claude", ".cursor", ".codex", ".gemini", ".mcp.json")
_ELSEWHERE = (Root.PACKAGE, Root.ABSOLUTE)
_SHARED = frozenset({".github", ".config"})
"""Folders with a dot of which only some sub-folders steer anything."""

_LONGEST = 3
"""Parts of the longest name."""

NONE: frozenset[str] = frozenset()


def steering_parts(path: str, more: frozenset[str] = NONE) -> frozenset[str]:
    """The names by which a relative path is such a file; at any depth, in any case, as a file system folds it.

    `more` are names beside those that xcsh knows, from `names_of`.
    """
    return frozenset(name for _, name in _found(path, more))


def steering_names(path: str, more: frozenset[str] = NONE) -> tuple[str, ...]:
    """The parts of the path that have these names, as it spells them, in its order."""
    return tuple(dict.fromkeys(part for part, _ in _found(path, more)))


def _found(path: str, more: frozenset[str] = NONE) -> Iterator[tuple[str, str]]:
    """Parts of a path, with their names in the tables."""
    parts = path.replace("\\", "/").split("/")
    for length in range(1, _LONGEST + 1):
        for begin in range(len(parts) - length + 1):
            part = "/".join(parts[begin : begin + length])
            if name := _name_of(part, more):
                yield part, name


def _name_of(part: str, more: frozenset[str]) -> str:
    folded = _folded(part)
    if folded in _names() or folded in more:
        return folded
    return next((glob for glob in _globs() if glob.count("/") == folded.count("/") and fnmatchcase(folded, glob)), "")


def working_base(folder: str) -> str:
    """What paths are taken relative to: a working folder, or what holds the `.xcsh`, `.git` … that it lies in.

    In `.xcsh/agent`, `settings.toml` would otherwise be a file like any other.
    """
    parts = folder.split("/")
    for end in range(len(parts)):
        for begin in range(end, max(end - _LONGEST, -1), -1):
            if _name_of("/".join(parts[begin : end + 1]), NONE) in _not_to_work_in():
                return "/".join(parts[:begin]) or "/"
    return folder


def from_its_name_on(folder: str, path: str, more: frozenset[str] = NONE) -> str:
    """A path in a folder, with the folder's last parts before it where it is such a file only together with these:
    `fish/x` in `.config`.
    """
    above, below = folder.split("/"), path.split("/")
    for depth in range(min(_LONGEST - 1, len(above)), 0, -1):
        parts = [*above[-depth:], *below]
        if any(_name_of("/".join(parts[:length]), more) for length in range(depth + 1, _LONGEST + 1)):
            return "/".join(parts)
    return path


def described(names: Iterable[str]) -> str:
    """The names for people, each with the reason where it is no file of a tool's rules."""
    texts = ((name, _reasons().get(_name_of(name, NONE))) for name in names)
    return ", ".join(f"{name} ({why})" if why else name for name, why in texts)


def names_of(providers: Iterable[Provider]) -> frozenset[str]:
    """The names by which the files are known that the providers' tools read."""
    tables = (
        table
        for provider in providers
        for table in (provider.rules, provider.commands, provider.prompts, provider.skills)
        if table is not None
    )
    read = (source.path for table in tables for source in table.sources if source.root not in _ELSEWHERE)
    return frozenset(filter(None, (_folded(_steering(path)) for path in read)))


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return names_of(BUILTIN_PROVIDERS) | frozenset(map(_folded, _ALWAYS)) | _reasons().keys()


@lru_cache(maxsize=1)
def _reasons() -> dict[str, str]:
    return {_folded(name): each.why for each in RUN_BY_THEMSELVES for name in each.names}


@lru_cache(maxsize=1)
def _globs() -> tuple[str, ...]:
    return tuple(name for name in _reasons() if "*" in name)


@lru_cache(maxsize=1)
def _not_to_work_in() -> frozenset[str]:
    """Not the folders of tools' rules: agents have their working trees in some of them, as `.claude/worktrees`."""
    return frozenset({".xcsh"} | _reasons().keys())


def _steering(path: str) -> str:
    """The part of a table's path by which files steer: its first folder, or two where the first holds much else."""
    parts = path.split("/")
    return "/".join(parts[: 2 if parts[0] in _SHARED or not parts[0].startswith(".") else 1])


def _folded(name: str) -> str:
    """A name as case-insensitive file systems compare it, that also leave out characters nobody sees."""
    if "/" in name:
        return "/".join(map(_folded, name.split("/")))
    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", visible).casefold().rstrip(". ")
