"""Roo Code's commands and skills (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source


def _file_name(path: str) -> str:
    """Roo names a command by its file, whatever folder that is in."""
    return path.rpartition("/")[2]


ROO = Provider(
    id="roo",
    title="Roo Code",
    priority=37,
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".roo/commands", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".roo/commands", Level.USER, (".md",)),
        ),
        arguments=ArgumentSyntax(),
        beyond=True,
        naming=_file_name,
        alias="{path}",
    ),
    skills=CommandTable(
        sources=(
            Source(Root.CWD, ".roo/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.HOME, ".roo/skills", Level.USER, marker="SKILL.md"),
        ),
        beyond=True,
    ),
)
