"""CLAUDE.md: of the user, from the repository root down to the working folder, and in sub-folders (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source


def _rows(root: str) -> tuple[Source, ...]:
    return (
        Source(root, "CLAUDE.md", Level.PROJECT, name="CLAUDE"),
        Source(root, ".claude/CLAUDE.md", Level.PROJECT, name=".claude/CLAUDE"),
        Source(root, "CLAUDE.local.md", Level.PROJECT, name="CLAUDE.local"),
    )


CLAUDE_MD = Provider(
    id="claude-md",
    title="Claude Code",
    priority=30,
    rules=RuleTable(
        sources=(
            Source(Root.HOME, ".claude/CLAUDE.md", Level.USER, name="~/.claude/CLAUDE"),
            *_rows(Root.ANCESTORS),
            *_rows(Root.NESTED),
        ),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
        context=True,
        imports=True,
        homes=(".claude",),
        hides_comments=True,
    ),
    reads="always on, no frontmatter; `@path` stands for a file; one in a sub-folder comes when a file there is read",
)
