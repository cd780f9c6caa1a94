"""Amazon Q's project rules (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source

AMAZON_Q = Provider(
    id="amazon-q",
    title="Amazon Q",
    priority=24,
    rules=RuleTable(
        sources=(Source(Root.CWD, ".amazonq/rules", Level.PROJECT, (".md",)),),
        fields=None,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
    ),
    reads="always on, no frontmatter",
)
