"""Which files steer the tools themselves: rules, settings, hooks. A change of one is a change of what comes after."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import pairwise

from xcsh.model.source import Root
from xcsh.providers import BUILTIN_PROVIDERS

_ALWAYS = (".git", ".xcsh", ".claude", ".cursor", ".codex", ".gemini", ".vscode", ".mcp.json", ".envrc", ".husky")
_SHARED = frozenset({".github"})
"""Folders of which only some sub-folders steer anything."""

_ELSEWHERE = (Root.HOME, Root.PACKAGE, Root.ABSOLUTE)


def steering_parts(path: str) -> frozenset[str]:
    """The parts of a relative path by which it is such a file; at any depth, in any case, as a file system folds it."""
    return frozenset(map(_folded, steering_names(path)))


def steering_names(path: str) -> tuple[str, ...]:
    """The same parts as the path spells them, in its order."""
    parts = path.replace("\\", "/").split("/")
    pairs = (f"{part}/{below}" for part, below in pairwise(parts))
    return tuple(name for name in dict.fromkeys((*parts, *pairs)) if _folded(name) in _names())


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    """Folders and files that tools read from a project, by the tables of the providers and by the list above."""
    tables = (
        table
        for provider in BUILTIN_PROVIDERS
        for table in (provider.rules, provider.commands, provider.prompts, provider.skills)
        if table is not None
    )
    read = (source.path for table in tables for source in table.sources if source.root not in _ELSEWHERE)
    return frozenset(_folded(name) for name in (*_ALWAYS, *map(_steering, read)) if name)


def _steering(path: str) -> str:
    """The part of a table's path by which files steer: its first folder, or two where the first holds much else."""
    parts = path.split("/")
    return "/".join(parts[: 2 if parts[0] in _SHARED else 1])


def _folded(name: str) -> str:
    """A name as case-insensitive file systems compare it, that also leave out characters nobody sees."""
    if "/" in name:
        return "/".join(map(_folded, name.split("/")))
    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", visible).casefold().rstrip(". ")
