"""Gemini CLI's commands in TOML (C-40)."""

from __future__ import annotations

import re

from xcsh.model.arguments import ArgumentSyntax, Includes
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

_ODD = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST = 50


def _name(path: str) -> str:
    """Folders become namespaces, odd characters `_`, and a part of more than 50 characters is cut."""
    parts = (_ODD.sub("_", part) for part in path.split("/"))
    return ":".join(part if len(part) <= _LONGEST else f"{part[:47]}..." for part in parts)


GEMINI_ARGUMENTS = ArgumentSyntax(braces=True, appended="\n\n/{name} {raw}", exact_end=True, includes=Includes.BRACES)
GEMINI = Provider(
    id="gemini",
    title="Gemini CLI",
    priority=34,
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".gemini/commands", Level.PROJECT, (".toml",)),
            Source(Root.HOME, ".gemini/commands", Level.USER, (".toml",)),
        ),
        arguments=GEMINI_ARGUMENTS,
        beyond=True,
        toml=True,
        naming=_name,
        description="Custom command from {file}",
    ),
    skills=CommandTable(
        sources=(
            Source(Root.CWD, ".gemini/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.HOME, ".gemini/skills", Level.USER, marker="SKILL.md"),
        ),
        beyond=True,
    ),
)
