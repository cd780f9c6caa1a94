"""Which stream conditions of a rule are accepted (T-1), and which spelling gave them (R-17)."""

from __future__ import annotations

from collections.abc import Mapping

from xcsh.model.diagnostic import Report
from xcsh.model.document import FieldValue
from xcsh.model.provider import Reader
from xcsh.model.rule import StreamTrigger
from xcsh.parsing.finding import Finding
from xcsh.parsing.patterns import is_glob_shorthand, problem_of
from xcsh.parsing.readers import text_or_texts
from xcsh.parsing.scopes import reaches_a_stream, split_scopes
from xcsh.parsing.values import elements


def read_trigger(
    fields: Mapping[str, FieldValue], keep: Reader, report: Report, finding: Finding
) -> tuple[StreamTrigger | None, tuple[str, ...], tuple[str, ...]]:
    """The accepted trigger, and all conditions and scopes as given; `keep` reads `ttsr_trigger`."""
    field, conditions = _conditions(fields, keep)
    scope = fields.get("scope")
    scopes = split_scopes(scope.value) if scope is not None else ()
    if field is None or not conditions:
        return None, conditions, scopes
    return _accept(field, conditions, scope, scopes, fields, report, finding), conditions, scopes


def _conditions(fields: Mapping[str, FieldValue], keep: Reader) -> tuple[FieldValue | None, tuple[str, ...]]:
    """R-17: `condition`, else `ttsr_trigger`, else `ttsrTrigger`."""
    for key, reader in (("condition", text_or_texts), ("ttsr_trigger", keep), ("ttsrTrigger", keep)):
        field = fields.get(key)
        if field is not None:
            kept = elements(text_or_texts(reader(field.value))) or ()
            return field, tuple(condition for condition in kept if isinstance(condition, str))
    return None, ()


def _accept(
    field: FieldValue,
    conditions: tuple[str, ...],
    scope: FieldValue | None,
    scopes: tuple[str, ...],
    fields: Mapping[str, FieldValue],
    report: Report,
    finding: Finding,
) -> StreamTrigger | None:
    """The trigger of the conditions that compile and the scopes that reach a stream; None where none is left."""
    compiled: list[str] = []
    for condition in conditions:
        if not condition:
            continue
        problem = None if is_glob_shorthand(condition) else problem_of(condition)
        if problem is None:
            compiled.append(condition)
        else:
            message = f"the condition {condition!r} is no regular expression: {problem}"
            report(finding.make("invalid-condition", field.position, message, length=field.length))
    reaching = tuple(token for token in scopes if reaches_a_stream(token))
    for token in scopes:
        if token not in reaching and scope is not None:
            message = f"the scope {token!r} names no stream and no tool"
            report(finding.make("unreachable-condition", scope.position, message, length=scope.length))
    if not compiled or (scopes and not reaching):
        return None
    interrupt = fields.get("interrupt_mode") or fields.get("interruptMode")
    mode = interrupt.value if interrupt is not None and isinstance(interrupt.value, str) else None
    return StreamTrigger(tuple(compiled), reaching, mode)
