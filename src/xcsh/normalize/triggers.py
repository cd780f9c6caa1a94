"""Which stream conditions of a rule are accepted (T-1), and which spelling gave them (R-17)."""

from __future__ import annotations

from collections.abc import Mapping

from xcsh.model.diagnostic import Report, Severity
from xcsh.model.document import FieldValue
from xcsh.model.provider import Reader
from xcsh.model.rule import StreamTrigger
from xcsh.parsing.finding import Finding
from xcsh.parsing.patterns import is_glob_shorthand, problem_of
from xcsh.parsing.readers import text_or_texts
from xcsh.parsing.scopes import interrupt_mode, meant_scope, reaches_a_stream, split_scopes
from xcsh.parsing.values import elements, type_name


def read_trigger(
    fields: Mapping[str, FieldValue], keep: Reader, report: Report, finding: Finding
) -> tuple[StreamTrigger | None, tuple[str, ...], tuple[str, ...], str | None]:
    """The accepted trigger, and conditions, scopes and interrupt mode as given; `keep` reads `ttsr_trigger`."""
    field, conditions = _conditions(fields, keep, report, finding)
    scope = fields.get("scope")
    scopes = split_scopes(scope.value) if scope is not None else ()
    interrupt = _interrupt(fields, report, finding)
    trigger = None
    if field is not None and conditions:
        accepted = _compiling(field, conditions, report, finding)
        reaching = _reaching(scope, scopes, report, finding)
        if accepted and (reaching or not scopes):
            trigger = StreamTrigger(accepted, reaching, interrupt)
    return trigger, conditions, scopes, interrupt


def _conditions(
    fields: Mapping[str, FieldValue], keep: Reader, report: Report, finding: Finding
) -> tuple[FieldValue | None, tuple[str, ...]]:
    """R-17: `condition`, else `ttsr_trigger`, else `ttsrTrigger`."""
    for key, reader in (("condition", text_or_texts), ("ttsr_trigger", keep), ("ttsrTrigger", keep)):
        field = fields.get(key)
        if field is not None:
            kept = elements(text_or_texts(reader(field.value))) or ()
            if not kept and field.value not in (None, "", []):
                message = f"`{key}` takes an expression or a list of them, not {type_name(field.value)}; it is dropped"
                report(finding.make("value-type", field.position, message, length=field.length))
            elif not any(kept):
                _report_empty(key, field, report, finding)
            return field, tuple(condition for condition in kept if isinstance(condition, str))
    return None, ()


def _report_empty(key: str, field: FieldValue, report: Report, finding: Finding) -> None:
    message = f"`{key}` holds no expression, so the rule is no stream rule"
    hint = f"write an expression behind `{key}:`, or remove the key"
    found = finding.make(
        "invalid-condition", field.position, message, length=field.length, severity=Severity.WARNING, hint=hint
    )
    report(found)


def _interrupt(fields: Mapping[str, FieldValue], report: Report, finding: Finding) -> str | None:
    """The mode as given, also where it is none: then the setting decides (T-12)."""
    field = fields.get("interrupt_mode") or fields.get("interruptMode")
    if field is None or field.value in (None, ""):
        return None
    if interrupt_mode(field.value) is None:
        given = repr(field.value) if isinstance(field.value, str) else type_name(field.value)
        message = f"{given[:60]} is no interrupt mode; the setting ttsr.interrupt_mode decides"
        report(finding.make("unknown-interrupt-mode", field.position, message, length=field.length))
    return field.value if isinstance(field.value, str) else None


def _compiling(field: FieldValue, conditions: tuple[str, ...], report: Report, finding: Finding) -> tuple[str, ...]:
    """The conditions that compile."""
    compiling: list[str] = []
    for condition in filter(None, conditions):
        problem = None if is_glob_shorthand(condition) else problem_of(condition)
        if problem is None:
            compiling.append(condition)
        else:
            from xcsh.normalize.foreign_syntax import advice_on  # noqa: PLC0415 - only where one is wrong

            message = f"the condition {condition!r} is no regular expression: {problem}"
            hint = advice_on(condition, problem)
            report(finding.make("invalid-condition", field.position, message, length=field.length, hint=hint))
    return tuple(compiling)


def _reaching(scope: FieldValue | None, scopes: tuple[str, ...], report: Report, finding: Finding) -> tuple[str, ...]:
    """The scopes that reach a stream."""
    if scope is not None:
        for token in scopes:
            if not reaches_a_stream(token):
                meant = f"; did you mean {near!r}?" if (near := meant_scope(token)) else ""
                message = f"the scope {token!r} is none{meant}"
                report(finding.make("unreachable-condition", scope.position, message, length=scope.length))
    return tuple(token for token in scopes if reaches_a_stream(token))
