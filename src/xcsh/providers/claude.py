"""Claude Code's commands, and those of its plugins (C-6, C-8)."""

from __future__ import annotations

from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

CLAUDE = Provider(
    id="claude",
    title="Claude Code",
    priority=80,
    commands=CommandTable(
        sources=(
            Source(Root.HOME, ".claude/commands", Level.USER, (".md",)),
            Source(Root.CWD, ".claude/commands", Level.PROJECT, (".md",)),
        ),
        claude_arguments=True,
    ),
    reference=True,
    yaml_needs_quotes=False,
)
CLAUDE_PLUGINS = Provider(
    id="claude-plugins",
    title="Claude Plugins",
    priority=70,
    commands=CommandTable(sources=(), plugins=True, claude_arguments=True),
    reference=True,
    yaml_needs_quotes=False,
)
