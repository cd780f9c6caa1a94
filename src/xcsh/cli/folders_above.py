"""Looks for rules in the folders above the working folder that do not count in it, to say where they are."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator

from xcsh.cli.output import discover_for
from xcsh.model.registry import Registry
from xcsh.model.rule import Entry
from xcsh.model.source import Level, Root
from xcsh.surfaces.layout import plural

_MOST = 8
"""Folders that are looked at; a discovery takes some milliseconds."""


def hint_above(args: argparse.Namespace, registry: Registry, wanted: Callable[[Entry], object], verb: str) -> str:
    """`The folder above has rules: xcsh -C ../.. rules`; empty where no folder between here and the home has any."""
    cwd, home = registry.environment.cwd, registry.environment.home
    for folder in _above(cwd):
        if folder == home:
            break
        if any(
            entry.rule.origin.level == Level.PROJECT and wanted(entry) for entry in discover_for(args, folder).active
        ):
            return f"A folder above has some: xcsh -C {os.path.relpath(folder, cwd)} {verb}"
    return ""


def rules_above(args: argparse.Namespace, registry: Registry) -> str:
    """`2 rules of a folder above do not count here: xcsh -C ../..`; empty where the repository has none above.

    Those that are for a folder of their own, as in `services/pay/.cursor/rules`, are no rules of a folder above it.
    """
    cwd, repo_root = registry.environment.cwd, registry.environment.repo_root
    if repo_root is None or cwd == repo_root:
        return ""
    known = {entry.rule.path for entry in registry.all}
    for folder in _above(cwd):
        found = discover_for(args, folder, rules_only=True)
        missed = sum(
            entry.rule.origin.level == Level.PROJECT and entry.rule.path not in known and not _is_nested(entry, found)
            for entry in found.active
        )
        if missed:
            verb = "does" if missed == 1 else "do"
            there = os.path.relpath(folder, cwd)
            return f"{plural(missed, 'rule')} of a folder above {verb} not count here; to work there: xcsh -C {there}"
        if folder == repo_root:
            break
    return ""


def _above(cwd: str) -> Iterator[str]:
    """The nearest folders above, without that of the whole disk."""
    folder = cwd
    for _ in range(_MOST):
        folder = os.path.dirname(folder)
        if folder == os.path.dirname(folder):
            return
        yield folder


def _is_nested(entry: Entry, registry: Registry) -> bool:
    """Whether a rule was found in a folder below the working folder, for which it is."""
    from xcsh.providers import BUILTIN_PROVIDERS

    origin = entry.rule.origin
    for provider in (*BUILTIN_PROVIDERS, *registry.installed):
        if provider.id == origin.provider and provider.rules is not None:
            return provider.rules.sources[origin.row].root == Root.NESTED
    return False
