"""Looks for rules in the folders above one that has none, to say where they are."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from xcsh.cli.output import discover_for
from xcsh.model.registry import Registry
from xcsh.model.rule import Entry
from xcsh.model.source import Level

_MOST = 8
"""Folders that are looked at; a discovery takes some milliseconds."""


def hint_above(args: argparse.Namespace, registry: Registry, wanted: Callable[[Entry], object], verb: str) -> str:
    """`The folder above has rules: xcsh -C ../.. rules`; empty where no folder between here and the home has any."""
    cwd, home = registry.environment.cwd, registry.environment.home
    folder = os.path.dirname(cwd)
    for _ in range(_MOST):
        if folder in (home, os.path.dirname(folder)):
            break
        if any(
            entry.rule.origin.level == Level.PROJECT and wanted(entry) for entry in discover_for(args, folder).active
        ):
            return f"A folder above has some: xcsh -C {os.path.relpath(folder, cwd)} {verb}"
        folder = os.path.dirname(folder)
    return ""
