"""Warp's rules file (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source

WARP = Provider(
    id="warp",
    title="Warp",
    priority=25,
    rules=RuleTable(
        sources=(Source(Root.CWD, "WARP.md", Level.PROJECT, name="WARP"),),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
        context=True,
    ),
    reads="always on, no frontmatter",
)
