"""AGENTS.md and CLAUDE.md from the repository root down to the working folder, nearest last (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source

AGENTS_MD = Provider(
    id="agents-md",
    title="AGENTS.md",
    priority=30,
    rules=RuleTable(
        sources=(
            Source(Root.ANCESTORS, "AGENTS.md", Level.PROJECT, name="AGENTS"),
            Source(Root.ANCESTORS, "CLAUDE.md", Level.PROJECT, name="CLAUDE"),
        ),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
        context=True,
    ),
    reads="always on, no frontmatter; the file nearest to the work comes last",
)
