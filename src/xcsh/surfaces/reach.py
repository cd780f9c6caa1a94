"""Which rules reach the model when it works on a path, and by what (R-54)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Entry
from xcsh.model.settings import Settings
from xcsh.model.source import Environment
from xcsh.parsing.globs import matching
from xcsh.sources.spelling import real_spelling

_LONGEST = 32_767
"""Characters of a path. No system has a longer one, and each folder of it would be looked for."""


class Reach(NamedTuple):
    """How one active rule reaches the model for one path; `how` is None where it does not.

    `how`: "always" in every prompt; "attached" with the file, by `pattern`; "listed" in the rulebook, read on demand;
    "watched" while the model writes.
    """

    entry: Entry
    how: str | None
    pattern: str | None
    detail: str


def reach_of(registry: Registry, path: str) -> list[Reach]:
    """Every active rule in registry order, with how it reaches the model when `path` is read or changed."""
    relative = relative_path(registry.environment, path)
    names = names_of(registry.environment, path)
    return [_reach(entry, relative, names, registry.settings) for entry in registry.active]


def relative_path(environment: Environment, path: str) -> str | None:
    """The path below the working folder, with slashes; None for one outside, which no glob matches."""
    return _below(os.path.normpath(os.path.join(environment.cwd, path)), environment.cwd)


def names_of(environment: Environment, path: str) -> tuple[str, ...]:
    """What a file is called below the working folder, with slashes: as the path is given, and as it really is.

    Empty for a file outside, for a folder, since none is read or changed as a file, and for what is too long for one.
    A link in the project that leads out of it is called as it stands; a path with backslashes is one with slashes.
    """
    folder = os.path.realpath(environment.cwd)
    absolute = os.path.normpath(os.path.join(environment.cwd, path))
    if len(absolute) > _LONGEST or _is_folder(absolute):
        return ()
    places = [absolute, os.path.normpath(absolute.replace("\\", "/")) if "\\" in path else absolute]
    given = [_below(place, base) for place in places for base in (environment.cwd, folder)]
    real = _below(real_spelling(absolute, folder), folder)
    return tuple(dict.fromkeys(name for name in (*given, real) if name is not None))


def attaching(entry: Entry, names: Sequence[str], settings: Settings) -> str | None:
    """The glob by which an active rule is attached to a file of these names; None where it is not."""
    if entry.bucket not in (Bucket.RULEBOOK, Bucket.ATTACHED) or not entry.rule.globs:
        return None
    if settings.get("rules.attach", entry.rule.origin.level) != "auto":
        return None
    globs = entry.rule.glob_strings
    return next((pattern for name in names if (pattern := matching(globs, name)) is not None), None)


def _is_folder(path: str) -> bool:
    try:
        return os.path.isdir(path)
    except ValueError:  # no system has such a path
        return False


def _below(absolute: str, folder: str) -> str | None:
    try:
        relative = os.path.relpath(absolute, folder).replace(os.sep, "/")
    except ValueError:  # on another drive
        return None
    return None if relative == ".." or relative.startswith("../") or os.path.isabs(relative) else relative


def _reach(entry: Entry, relative: str | None, names: Sequence[str], settings: Settings) -> Reach:
    globs = entry.rule.glob_strings
    if entry.bucket == Bucket.ALWAYS_APPLY:
        return Reach(entry, "always", None, "in every prompt")
    if entry.bucket == Bucket.TTSR:
        if entry.idle:
            return Reach(entry, None, None, f"can never fire: {entry.idle}")
        pattern = matching(globs, relative) if relative is not None and globs else None
        if globs and pattern is None:
            return Reach(entry, None, None, f"watches only {', '.join(globs)}")
        return Reach(entry, "watched", pattern, "watched while the model writes")
    pattern = attaching(entry, names, settings)
    if pattern is not None:
        return Reach(entry, "attached", pattern, f"matched {pattern}")
    if entry.bucket == Bucket.RULEBOOK:
        return Reach(entry, "listed", None, "listed by its description; the model may read it")
    if entry.bucket == Bucket.ATTACHED:
        return Reach(entry, None, None, f"none of {', '.join(globs)} matches")
    return Reach(entry, None, None, entry.reason)
