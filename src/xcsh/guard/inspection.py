"""What is odd about stream rules: that they cannot fire, fire on everything, or fire on themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from xcsh.guard.engine import Engine, compile_javascript
from xcsh.guard.expressions import may_be_long, why_hopeless
from xcsh.guard.injection import injection
from xcsh.guard.tools import CHANGING, WITHOUT_PATH, canonical, is_known, nearest
from xcsh.guard.watched import WatchedRule
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.document import FieldValue
from xcsh.model.rule import Rule
from xcsh.parsing.finding import Finding
from xcsh.parsing.scopes import Scope

FieldsOf = Callable[[Rule], Mapping[str, FieldValue]]
"""The frontmatter of a rule's file, by key; empty where it is not known."""

_CONDITION = ("condition", "ttsr_trigger", "ttsrTrigger")
_LONGEST_SHOWN = 60
_MOST = 100
"""Of a rule's conditions, so many are tried on its text, and so many unknown names compared with those of tools."""

_LONGEST_TRIED = 8_000
_LONGEST_NAME = 40


def no_fields(_: Rule) -> Mapping[str, FieldValue]:
    """Of no rule anything: findings are without a line."""
    return {}


def inspect_stream_rules(
    rules: Iterable[Rule],
    *,
    tools: Iterable[str] = (),
    fields_of: FieldsOf = no_fields,
    engine: Engine = compile_javascript,
) -> list[Diagnostic]:
    """The findings on rules that are watched; those without a trigger are left out.

    `tools`: names of tools, beyond the usual ones, that scopes may name. What does not compile is not said again:
    discovery has said it.
    """
    own = frozenset(name.lower() for name in tools)
    found: list[Diagnostic] = []
    for rule in rules:
        if rule.trigger is not None:
            inspection = _Inspection(WatchedRule(rule, engine), own, fields_of(rule))
            found += [*inspection.unwatched(), *inspection.unreachable(), *inspection.doubtful()]
    return found


def unwatched(watched: WatchedRule, tools: frozenset[str]) -> list[Diagnostic]:
    """What of a rule the guard leaves out, without lines; `tools` in lower case."""
    return list(_Inspection(watched, tools, {}).unwatched())


class _Inspection:
    """The findings on one rule."""

    def __init__(self, watched: WatchedRule, tools: frozenset[str], fields: Mapping[str, FieldValue]) -> None:
        self._watched = watched
        self._tools = tools
        self._fields = fields
        self._finding = Finding(watched.rule.path, watched.rule.origin.provider)

    def unwatched(self) -> Iterator[Diagnostic]:
        """Conditions that match the empty text, scopes that name no tool."""
        for source in self._watched.empty:
            message = f"the condition {_shown(source)} matches the empty text, and so everything; it is not watched"
            yield self._make("matches-empty", _CONDITION, message)
        named = dict.fromkeys(scope.tool for scope in self._watched.scopes if scope.tool)
        unknown = [name for name in named if not is_known(name) and name.lower() not in self._tools]
        for number, name in enumerate(unknown):
            near = nearest(name, self._tools) if number < _MOST and len(name) <= _LONGEST_NAME else ""
            meant = f"; did you mean {near!r}?" if near else ""
            message = f"no tool is named {_shown(name)}, so this scope watches nothing{meant}"
            yield self._make("unknown-tool", ("scope",), message)

    def unreachable(self) -> Iterator[Diagnostic]:
        """Scopes and conditions that can not fire."""
        watched = self._watched
        trigger = watched.rule.trigger
        if trigger is not None and trigger.scopes:  # the default scope is nobody's mistake
            globs = ", ".join(watched.globs)
            closed = [reason for scope in watched.scopes if (reason := _why_closed(scope, globs))]
            severity = None if len(closed) == len(watched.scopes) else Severity.INFORMATION
            for reason in closed:
                hint = "leave away the globs, or this scope"
                yield self._make("unreachable-condition", ("scope",), reason, severity, hint)
        if not any(_sees_changes(scope) for scope in watched.scopes):
            for glob in watched.file_globs:
                message = (
                    f"the condition {_shown(glob)} is read as a file glob, for edits and writes of such a file, "
                    "and no scope of the rule watches those"
                )
                yield self._make("unreachable-condition", _CONDITION, message, hint="let the scope name edit or write")
        for condition in watched.conditions:
            if reason := why_hopeless(condition.source):
                message = f"the condition {_shown(condition.source)} matches no text: {reason}"
                yield self._make("unreachable-condition", _CONDITION, message, hint="correct the expression")

    def doubtful(self) -> Iterator[Diagnostic]:
        """Conditions that fire, and not always as meant."""
        watched = self._watched
        prose = watched.looks_at("text") or watched.looks_at("thinking")
        rule = watched.rule._replace(content=watched.rule.content[:_LONGEST_TRIED])
        texts = (rule.content, injection([rule])) if prose else ()
        for number, condition in enumerate(watched.conditions):
            spans = ((text, condition.search(text, 0)) for text in texts if number < _MOST)
            if quoted := next((text[span[0] : span[1]] for text, span in spans if span is not None), None):
                message = (
                    f"the condition {_shown(condition.source)} matches {_shown(quoted)} in what the rule itself says: "
                    "a model that quotes it is stopped"
                )
                yield self._make("self-matching-condition", _CONDITION, message)
            if may_be_long(condition.source):
                message = (
                    f"a match of {_shown(condition.source)} that is longer than 4,096 characters is found only where "
                    "its text arrives at once"
                )
                yield self._make("long-match", _CONDITION, message)

    def _make(
        self, code: str, keys: Iterable[str], message: str, severity: str | None = None, hint: str | None = None
    ) -> Diagnostic:
        field = next((self._fields[key] for key in keys if key in self._fields), None)
        place = field.position if field is not None else None
        length = field.length if field is not None else 0
        return self._finding.make(code, place, message, length=length, severity=severity, hint=hint)


def _why_closed(scope: Scope, globs: str) -> str:
    """Why nothing in a scope can fire; empty where something can. `globs` are the rule's, in one text."""
    if scope.stream != "tool":
        why = f"{_shown(globs)} restricts the rule to tool calls, so its scope {scope.stream!r} is not watched"
        return why if globs else ""
    if canonical(scope.tool) in WITHOUT_PATH and (scope.glob or globs):
        return f"a call of {scope.tool} names no file, so {_shown(scope.glob or globs)} never matches one"
    return ""


def _sees_changes(scope: Scope) -> bool:
    return scope.stream == "tool" and not scope.raw and (not scope.tool or canonical(scope.tool) in CHANGING)


def _shown(text: str) -> str:
    """An expression or a text as it stands in the file: quoted as in Python it would have each backslash twice."""
    return f"`{text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + '…'}`"
