"""Windsurf's global rules and project rules (R-13), and its `trigger` key (R-62)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax, Whole
from xcsh.model.provider import CommandTable, OwnerKeys, Provider, RuleFields, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

_TRIGGERS = {
    "always_on": Activation.ALWAYS,
    "model_decision": Activation.MODEL,
    "glob": Activation.GLOB,
    "manual": Activation.MANUAL,
}


def _decide(value: object) -> str | None:
    return _TRIGGERS.get(value.strip().lower()) if isinstance(value, str) else None


WINDSURF = Provider(
    id="windsurf",
    title="Windsurf",
    priority=50,
    rules=RuleTable(
        sources=(
            Source(
                Root.HOME, ".codeium/windsurf/memories/global_rules.md", Level.USER, name="global_rules", limit=6_000
            ),
            Source(Root.CWD, ".windsurf/rules", Level.PROJECT, (".md",), limit=12_000),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.as_it_stands,
            description=readers.as_it_stands,
            trigger=readers.text,
        ),
        owner=OwnerKeys(key="trigger", decide=_decide, values=tuple(_TRIGGERS), bare_default=Activation.ALWAYS),
        own_keys=frozenset({"trigger", "globs", "description"}),
    ),
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".windsurf/workflows", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".codeium/windsurf/global_workflows", Level.USER, (".md",)),
        ),
        arguments=ArgumentSyntax(whole=Whole.TYPED),
        beyond=True,
    ),
    skills=CommandTable(
        sources=(
            Source(Root.CWD, ".windsurf/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.HOME, ".codeium/windsurf/skills", Level.USER, marker="SKILL.md"),
        ),
        beyond=True,
    ),
    reference=True,
    reads="trigger decides: always_on, model_decision, glob or manual; a file without a block is taken for always on",
    yaml_needs_quotes=False,
)
