"""Grok CLI's commands (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import CLAUDE_ARGUMENTS
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

GROK = Provider(
    id="grok",
    title="Grok CLI",
    priority=28,
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".grok/commands", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".grok/commands", Level.USER, (".md",)),
        ),
        arguments=CLAUDE_ARGUMENTS,
        beyond=True,
    ),
)
