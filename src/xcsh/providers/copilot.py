"""GitHub Copilot's prompt files and skills (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

_PROMPT = (".prompt.md",)
COPILOT = Provider(
    id="copilot",
    title="GitHub Copilot",
    priority=45,
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".github/prompts", Level.PROJECT, _PROMPT),
            Source(Root.HOME, ".config/Code/User/prompts", Level.USER, _PROMPT, variable="XDG_CONFIG_HOME"),
            Source(Root.HOME, "Library/Application Support/Code/User/prompts", Level.USER, _PROMPT),
        ),
        name_key=True,
        arguments=ArgumentSyntax(inputs=True),
        beyond=True,
        tools_key="tools",
    ),
    skills=CommandTable(
        sources=(
            Source(Root.CWD, ".github/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.HOME, ".copilot/skills", Level.USER, marker="SKILL.md"),
        ),
        beyond=True,
    ),
)
