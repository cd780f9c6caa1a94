"""Cursor's project and user rules (R-12)."""

from __future__ import annotations

from xcsh.model.provider import Provider, RuleFields, RuleTable
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

CURSOR = Provider(
    id="cursor",
    title="Cursor",
    priority=50,
    rules=RuleTable(
        sources=(
            Source(Root.HOME, ".cursor/rules", Level.USER, (".mdc", ".md")),
            Source(Root.CWD, ".cursor/rules", Level.PROJECT, (".mdc", ".md")),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.only_true,
            description=readers.text,
            trigger=readers.text,
        ),
    ),
    reference=True,
    reads="alwaysApply: true is always on; globs attach; a description lets the agent decide; otherwise on @-mention",
    yaml_needs_quotes=False,
)
