"""opencode's commands and skills (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax, Includes, Whole
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

_CONFIG = "XDG_CONFIG_HOME"


def _rows(*folders: str, extensions: tuple[str, ...] = (), marker: str | None = None) -> tuple[Source, ...]:
    """Project before user, today's name of a folder before the older one."""
    return (
        *(Source(Root.CWD, f".opencode/{name}", Level.PROJECT, extensions, marker=marker) for name in folders),
        *(
            Source(Root.HOME, f".config/opencode/{name}", Level.USER, extensions, marker=marker, variable=_CONFIG)
            for name in folders
        ),
    )


OPENCODE = Provider(
    id="opencode",
    title="opencode",
    priority=33,
    commands=CommandTable(
        sources=_rows("commands", "command", extensions=(".md",)),
        arguments=ArgumentSyntax(first=1, rest=True, whole=Whole.TYPED, trims=True, includes=Includes.MARKS),
        beyond=True,
        alias="{path}",
    ),
    skills=CommandTable(sources=_rows("skills", "skill", marker="SKILL.md"), beyond=True),
)
