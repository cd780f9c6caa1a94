"""Claude Code's rules folders and their `paths` key (R-60, R-62)."""

from __future__ import annotations

from xcsh.model.provider import OwnerKeys, Provider, RuleFields, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.source import Level, Root, Source
from xcsh.parsing import readers
from xcsh.parsing.values import elements


def _decide(value: object) -> str | None:
    """Patterns attach; none are no scope, as in Claude Code. What is no pattern is off, since it was to narrow."""
    listed = elements(value)
    if value is None or listed == [] or value == "":
        return Activation.ALWAYS
    if isinstance(value, str) or (listed is not None and any(isinstance(each, str) and each for each in listed)):
        return Activation.GLOB
    return Activation.DISABLED


_FIELDS = RuleFields(
    globs=readers.strings,
    always_apply=readers.boolean,
    description=readers.text,
    trigger=readers.text,
)
_OWNER = OwnerKeys(
    key="paths", decide=_decide, patterns=True, default=Activation.ALWAYS, bare_default=Activation.ALWAYS
)

CLAUDE_RULES = Provider(
    id="claude-rules",
    title="Claude Code",
    priority=33,
    rules=RuleTable(
        sources=(
            Source(Root.ANCESTORS, ".claude/rules", Level.PROJECT, (".md",)),
            Source(Root.NESTED, ".claude/rules", Level.PROJECT, (".md",)),
            Source(Root.HOME, ".claude/rules", Level.USER, (".md",)),
        ),
        fields=_FIELDS,
        owner=_OWNER,
        own_keys=frozenset({"paths"}),
    ),
    reads="only paths: with patterns a rule comes when a matching file is read, without them at launch",
    yaml_needs_quotes=False,
)
CLAUDE_PLUGIN_RULES = Provider(
    id="claude-plugin-rules",
    title="Claude Plugins",
    priority=23,
    rules=RuleTable(sources=(), plugins=True, fields=_FIELDS, owner=_OWNER, own_keys=frozenset({"paths"})),
    reads="the rules of plugins, as Claude Code reads those of a project",
    yaml_needs_quotes=False,
)
