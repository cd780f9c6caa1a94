"""AGENTS.md: of the user, and from the repository root down to the folder that is worked in, nearest last (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, OwnReading, Provider, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source

_OVERRIDE = "AGENTS.override.md"


def _user(path: str) -> Source:
    return Source(Root.HOME, path, Level.USER, name=f"~/{path.removesuffix('.md')}")


def _rows(root: str) -> tuple[Source, ...]:
    """Codex reads the override in place of the file, Amp and Roo the older name where there is no newer one."""
    return (
        Source(root, "AGENTS.md", Level.PROJECT, name="AGENTS", instead=(_OVERRIDE,)),
        Source(root, _OVERRIDE, Level.PROJECT, name="AGENTS.override"),
        Source(root, "AGENT.md", Level.PROJECT, name="AGENT", instead=(_OVERRIDE, "AGENTS.md")),
        Source(root, "AGENTS.local.md", Level.PROJECT, name="AGENTS.local"),
    )


AGENTS_MD = Provider(
    id="agents-md",
    title="AGENTS.md",
    priority=30,
    rules=RuleTable(
        sources=(
            *map(_user, (".codex/AGENTS.override.md",)),
            _user(".codex/AGENTS.md")._replace(instead=(".codex/AGENTS.override.md",)),
            *map(_user, (".config/AGENTS.md", ".config/amp/AGENTS.md", ".config/zed/AGENTS.md", ".agents/AGENTS.md")),
            *_rows(Root.ANCESTORS),
            *_rows(Root.NESTED),
        ),
        fields=None,
        git_ignored=True,
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
        context=True,
        imports=True,
        homes=(".config/amp", ".codex", ".agents"),
        own=OwnReading(total_bytes=32_768, total_by="Codex"),
    ),
    reads="always on, no frontmatter; the file nearest to the work comes last, one in a sub-folder holds there",
)
