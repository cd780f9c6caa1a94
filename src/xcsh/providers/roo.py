"""Roo Code's rules (R-60), commands and skills (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax
from xcsh.model.provider import CommandTable, OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Naming, Root, Source

_TEXTS = (".md", ".txt", ".xml", ".mdc", ".markdown", ".json", ".yaml", ".yml")


def _file_name(path: str) -> str:
    """Roo names a command by its file, whatever folder that is in."""
    return path.rpartition("/")[2]


ROO = Provider(
    id="roo",
    title="Roo Code",
    priority=37,
    rules=RuleTable(
        sources=(
            Source(Root.CWD, ".roo/rules", Level.PROJECT, _TEXTS, naming=Naming.FILE),
            Source(Root.CWD, ".roo/rules-*", Level.PROJECT, _TEXTS, naming=Naming.FILE),
            Source(Root.CWD, ".roorules", Level.PROJECT, name="roorules", instead=(".roo/rules",)),
            Source(Root.HOME, ".roo/rules", Level.USER, _TEXTS, naming=Naming.FILE),
            Source(Root.HOME, ".roo/rules-*", Level.USER, _TEXTS, naming=Naming.FILE),
        ),
        fields=None,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
    ),
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
    reads="always on: every text file, frontmatter and all; the rules of a mode in that mode",
)
