"""GEMINI.md: of the user, from the repository root down to the working folder, and in sub-folders (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source

GEMINI_MD = Provider(
    id="gemini-md",
    title="Gemini CLI",
    priority=30,
    rules=RuleTable(
        sources=(
            Source(Root.HOME, ".gemini/GEMINI.md", Level.USER, name="~/.gemini/GEMINI"),
            Source(Root.ANCESTORS, "GEMINI.md", Level.PROJECT, name="GEMINI"),
            Source(Root.NESTED, "GEMINI.md", Level.PROJECT, name="GEMINI"),
        ),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
        context=True,
        imports=True,
        homes=(".gemini",),
    ),
    reads="always on, no frontmatter; `@file.md` stands for a file; found up and down the tree",
)
