"""Augment's commands (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import CLAUDE_ARGUMENTS
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

AUGMENT = Provider(
    id="augment",
    title="Augment",
    priority=32,
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".augment/commands", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".augment/commands", Level.USER, (".md",)),
        ),
        arguments=CLAUDE_ARGUMENTS,
        beyond=True,
    ),
)
