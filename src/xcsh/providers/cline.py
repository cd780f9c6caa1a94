"""Cline's rules folder or file (R-14), and its `paths` key (R-62)."""

from __future__ import annotations

from typing import cast

from xcsh.model.arguments import ArgumentSyntax, Whole
from xcsh.model.provider import CommandTable, OwnerKeys, OwnReading, Provider, RuleFields, RuleTable, Spelling
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers


def _decide(value: object) -> str | None:
    """Patterns attach and `[]` is off, as in Cline; a list with an empty text is no condition, as there.

    A value of another type is no condition for Cline either, which then applies the rule always; here it is off, since
    its author plainly meant to narrow it.
    """
    if value is None:
        return Activation.ALWAYS
    if isinstance(value, str) and value:
        return Activation.GLOB
    if not isinstance(value, list) or not value:
        return Activation.DISABLED
    sound = all(isinstance(element, str) and element for element in cast("list[object]", value))
    return Activation.GLOB if sound else Activation.ALWAYS


_FIELDS = RuleFields(
    globs=readers.strings,
    always_apply=readers.boolean,
    description=readers.text,
    trigger=readers.text,
)
_OWNER = OwnerKeys(
    key="paths", decide=_decide, patterns=True, default=Activation.ALWAYS, bare_default=Activation.ALWAYS
)
_OWN = OwnReading(patterns=Spelling.LIST, unseen=" and applies the rule always")

CLINE = Provider(
    id="cline",
    title="Cline",
    priority=40,
    rules=RuleTable(
        sources=(
            Source(
                Root.NEAREST,
                ".clinerules",
                Level.PROJECT,
                (".md",),
                name="clinerules",
                more_extensions=(".txt",),
                reserved=("workflows", "hooks", "skills"),
            ),
        ),
        fields=_FIELDS,
        owner=_OWNER,
        own_keys=frozenset({"paths"}),
        own=_OWN,
    ),
    commands=CommandTable(
        sources=(
            Source(Root.NEAREST, ".clinerules/workflows", Level.PROJECT, (".md",)),
            Source(Root.HOME, "Documents/Cline/Workflows", Level.USER, (".md",)),
        ),
        arguments=ArgumentSyntax(whole=Whole.TYPED),
        beyond=True,
        alias="{name}.md",
    ),
    skills=CommandTable(
        sources=(
            Source(Root.NEAREST, ".clinerules/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.CWD, ".cline/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.HOME, ".cline/skills", Level.USER, marker="SKILL.md"),
        ),
        beyond=True,
    ),
    reference=True,
    reads="only paths: absent is always on, [] is off, patterns attach",
)
CLINE_USER = Provider(
    id="cline-user",
    title="Cline",
    priority=34,
    rules=RuleTable(
        sources=(
            Source(Root.HOME, "Documents/Cline/Rules", Level.USER, (".md", ".txt")),
            Source(Root.HOME, "Cline/Rules", Level.USER, (".md", ".txt")),
        ),
        fields=_FIELDS,
        owner=_OWNER,
        own_keys=frozenset({"paths"}),
        own=_OWN,
    ),
    reads="your own rules, behind those of the project; only paths, as there",
)
