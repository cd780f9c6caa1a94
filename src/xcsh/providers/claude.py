"""Claude Code's commands, and those of its plugins (C-6, C-8)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax, Includes, Names, Whole
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

CLAUDE_ARGUMENTS = ArgumentSyntax(
    first=0,
    keeps_missing=True,
    whole=Whole.TYPED,
    brackets=True,
    names=Names.LISTED,
    escape="\\",
    appended="\n\nARGUMENTS: {raw}",
    includes=Includes.MARKS,
)
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
    reference=True,
    yaml_needs_quotes=False,
)
CLAUDE_PLUGINS = Provider(
    id="claude-plugins",
    title="Claude Plugins",
    priority=70,
    commands=CommandTable(sources=(), plugins=True, arguments=CLAUDE_ARGUMENTS),
    reference=True,
    yaml_needs_quotes=False,
)
