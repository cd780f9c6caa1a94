"""Brings the fields of a document under the keys by which they are looked up, and reports the odd ones (R-23)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from xcsh.model.diagnostic import Position, Report, Severity
from xcsh.model.document import FieldValue
from xcsh.model.provider import OwnerKeys, RuleTable
from xcsh.nearest import nearest
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import ALL_KEYS, PATTERN_KEYS, RULE_KEYS, canonical

Fields = Mapping[str, FieldValue]

_ANYBODYS_KEYS = frozenset({
    "condition", "ttsr_trigger", "ttsrTrigger", "scope", "interrupt_mode", "interruptMode", "name", "type",
    "activation", "argument-hint", "model", "arguments",
})  # fmt: skip
"""Keys of this project, which no other tool has, and keys that mean something else elsewhere: never a mistake."""

CONDITION_KEYS = frozenset({"condition", "ttsr_trigger", "ttsrTrigger"})
_ACTIVATING = frozenset({"globs", "description", "alwaysApply"})
_NARROWING = frozenset({"scope", "interrupt_mode", "interruptMode"})
"""Keys that say something of a stream rule only."""


def rule_fields(fields: Fields, table: RuleTable, title: str, report: Report, finding: Finding) -> Fields:
    """The fields of a rule: other spellings, `glob`, and another tool's pattern key where `globs` is absent."""
    own = table.own_keys or RULE_KEYS
    if fields.keys() <= own:
        return fields
    found = dict(_respelled(fields, report, finding))
    for key, field in list(found.items()):
        if key not in ALL_KEYS:
            if canonical(key) not in ALL_KEYS and (meant := near_miss(key, own)) is not None:
                lost = _what_is_lost(meant, found, table.owner)
                message = f"no tool reads `{key}`; did you mean `{meant}`?{lost}"
                severity = Severity.WARNING if lost else None
                report(finding.make("unknown-key", key_place(field), message, length=len(key), severity=severity))
            continue
        if key in own or key in _ANYBODYS_KEYS:
            continue
        if key in PATTERN_KEYS and "globs" not in found:
            found["globs"] = field
            message, code = f"`{key}` is another tool's key, {title} ignores it; read as `globs`", "foreign-key"
            if key == "glob":
                message, code = "`glob` is read as `globs`", "key-spelling"
            report(finding.make(code, key_place(field), message, length=len(key)))
        elif key not in RULE_KEYS or table.own_keys:
            message = f"`{key}` is no key of {title}, which ignores it"
            if key in RULE_KEYS:
                message += "; it counts here"
            report(finding.make("foreign-key", key_place(field), message, length=len(key)))
    return found


def command_fields(fields: Fields, known: frozenset[str], report: Report, finding: Finding) -> Fields:
    """The fields of a command; a key that no tool knows is reported, as an error where it reads like a restriction."""
    if fields.keys() <= known:
        return fields
    found = _respelled(fields, report, finding)
    for key, field in fields.items():
        if canonical(key) in known or key in ALL_KEYS:
            continue
        code = "unknown-restriction" if _restricts(key) else "unknown-key"
        report(finding.make(code, key_place(field), f"no tool reads the key `{key}` of a command", length=len(key)))
    return found


def _what_is_lost(meant: str, fields: Fields, owner: OwnerKeys) -> str:
    """What a rule is without the key that was meant; empty where it can do without, or where that is not sure."""
    if meant in fields:
        return ""
    streams = any(fields[key].value for key in CONDITION_KEYS & fields.keys())
    if meant in _NARROWING:
        return " Without a scope, answers and all tool calls are watched" if streams and meant == "scope" else ""
    if streams or any(fields[key].value for key in _ACTIVATING & fields.keys()):
        return ""
    if owner.key and owner.key != meant and owner.key in fields:
        return ""
    decides = meant in CONDITION_KEYS or meant == owner.key or owner.default is None
    return f" Without `{meant}` nothing makes the rule apply" if decides else ""


@lru_cache(maxsize=1024)
def near_miss(key: str, own: frozenset[str]) -> str | None:
    """The key of which `key` is probably a slip: one that the tool or this project reads, all but the same."""
    return next(iter(nearest(key, [*own, *RULE_KEYS], alike=0.82)), None)


def key_place(field: FieldValue) -> Position:
    """Where the key stands: at the start of the line on which its value begins."""
    return Position(field.position.line, 1)


def _respelled(fields: Fields, report: Report, finding: Finding) -> Fields:
    found = dict(fields)
    for key, field in fields.items():
        known = canonical(key)
        if known == key or known not in ALL_KEYS:
            continue
        if known in found:
            message = f"`{known}` is given twice, once as `{key}`"
            report(finding.make("duplicate-key", key_place(field), message, length=len(key)))
        if known not in fields:
            found[known] = field
            report(finding.make("key-spelling", key_place(field), f"`{key}` is read as `{known}`", length=len(key)))
    return found


def _restricts(key: str) -> bool:
    lower = key.lower()
    return any(
        word in lower for word in ("hide", "disable", "disallow", "deny", "forbid", "restrict", "private", "only")
    )
