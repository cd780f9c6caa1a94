"""Qwen Code's commands in Markdown (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import CLAUDE_ARGUMENTS
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Root, Source

QWEN = Provider(
    id="qwen",
    title="Qwen Code",
    priority=31,
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".qwen/commands", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".qwen/commands", Level.USER, (".md",)),
        ),
        arguments=CLAUDE_ARGUMENTS,
        beyond=True,
    ),
)
