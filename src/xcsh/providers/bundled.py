"""The commands that the package brings, where their names are still free (C-14)."""

from __future__ import annotations

from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

BUNDLED = Provider(
    id="bundled",
    title="bundled",
    priority=0,
    commands=CommandTable(sources=(Source(Root.PACKAGE, "bundled", Level.NATIVE, (".md",)),)),
    reference=True,
)
