"""Augment's rules and their `type` key (R-60, R-62), and its commands (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import CLAUDE_ARGUMENTS
from xcsh.model.provider import CommandTable, OwnerKeys, Provider, RuleFields, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

_TYPES = {
    "always_apply": Activation.ALWAYS,
    "agent_requested": Activation.MODEL,
    "manual": Activation.MANUAL,
}
AUGMENT = Provider(
    id="augment",
    title="Augment",
    priority=32,
    rules=RuleTable(
        sources=(
            Source(Root.CWD, ".augment/rules", Level.PROJECT, (".md",)),
            Source(Root.CWD, ".augment-guidelines", Level.PROJECT, name="augment-guidelines"),
            Source(Root.HOME, ".augment/rules", Level.USER, (".md",), always=True),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.boolean,
            description=readers.text,
            trigger=readers.text,
        ),
        owner=OwnerKeys(
            key="type",
            decide=readers.by_word(_TYPES),
            values=tuple(_TYPES),
            default=Activation.ALWAYS,
            bare_default=Activation.ALWAYS,
        ),
        own_keys=frozenset({"type", "description"}),
    ),
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".augment/commands", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".augment/commands", Level.USER, (".md",)),
        ),
        arguments=CLAUDE_ARGUMENTS,
        beyond=True,
    ),
    reads="type decides: always_apply, agent_requested or manual; without it always; your own rules always",
)
