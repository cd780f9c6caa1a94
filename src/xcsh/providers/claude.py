"""Claude Code's commands and skills, and those of its plugins (C-6, C-8, C-40)."""

from __future__ import annotations

from xcsh.model.arguments import CLAUDE_ARGUMENTS
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
        arguments=CLAUDE_ARGUMENTS,
    ),
    skills=CommandTable(
        sources=(
            Source(Root.HOME, ".claude/skills", Level.USER, marker="SKILL.md"),
            Source(Root.CWD, ".claude/skills", Level.PROJECT, marker="SKILL.md"),
        ),
        arguments=CLAUDE_ARGUMENTS,
        beyond=True,
    ),
    reference=True,
    yaml_needs_quotes=False,
)
CLAUDE_PLUGINS = Provider(
    id="claude-plugins",
    title="Claude Plugins",
    priority=70,
    commands=CommandTable(sources=(), plugins=True, arguments=CLAUDE_ARGUMENTS),
    skills=CommandTable(sources=(), plugins=True, arguments=CLAUDE_ARGUMENTS, beyond=True),
    reference=True,
    yaml_needs_quotes=False,
)
