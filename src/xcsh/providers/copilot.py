"""GitHub Copilot's instructions and their `applyTo` key (R-60, R-62), prompt files and skills (C-40)."""

from __future__ import annotations

from xcsh.model.arguments import ArgumentSyntax
from xcsh.model.provider import CommandTable, OwnerKeys, OwnReading, Provider, RuleFields, RuleTable, Spelling
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Naming, Root, Source
from xcsh.parsing import readers
from xcsh.parsing.values import elements

_PROMPT = (".prompt.md",)
_INSTRUCTIONS = (".instructions.md",)
_EVERYTHING = frozenset({"**", "**/*"})


def _decide(value: object) -> str | None:
    """Patterns attach, and one for everything means every request; none are no reason to apply a file."""
    patterns = [each for each in elements(value) or [value] if isinstance(each, str) and each]
    if not patterns:
        return Activation.MANUAL
    return Activation.ALWAYS if _EVERYTHING.intersection(patterns) else Activation.GLOB


COPILOT = Provider(
    id="copilot",
    title="GitHub Copilot",
    priority=33,
    rules=RuleTable(
        sources=(
            Source(
                Root.CWD, ".github/copilot-instructions.md", Level.PROJECT, name="copilot-instructions", always=True
            ),
            Source(Root.CWD, ".github/instructions", Level.PROJECT, _INSTRUCTIONS, naming=Naming.FILE),
            Source(Root.HOME, ".copilot/instructions", Level.USER, _INSTRUCTIONS, naming=Naming.FILE),
        ),
        fields=RuleFields(
            globs=readers.strings,
            always_apply=readers.boolean,
            description=readers.text,
            trigger=readers.text,
        ),
        owner=OwnerKeys(key="applyTo", decide=_decide, patterns=True),
        own_keys=frozenset({"applyTo", "name", "description", "excludeAgent"}),
        name_key=True,
        own=OwnReading(patterns=Spelling.TEXT, unseen=" and never applies the file by itself"),
    ),
    commands=CommandTable(
        sources=(
            Source(Root.CWD, ".github/prompts", Level.PROJECT, _PROMPT),
            Source(Root.HOME, ".config/Code/User/prompts", Level.USER, _PROMPT, variable="XDG_CONFIG_HOME"),
            Source(Root.HOME, "Library/Application Support/Code/User/prompts", Level.USER, _PROMPT),
        ),
        name_key=True,
        arguments=ArgumentSyntax(inputs=True),
        beyond=True,
        tools_key="tools",
    ),
    skills=CommandTable(
        sources=(
            Source(Root.CWD, ".github/skills", Level.PROJECT, marker="SKILL.md"),
            Source(Root.HOME, ".copilot/skills", Level.USER, marker="SKILL.md"),
        ),
        beyond=True,
    ),
    reads="applyTo attaches, and `**` is every request; without it only by description or by hand",
    yaml_needs_quotes=False,
)
