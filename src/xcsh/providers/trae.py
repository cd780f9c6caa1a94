"""Trae's rules (R-60)."""

from __future__ import annotations

from xcsh.model.provider import Provider, RuleFields, RuleTable
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

TRAE = Provider(
    id="trae",
    title="Trae",
    priority=32,
    rules=RuleTable(
        sources=(
            Source(Root.CWD, ".trae/rules", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".trae/user_rules", Level.USER, (".md",)),
            Source(Root.HOME, ".trae-cn/user_rules", Level.USER, (".md",)),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.boolean,
            description=readers.text,
            trigger=readers.text,
        ),
    ),
    reads="alwaysApply, globs and description as in Cursor",
    yaml_needs_quotes=False,
)
