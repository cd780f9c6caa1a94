"""Antigravity's rules (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleFields, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

_TRIGGERS = {
    "always_on": Activation.ALWAYS,
    "model_decision": Activation.MODEL,
    "glob": Activation.GLOB,
    "manual": Activation.MANUAL,
}


ANTIGRAVITY = Provider(
    id="antigravity",
    title="Antigravity",
    priority=35,
    rules=RuleTable(
        sources=(
            Source(Root.CWD, ".agent/rules", Level.PROJECT, (".md",), limit=12_000),
            Source(Root.CWD, ".agents/rules", Level.PROJECT, (".md",), limit=12_000),
            Source(Root.HOME, ".gemini/config/rules", Level.USER, (".md",), limit=12_000),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.boolean,
            description=readers.text,
            trigger=readers.text,
        ),
        owner=OwnerKeys(
            key="trigger", decide=readers.by_word(_TRIGGERS), values=tuple(_TRIGGERS), bare_default=Activation.ALWAYS
        ),
        own_keys=frozenset({"trigger", "globs", "description"}),
    ),
    reads="trigger decides, as in Windsurf",
    yaml_needs_quotes=False,
)
