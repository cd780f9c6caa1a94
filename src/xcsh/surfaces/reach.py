"""Which rules reach the model when it works on a path, and by what (R-54)."""

from __future__ import annotations

import os
from typing import NamedTuple

from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Entry
from xcsh.model.settings import Settings
from xcsh.model.source import Environment
from xcsh.parsing.globs import matching


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
    return [_reach(entry, relative, registry.settings) for entry in registry.active]


def relative_path(environment: Environment, path: str) -> str | None:
    """The path below the working folder, with slashes; None for one outside, which no glob matches."""
    absolute = os.path.normpath(os.path.join(environment.cwd, path))
    try:
        relative = os.path.relpath(absolute, environment.cwd).replace(os.sep, "/")
    except ValueError:  # on another drive
        return None
    return None if relative == ".." or relative.startswith("../") or os.path.isabs(relative) else relative


def _reach(entry: Entry, relative: str | None, settings: Settings) -> Reach:
    globs = entry.rule.glob_strings
    pattern = matching(globs, relative) if relative is not None and globs else None
    if entry.bucket == Bucket.ALWAYS_APPLY:
        return Reach(entry, "always", None, "in every prompt")
    if entry.bucket == Bucket.TTSR:
        if globs and pattern is None:
            return Reach(entry, None, None, f"watches only {', '.join(globs)}")
        return Reach(entry, "watched", pattern, "watched while the model writes")
    attaches = settings.get("rules.attach", entry.rule.origin.level) == "auto"
    if entry.bucket in (Bucket.RULEBOOK, Bucket.ATTACHED) and pattern is not None and attaches:
        return Reach(entry, "attached", pattern, f"matched {pattern}")
    if entry.bucket == Bucket.RULEBOOK:
        return Reach(entry, "listed", None, "listed by its description; the model may read it")
    if entry.bucket == Bucket.ATTACHED:
        return Reach(entry, None, None, f"none of {', '.join(globs)} matches")
    return Reach(entry, None, None, entry.reason)
