"""Which files steer what comes after: rules, settings and hooks of tools, and what runs without being called."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from xcsh.agent.consent.run_by_themselves import RUN_BY_THEMSELVES
from xcsh.model.provider import Provider
from xcsh.model.source import Root
from xcsh.providers import BUILTIN_PROVIDERS

_ALWAYS = (".xcsh", ".claude", ".cursor", ".codex", ".gemini", ".mcp.json")
_ELSEWHERE = (Root.PACKAGE, Root.ABSOLUTE)
_SHARED = frozenset({".github", ".config"})
"""Folders with a dot of which only some sub-folders steer anything."""

NONE: frozenset[str] = frozenset()


def steering_parts(path: str, more: frozenset[str] = NONE) -> frozenset[str]:
    """The parts of a relative path by which it is such a file; at any depth, in any case, as a file system folds it.

    `more` are names beside those that xcsh knows, from `names_of`.
    """
    return frozenset(map(_folded, steering_names(path, more)))


def steering_names(path: str, more: frozenset[str] = NONE) -> tuple[str, ...]:
    """The same parts as the path spells them, in its order."""
    parts = path.replace("\\", "/").split("/")
    pairs = (f"{part}/{below}" for part, below in pairwise(parts))
    known = _names()
    return tuple(name for name in dict.fromkeys((*parts, *pairs)) if (it := _folded(name)) in known or it in more)


def described(names: Iterable[str]) -> str:
    """The names for people, each with the reason where it is no file of a tool's rules."""
    texts = ((name, _reasons().get(_folded(name))) for name in names)
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


def begins_a_name(part: str) -> bool:
    """Whether a folder's name is the first half of such a name: a file in it is known only by both halves."""
    return any(name.startswith(f"{_folded(part)}/") for name in _names())


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return names_of(BUILTIN_PROVIDERS) | frozenset(map(_folded, _ALWAYS)) | _reasons().keys()


@lru_cache(maxsize=1)
def _reasons() -> dict[str, str]:
    return {_folded(name): each.why for each in RUN_BY_THEMSELVES for name in each.names}


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
