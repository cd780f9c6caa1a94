"""Codex's commands (C-7), prompts and skills (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax, Names, Whole
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

_HOME = "CODEX_HOME"
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
    skills=CommandTable(
        sources=(
            Source(Root.HOME, ".codex/skills", Level.USER, marker="SKILL.md", variable=_HOME),
            Source(Root.CWD, ".codex/skills", Level.PROJECT, marker="SKILL.md"),
        ),
        beyond=True,
    ),
    reference=True,
)
CODEX_PROMPTS = Provider(
    id="codex-prompts",
    title="Codex",
    priority=48,
    commands=CommandTable(
        sources=(
            Source(Root.HOME, ".codex/prompts", Level.USER, (".md",), variable=_HOME),
            Source(
                Root.CWD,
                ".codex/prompts",
                Level.PROJECT,
                (".md",),
                note="Codex itself reads the prompts of your home only; this one counts here",
            ),
        ),
        arguments=ArgumentSyntax(first=1, whole=Whole.JOINED, names=Names.ASSIGNED, escape="$"),
        beyond=True,
        alias="prompts:{name}",
    ),
)
