"""Devin Desktop, once Windsurf: `.devin/rules`, and both of its folders above and below the working folder (R-60)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleFields, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers

_LIMIT = 12_000
_TRIGGERS = {
    "always_on": Activation.ALWAYS,
    "model_decision": Activation.MODEL,
    "glob": Activation.GLOB,
    "manual": Activation.MANUAL,
}


def _row(root: str, path: str) -> Source:
    return Source(root, path, Level.PROJECT, (".md",), limit=_LIMIT)


DEVIN = Provider(
    id="devin",
    title="Devin Desktop",
    priority=37,
    rules=RuleTable(
        sources=(
            _row(Root.ANCESTORS, ".devin/rules"),
            _row(Root.ABOVE, ".windsurf/rules"),
            _row(Root.NESTED, ".devin/rules"),
            _row(Root.NESTED, ".windsurf/rules"),
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
    reads="as Windsurf: trigger decides; up to the root of the repository, and in every sub-folder for that folder",
    yaml_needs_quotes=False,
)
