"""Codex's commands (C-7)."""

from __future__ import annotations

from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

CODEX = Provider(
    id="codex",
    title="Codex",
    priority=70,
    commands=CommandTable(
        sources=(
            Source(Root.HOME, ".codex/commands", Level.USER, (".md",)),
            Source(Root.CWD, ".codex/commands", Level.PROJECT, (".md",)),
        ),
        name_key=True,
    ),
    reference=True,
)
