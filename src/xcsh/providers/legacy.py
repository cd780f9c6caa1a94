"""The single rules files of older Cursor and Windsurf versions (R-61)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source

CURSOR_LEGACY = Provider(
    id="cursor-legacy",
    title="Cursor",
    priority=38,
    rules=RuleTable(
        sources=(Source(Root.CWD, ".cursorrules", Level.PROJECT, name="cursorrules"),),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
    ),
    reads="one file, always on, no frontmatter",
)
WINDSURF_LEGACY = Provider(
    id="windsurf-legacy",
    title="Windsurf",
    priority=36,
    rules=RuleTable(
        sources=(Source(Root.CWD, ".windsurfrules", Level.PROJECT, name="windsurfrules"),),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
    ),
    reads="one file, always on, no frontmatter",
)
