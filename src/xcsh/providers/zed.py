"""Zed's own rules file (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source

ZED = Provider(
    id="zed",
    title="Zed",
    priority=26,
    rules=RuleTable(
        sources=(Source(Root.CWD, ".rules", Level.PROJECT, name="rules"),),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
        context=True,
    ),
    reads=(
        "always on: only the first of .rules, .cursorrules, .windsurfrules, .clinerules, "
        ".github/copilot-instructions.md, AGENT.md, AGENTS.md, CLAUDE.md and GEMINI.md"
    ),
)
