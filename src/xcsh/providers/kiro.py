"""Kiro's steering files and their `inclusion` key (R-60, R-62)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleFields, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

_INCLUSIONS = {
    "always": Activation.ALWAYS,
    "fileMatch": Activation.GLOB,
    "manual": Activation.MANUAL,
    "auto": Activation.MODEL,
}


KIRO = Provider(
    id="kiro",
    title="Kiro",
    priority=32,
    rules=RuleTable(
        sources=(
            Source(Root.CWD, ".kiro/steering", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".kiro/steering", Level.USER, (".md",)),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.boolean,
            description=readers.text,
            trigger=readers.text,
        ),
        owner=OwnerKeys(
            key="inclusion",
            decide=readers.by_word(_INCLUSIONS),
            values=tuple(_INCLUSIONS),
            default=Activation.ALWAYS,
            bare_default=Activation.ALWAYS,
            pattern_key="fileMatchPattern",
        ),
        own_keys=frozenset({"inclusion", "fileMatchPattern", "name", "description"}),
    ),
    reads="inclusion decides: always, fileMatch with fileMatchPattern, manual, or auto by the description; else always",
)
