"""Makes a Rule of a Document by its provider's table (R-1, R-3, R-17, R-23, R-62)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from xcsh.model.diagnostic import Position, Report
from xcsh.model.document import BlockState, Document, FieldValue
from xcsh.model.provider import Provider, RuleFields
from xcsh.model.rule import Activation, Rule
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import ALL_KEYS, PATTERN_KEYS, RULE_KEYS, canonical
from xcsh.parsing.values import elements, type_name

_EXPECTED = {"globs": "a pattern or a list of patterns", "alwaysApply": "true or false", "description": "text"}
_LOSSY = frozenset({BlockState.FAILED, BlockState.FALLBACK})
"""States in which a key may have been given and not read."""
_TRIGGER_KEYS = frozenset({"condition", "ttsr_trigger", "ttsrTrigger", "scope"})
_DECISIVE = ("alwaysApply", "globs", "description")


class RuleMode(NamedTuple):
    """The settings that decide how a document becomes a rule; by level of the item."""

    repair: bool
    owner: bool


def normalize_rule(
    document: Document, provider: Provider, mode: RuleMode, report: Report, finding: Finding
) -> Rule | None:
    """The rule that a document holds; None, with a diagnostic, where it is invalid (R-3)."""
    if not document.body.strip():
        where = Position(document.body_line, 1)
        report(finding.make("empty-rule", where, "the rule has no content; it is skipped and shadows nothing"))
        return None
    if provider.fields is None or not (document.fields or document.state in _LOSSY):
        return _bare(document, provider, mode)
    fields = _by_key(document.fields, provider, report, finding) if mode.repair else document.fields
    return _rule(document, provider, provider.fields, fields, mode, report, finding)


def _bare(document: Document, provider: Provider, mode: RuleMode) -> Rule:
    """A file without keys: the owner's default decides, where it is asked."""
    owner = provider.owner
    default = owner.default if document.state != BlockState.ABSENT else owner.bare_default
    always = default == Activation.ALWAYS and (mode.owner or provider.fields is None)
    return Rule(
        document.name,
        document.body,
        document.origin,
        always_apply=True if always else None,
        decided_by=f"{provider.title} applies such a file always" if always else "",
        rank=document.rank,
    )


def _rule(
    document: Document,
    provider: Provider,
    table: RuleFields,
    fields: Mapping[str, FieldValue],
    mode: RuleMode,
    report: Report,
    finding: Finding,
) -> Rule:
    globs_field = fields.get("globs")
    globs = _globs(table.globs(globs_field.value)) if globs_field is not None else ()
    always_field = fields.get("alwaysApply")
    always_apply = table.always_apply(always_field.value) if always_field is not None else None
    description_field = fields.get("description")
    description = table.description(description_field.value) if description_field is not None else None
    if mode.repair:
        kept = (("globs", globs or None), ("alwaysApply", always_apply), ("description", description))
        _report_dropped(fields, kept, report, finding)
    trigger, conditions, scopes = None, (), ()
    if not _TRIGGER_KEYS.isdisjoint(fields):
        from xcsh.normalize import triggers  # noqa: PLC0415 - most projects have no stream rules

        trigger, conditions, scopes = triggers.read_trigger(fields, table.trigger, report, finding)
    lost = document.state in _LOSSY or (bool(conditions) and trigger is None)
    activation, decided_by = _activation(provider, fields, report, finding, lost=lost) if mode.owner else (None, "")
    if activation == Activation.ALWAYS:
        activation, always_apply = None, True
    if mode.owner and not globs and provider.owner.patterns and (field := fields.get(provider.owner.key or "")):
        globs = _globs(field.value)
    return Rule(
        document.name,
        document.body,
        document.origin,
        description,
        globs,
        always_apply,
        trigger,
        conditions,
        scopes,
        _interrupt(fields),
        activation,
        decided_by,
        document.rank,
    )


def _activation(
    provider: Provider, fields: Mapping[str, FieldValue], report: Report, finding: Finding, *, lost: bool
) -> tuple[str | None, str]:
    """R-62: the owner's key, where alwaysApply is absent; the owner's default, where no key decides and none is lost.

    `lost`: a part of the block, or a stream condition, was given and could not be read.
    """
    if "alwaysApply" in fields:
        return None, ""
    owner = provider.owner
    field = fields.get(owner.key) if owner.key else None
    if field is not None and owner.decide is not None:
        decided = owner.decide(field.value)
        if decided is not None:
            return (
                decided,
                f"has `{owner.key}`" if owner.patterns and field.value else f"`{owner.key}: {_shown(field.value)}`",
            )
        message = f"`{owner.key}: {field.value}` is no value that {provider.title} knows"
        report(finding.make("unknown-trigger", field.position, message, length=field.length))
        return None, ""
    decisive = any(key in fields and fields[key].value is not None for key in _DECISIVE)
    if owner.default is None or decisive or lost:
        return None, ""
    return owner.default, f"{provider.title} applies such a file always"


def _by_key(
    fields: Mapping[str, FieldValue], provider: Provider, report: Report, finding: Finding
) -> Mapping[str, FieldValue]:
    """The fields by canonical key: other spellings, `glob`, and another tool's pattern key where `globs` is absent."""
    own = provider.own_keys or RULE_KEYS
    if fields.keys() <= own:
        return fields
    found = dict(fields)
    for key, field in fields.items():
        known = canonical(key)
        if known not in ALL_KEYS:
            continue
        if known != key and known not in found:
            found[known] = field
            report(finding.make("key-spelling", _key_place(field), f"`{key}` is read as `{known}`", length=len(key)))
        if known == "glob" and "globs" not in found:
            found["globs"] = field
            report(finding.make("key-spelling", _key_place(field), "`glob` is read as `globs`", length=len(key)))
        elif known in PATTERN_KEYS and known not in own and "globs" not in found:
            found["globs"] = field
            message = f"`{key}` is another tool's key, {provider.title} ignores it; read as `globs`"
            report(finding.make("foreign-key", _key_place(field), message, length=len(key)))
        elif (
            known == key
            and known not in own
            and (known not in RULE_KEYS or provider.own_keys)
            and not _native_key(known)
        ):
            message = f"`{key}` is no key of {provider.title}, which ignores it"
            report(finding.make("foreign-key", _key_place(field), message, length=len(key)))
    return found


def _native_key(key: str) -> bool:
    """Keys of this project: no other tool has them, and that is no mistake. `name` and `type` are anybody's."""
    return key in {
        "condition",
        "ttsr_trigger",
        "ttsrTrigger",
        "scope",
        "interrupt_mode",
        "interruptMode",
        "name",
        "type",
        "activation",
        "argument-hint",
    }


def _key_place(field: FieldValue) -> Position:
    """Where the key stands: at the start of the line on which its value begins."""
    return Position(field.position.line, 1)


def _globs(value: object) -> tuple[object, ...]:
    if value is None:
        return ()
    listed = elements(value)
    return tuple(element for element in ([value] if listed is None else listed) if element not in ("", None))


def _interrupt(fields: Mapping[str, FieldValue]) -> str | None:
    field = fields.get("interrupt_mode") or fields.get("interruptMode")
    return field.value if field is not None and isinstance(field.value, str) else None


def _report_dropped(
    fields: Mapping[str, FieldValue], kept: tuple[tuple[str, object], ...], report: Report, finding: Finding
) -> None:
    for key, value in kept:
        if value or key not in fields:
            continue
        field = fields[key]
        if not field.value or field.value == [""] or value is not None:
            continue
        message = f"`{key}` takes {_EXPECTED[key]}, not {type_name(field.value)}; it is dropped"
        report(finding.make("value-type", field.position, message, length=field.length))


def _shown(value: object) -> str:
    return "" if value is None else str(value)
