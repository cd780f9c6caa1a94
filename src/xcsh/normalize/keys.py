"""Brings the fields of a document under the keys by which they are looked up, and reports the odd ones (R-23)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from xcsh.model.diagnostic import Position, Report
from xcsh.model.document import FieldValue
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import ALL_KEYS, PATTERN_KEYS, RULE_KEYS, canonical

Fields = Mapping[str, FieldValue]

_ANYBODYS_KEYS = frozenset({
    "condition", "ttsr_trigger", "ttsrTrigger", "scope", "interrupt_mode", "interruptMode", "name", "type",
    "activation", "argument-hint", "model", "arguments",
})  # fmt: skip
"""Keys of this project, which no other tool has, and keys that mean something else elsewhere: never a mistake."""


def rule_fields(fields: Fields, own_keys: frozenset[str], title: str, report: Report, finding: Finding) -> Fields:
    """The fields of a rule: other spellings, `glob`, and another tool's pattern key where `globs` is absent."""
    own = own_keys or RULE_KEYS
    if fields.keys() <= own:
        return fields
    found = dict(_respelled(fields, report, finding))
    for key, field in list(found.items()):
        if key not in ALL_KEYS:
            if canonical(key) not in ALL_KEYS and (meant := near_miss(key, own)) is not None:
                message = f"no tool reads `{key}`; did you mean `{meant}`?"
                report(finding.make("unknown-key", key_place(field), message, length=len(key)))
            continue
        if key in own or key in _ANYBODYS_KEYS:
            continue
        if key in PATTERN_KEYS and "globs" not in found:
            found["globs"] = field
            message, code = f"`{key}` is another tool's key, {title} ignores it; read as `globs`", "foreign-key"
            if key == "glob":
                message, code = "`glob` is read as `globs`", "key-spelling"
            report(finding.make(code, key_place(field), message, length=len(key)))
        elif key not in RULE_KEYS or own_keys:
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


@lru_cache(maxsize=1024)
def near_miss(key: str, own: frozenset[str]) -> str | None:
    """The key of which `key` is probably a slip: one that the tool or this project reads, all but the same."""
    import difflib  # noqa: PLC0415 - only where a key is unknown

    wanted = [*own, *RULE_KEYS]
    near = difflib.get_close_matches(key.lower(), [name.lower() for name in wanted], 1, 0.82)
    return next((name for name in wanted if name.lower() == near[0]), None) if near else None


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
