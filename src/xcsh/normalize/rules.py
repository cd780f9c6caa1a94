"""Makes a Rule of a Document by its provider's table (R-1, R-3, R-17, R-23, R-62)."""

from typing import NamedTuple

from xcsh.model.diagnostic import Position, Report
from xcsh.model.document import BlockState, Document, FieldValue
from xcsh.model.provider import RuleFields, RuleTable
from xcsh.model.rule import Activation, Rule
from xcsh.normalize.activation import by_default, decide, default_of
from xcsh.normalize.keys import CONDITION_KEYS, Fields, near_miss, rule_fields
from xcsh.parsing.finding import Finding
from xcsh.parsing.intent import narrowing_line
from xcsh.parsing.keys import ALL_KEYS, canonical
from xcsh.parsing.values import elements, type_name

_EXPECTED = {"globs": "a pattern or a list of patterns", "alwaysApply": "true or false", "description": "text"}
_LOSSY = frozenset({BlockState.FAILED, BlockState.FALLBACK})
"""States in which a key may have been given and not read."""
_TRIGGER_KEYS = frozenset({"condition", "ttsr_trigger", "ttsrTrigger", "scope", "interrupt_mode", "interruptMode"})
_PLAIN_KEYS = CONDITION_KEYS | {"scope", "interrupt_mode", "interruptMode", "globs", "alwaysApply", "description"}
_UNREAD = "its frontmatter could not be read"
_FEW_BRACES, _LONG_PATTERN = 2, 4_096
"""With no more of them a pattern cannot have too many alternatives by accident."""


class RuleMode(NamedTuple):
    """The settings that decide how a document becomes a rule; by level of the item."""

    repair: bool
    owner: bool


def normalize_rule(
    document: Document, table: RuleTable, title: str, mode: RuleMode, report: Report, finding: Finding
) -> Rule | None:
    """The rule that a document holds; None, with a diagnostic, where it is invalid (R-3)."""
    if not document.body.strip():
        where = Position(document.body_line, 1)
        report(finding.make("empty-rule", where, "the rule has no content; it is skipped and shadows nothing"))
        return None
    if table.fields is None or not (document.fields or document.state in _LOSSY):
        return _bare(document, table, title, mode, report, finding)
    fields: Fields = document.fields
    if mode.repair:
        fields = rule_fields(fields, table, title, report, finding)
    patterns = table.owner.pattern_key
    if patterns is not None and patterns in fields and "globs" not in fields:
        fields = {**fields, "globs": fields[patterns]}
    rule = _basic(document, table.fields, fields, mode, report, finding)
    if not _TRIGGER_KEYS.isdisjoint(fields):
        from xcsh.normalize.triggers import read_trigger  # noqa: PLC0415 - most projects have no stream rules

        trigger, conditions, scopes, interrupt = read_trigger(fields, table.fields.trigger, report, finding)
        rule = rule._replace(trigger=trigger, condition=conditions, scope=scopes, interrupt_mode=interrupt)
    if table.name_key and (name := fields.get("name")) is not None and isinstance(name.value, str):
        rule = rule._replace(name=name.value.strip() or rule.name)
    asked = table.owner.key or table.owner.default or document.state in _LOSSY
    return _owned(rule, document, table, title, fields, report, finding) if asked and mode.owner else rule


def _bare(document: Document, table: RuleTable, title: str, mode: RuleMode, report: Report, finding: Finding) -> Rule:
    """A file without keys: the owner's default decides, where it is asked."""
    rule = Rule(document.name, document.body, document.origin, block=document.state, rank=document.rank)
    if mode.repair and table.fields is not None:
        _report_bare_keys(document, table.owner.key, report, finding)
    default = default_of(table.owner, document.state) if mode.owner or table.fields is None else None
    if default is None:
        return rule
    if default == Activation.ALWAYS and table.fields is not None and _tries_to_narrow(document, report, finding):
        return rule._replace(decided_by=_UNREAD)
    return _with_activation(rule, default, by_default(title, default))


def _report_bare_keys(document: Document, own: str | None, report: Report, finding: Finding) -> None:
    """A first line that is a key of rules, in a file without any fence."""
    if document.state != BlockState.ABSENT or "\n---" in document.text:
        return  # a file with a fence is looked at where blocks are found
    line, _, _ = document.text.lstrip().partition("\n")
    key, colon, value = line.partition(":")
    if colon and (key in _PLAIN_KEYS or key == own) and value[:1] in ("", " "):
        number = document.text[: document.text.index(line)].count("\n") + 1
        message = f"line {number} looks like frontmatter, and no `---` stands around it; it is read as body"
        hint = "put the keys between two lines `---` at the top of the file"
        report(finding.make("frontmatter-fence", Position(number, 1), message, length=len(line), hint=hint))


def _tries_to_narrow(document: Document, report: Report, finding: Finding) -> bool:
    """Whether the file says in vain where it applies; then no default may make it apply always (R-24)."""
    place = narrowing_line(document.text)
    if place is not None:
        message = (
            "this looks like a key that narrows the rule, and it could not be read; the rule is not applied always"
        )
        report(finding.make("lost-frontmatter", place, message))
    return place is not None


def _basic(
    document: Document, keep: RuleFields, fields: Fields, mode: RuleMode, report: Report, finding: Finding
) -> Rule:
    """The rule by the provider's own readers, before any question of who decides."""
    globs_field, always_field, description_field = (
        fields.get("globs"),
        fields.get("alwaysApply"),
        fields.get("description"),
    )
    globs = _globs(keep.globs(globs_field.value)) if globs_field is not None else ()
    always_apply = keep.always_apply(always_field.value) if always_field is not None else None
    description = keep.description(description_field.value) if description_field is not None else None
    if mode.repair:
        _report_dropped("globs", globs_field, globs or None, report, finding)
        _report_dropped("alwaysApply", always_field, always_apply, report, finding)
        _report_dropped("description", description_field, description, report, finding)
    _report_braces(globs_field, globs, report, finding)
    return Rule(
        document.name,
        document.body,
        document.origin,
        description,
        globs,
        always_apply,
        block=document.state,
        rank=document.rank,
    )


def _owned(
    rule: Rule, document: Document, table: RuleTable, title: str, fields: Fields, report: Report, finding: Finding
) -> Rule:
    """The rule with what its owning tool decides (R-62)."""
    owner = table.owner
    conditional = any(fields[key].value is not None for key in CONDITION_KEYS & fields.keys())
    lost = document.state in _LOSSY or (conditional and rule.trigger is None) or _slipped(fields, table)
    activation, decided_by = decide(owner, title, fields, report, finding, lost=lost)
    field = fields.get(owner.key or "")
    if owner.patterns and field is not None and (activation == Activation.GLOB or not rule.globs):
        rule = rule._replace(globs=_globs(field.value))
    return (
        rule._replace(decided_by=decided_by) if activation is None else _with_activation(rule, activation, decided_by)
    )


def _slipped(fields: Fields, table: RuleTable) -> bool:
    """Whether a key is all but the owner's own, or a condition: its author meant to say something."""
    narrowing = {*CONDITION_KEYS, table.owner.key}
    return any(canonical(key) not in ALL_KEYS and near_miss(key, table.own_keys) in narrowing for key in fields)


def _with_activation(rule: Rule, activation: str, decided_by: str) -> Rule:
    """Always is what alwaysApply says too; the other activations have no key of their own."""
    if activation == Activation.ALWAYS:
        return rule._replace(always_apply=True, decided_by=decided_by)
    return rule._replace(activation=activation, decided_by=decided_by)


def _globs(value: object) -> tuple[object, ...]:
    if value is None:
        return ()
    listed = elements(value)
    return tuple(element for element in ([value] if listed is None else listed) if element not in ("", None))


def _report_dropped(key: str, field: FieldValue | None, kept: object, report: Report, finding: Finding) -> None:
    if field is None or kept is not None or not field.value or field.value == [""]:
        return
    message = f"`{key}` takes {_EXPECTED[key]}, not {type_name(field.value)}; it is dropped"
    report(finding.make("value-type", field.position, message, length=field.length))


def _report_braces(field: FieldValue | None, globs: tuple[object, ...], report: Report, finding: Finding) -> None:
    for glob in globs:
        if not isinstance(glob, str) or "{" not in glob:
            continue
        if glob.count("{") <= _FEW_BRACES and len(glob) < _LONG_PATTERN and ".." not in glob:
            continue
        from xcsh.parsing.globs import too_many_alternatives  # noqa: PLC0415 - rare

        if too_many_alternatives(glob):
            message = f"the braces of {glob[:60]!r} stand for too many patterns; it matches nothing"
            place = field.position if field else None
            report(finding.make("too-many-alternatives", place, message, length=field.length if field else 0))
