"""Junie's guidelines: the first of its files that is there (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source

JUNIE = Provider(
    id="junie",
    title="Junie",
    priority=27,
    rules=RuleTable(
        sources=(
            Source(Root.HOME, ".junie/AGENTS.md", Level.USER, name="~/.junie/AGENTS"),
            Source(Root.CWD, ".junie/AGENTS.md", Level.PROJECT, name="AGENTS"),
            Source(
                Root.CWD,
                ".junie/guidelines.md",
                Level.PROJECT,
                name="guidelines",
                instead=(".junie/AGENTS.md", "AGENTS.md"),
            ),
        ),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
        context=True,
    ),
    reads="always on: the first of .junie/AGENTS.md, AGENTS.md and .junie/guidelines.md, and nothing after it",
)
