"""Cursor's project and user rules (R-12), and those of sub-projects (R-60)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax, Whole
from xcsh.model.provider import CommandTable, OwnReading, Provider, RuleFields, RuleTable, Spelling
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

_FIELDS = RuleFields(
    globs=readers.strings,
    always_apply=readers.only_true,
    description=readers.text,
    trigger=readers.text,
)
_OWN = OwnReading(ignored=(".md",), patterns=Spelling.LINE, unseen=" and attaches the rule to none of them")
_READS = "alwaysApply: true is always on; globs attach; a description lets the agent decide; otherwise on @-mention"

CURSOR = Provider(
    id="cursor",
    title="Cursor",
    priority=50,
    rules=RuleTable(
        sources=(
            Source(Root.HOME, ".cursor/rules", Level.USER, (".mdc", ".md")),
            Source(Root.CWD, ".cursor/rules", Level.PROJECT, (".mdc", ".md")),
        ),
        fields=_FIELDS,
        own=_OWN,
    ),
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".cursor/commands", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".cursor/commands", Level.USER, (".md",)),
        ),
        arguments=ArgumentSyntax(whole=Whole.TYPED),
        beyond=True,
    ),
    skills=CommandTable(
        sources=(
            Source(Root.CWD, ".cursor/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.HOME, ".cursor/skills", Level.USER, marker="SKILL.md"),
        ),
        beyond=True,
    ),
    reference=True,
    reads=_READS,
    yaml_needs_quotes=False,
)
CURSOR_NESTED = Provider(
    id="cursor-nested",
    title="Cursor",
    priority=39,
    rules=RuleTable(
        sources=(Source(Root.NESTED, ".cursor/rules", Level.PROJECT, (".mdc", ".md")),),
        fields=_FIELDS,
        own=_OWN,
    ),
    reads=f"{_READS}; what lies in a sub-folder holds there",
    yaml_needs_quotes=False,
)
