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


def condition_field(fields: Mapping[str, FieldValue], keep: Reader) -> tuple[FieldValue | None, tuple[str, ...]]:
    """The field that gives the conditions, and the conditions. `keep` is the provider's reader of `ttsr_trigger`."""
    for key, reader in (("condition", text_or_texts), ("ttsr_trigger", keep), ("ttsrTrigger", keep)):
        field = fields.get(key)
        if field is not None:
            kept = text_or_texts(reader(field.value))
            return field, tuple(kept) if isinstance(kept, list) else ()
    return None, ()


def accept(
    field: FieldValue,
    conditions: tuple[str, ...],
    scope: FieldValue | None,
    interrupt: str | None,
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
    tokens = split_scopes(scope.value) if scope is not None else ()
    reaching = tuple(token for token in tokens if reaches_a_stream(token))
    for token in tokens:
        if token not in reaching and scope is not None:
            message = f"the scope {token!r} names no stream and no tool"
            report(finding.make("unreachable-condition", scope.position, message, length=scope.length))
    if not compiled or (tokens and not reaching):
        return None
    return StreamTrigger(tuple(compiled), reaching, interrupt)
