"""The made-up tool Notes: rules in `.notes/rules`, commands in `.notes/commands`. A tool is a table."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax, Whole
from xcsh.model.provider import CommandTable, OwnerKeys, Provider, RuleFields, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

NOTES = Provider(
    id="notes",
    title="Notes",
    priority=20,
    rules=RuleTable(
        sources=(
            Source(Root.CWD, ".notes/rules", Level.PROJECT, (".note",)),
            Source(Root.HOME, ".notes/rules", Level.USER, (".note",)),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.boolean,
            description=readers.text,
            trigger=readers.text,
        ),
        owner=OwnerKeys(bare_default=Activation.ALWAYS),
    ),
    commands=CommandTable(
        sources=(Source(Root.CWD, ".notes/commands", Level.PROJECT, (".note",)),),
        arguments=ArgumentSyntax(first=1, whole=Whole.JOINED),
        beyond=True,
    ),
    reads="a note without frontmatter is always on",
)
