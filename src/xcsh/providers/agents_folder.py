"""The folder `.agents`, which several tools share: Agent Skills, and commands (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import CLAUDE_ARGUMENTS
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

AGENTS_FOLDER = Provider(
    id="agents-folder",
    title="Agent Skills",
    priority=35,
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".agents/commands", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".agents/commands", Level.USER, (".md",)),
        ),
        arguments=CLAUDE_ARGUMENTS,
        beyond=True,
    ),
    skills=CommandTable(
        sources=(
            Source(Root.CWD, ".agents/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.HOME, ".agents/skills", Level.USER, marker="SKILL.md"),
        ),
        beyond=True,
    ),
)
