"""What is odd about stream rules: that they cannot fire, fire on everything, or fire on themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from xcsh.guard.engine import Engine, compile_javascript
from xcsh.guard.everything import when_it_fires
from xcsh.guard.expressions import foreign_syntax, may_be_long, why_hopeless
from xcsh.guard.injection import injection
from xcsh.guard.tools import CHANGING, WITHOUT_PATH, canonical, is_known, nearest_tools
from xcsh.guard.watched import WatchedRule
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.document import FieldValue
from xcsh.model.rule import Rule
from xcsh.parsing.finding import Finding
from xcsh.parsing.scopes import Scope, interrupt_mode

"""The frontmatter of a rule's file, by key; empty where it is not known."""

_CONDITION = ("condition", "ttsr_trigger", "ttsrTrigger")
_LONGEST_SHOWN = 60
_MOST = 100
"""Of a rule's conditions, so many are tried on its text, and so many unknown names compared with those of tools."""

_LONGEST_TRIED = 8_000
_LONGEST_NAME = 40
_PLAINLY = 0.75
"""From this likeness on an unknown name is taken for a slip; below it may be the name of somebody's own tool."""

_ONLY_TAKEN_AWAY = "all globs of the rule begin with `!`, so they only take files away, and none is left to watch"
_NAME_FILES = "name the files that it is for as well, such as `**`"
_OWN_TOOL = "correct the name, unless an agent of your own or an MCP server has such a tool"


class Inspected(NamedTuple):
    """The findings on a rule that is watched, and `idle`: why it can never fire, empty where it can."""

    findings: list[Diagnostic]
    idle: str = ""


def inspect_stream_rule(
    rule: Rule,
    *,
    tools: Iterable[str] = (),
    fields: Mapping[str, FieldValue] | None = None,
    interrupts: str = "always",
    engine: Engine = compile_javascript,
) -> Inspected:
    """As above, of one rule, whose frontmatter holds `fields`; `interrupts` is its mode where it names none."""
    if rule.trigger is None:
        return Inspected([])
    own = frozenset(name.lower() for name in tools)
    inspection = _Inspection(WatchedRule(rule, engine), own, fields or {}, interrupts)
    closing = [*inspection.unwatched(), *inspection.unreachable()]
    idle = "; ".join(item.message for item in closing) if inspection.idle() else ""
    return Inspected([*closing, *inspection.doubtful()], idle)


def unwatched(watched: WatchedRule, tools: frozenset[str]) -> list[Diagnostic]:
    """What of a rule the guard leaves out, without lines; `tools` in lower case."""
    return list(_Inspection(watched, tools, {}).unwatched())


class _Inspection:
    """The findings on one rule."""

    def __init__(
        self,
        watched: WatchedRule,
        tools: frozenset[str],
        fields: Mapping[str, FieldValue],
        interrupts: str = "always",
    ) -> None:
        self._watched = watched
        self._mode = interrupt_mode(watched.interrupt) or interrupts
        self._tools = tools
        self._fields = fields
        self._finding = Finding(watched.rule.path, watched.rule.origin.provider)

    def unwatched(self) -> Iterator[Diagnostic]:
        """Conditions that match the empty text, scopes that name no tool."""
        for source in self._watched.empty:
            message = f"the condition {_shown(source)} matches the empty text, and so everything; it is not watched"
            yield self._make("matches-empty", _CONDITION, message)
        named = dict.fromkeys(scope.tool for scope in self._watched.scopes if scope.tool)
        unknown = [name for name in named if not self._knows(name)]
        for number, name in enumerate(unknown):
            if number < _MOST and (near := self._meant(name)):
                message = f"no tool is named {_shown(name)}, so this scope watches nothing; did you mean {near[0]!r}?"
                yield self._make("unknown-tool", ("scope",), message)
            else:
                message = f"no tool of xcsh is named {_shown(name)}; this scope is for calls of such a tool only"
                yield self._make("unknown-tool", ("scope",), message, Severity.INFORMATION, _OWN_TOOL)

    def idle(self) -> bool:
        """Whether nothing that a model writes can make the rule fire."""
        watched = self._watched
        if _nothing_but_exclusions(watched.globs):
            return True
        searched = any(not why_hopeless(condition.source) for condition in watched.conditions)
        globs = ", ".join(watched.globs)
        return not any(
            (searched or (watched.file_globs and _sees_changes(scope)))
            and not _why_closed(scope, globs)
            and (not scope.tool or self._knows(scope.tool) or not self._meant(scope.tool))
            for scope in watched.scopes
        )

    def unreachable(self) -> Iterator[Diagnostic]:
        """Scopes and conditions that can not fire."""
        watched = self._watched
        trigger = watched.rule.trigger
        if _nothing_but_exclusions(watched.globs):
            yield self._make("unreachable-condition", ("globs",), _ONLY_TAKEN_AWAY, hint=_NAME_FILES)
        elif trigger is not None and trigger.scopes:  # the default scope is nobody's mistake
            globs = ", ".join(watched.globs)
            closed = [(scope, reason) for scope in watched.scopes if (reason := _why_closed(scope, globs))]
            severity = None if len(closed) == len(watched.scopes) else Severity.INFORMATION
            for scope, reason in closed:
                hint = _NAME_FILES if _takes_away(scope.glob) else "leave away the globs, or this scope"
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
            source = _shown(condition.source)
            if foreign := foreign_syntax(condition.source):
                message = f"the condition {source} is written for another engine: {foreign.reading}"
                severity = None if foreign.sure else Severity.INFORMATION
                yield self._make("foreign-syntax", _CONDITION, message, severity, foreign.advice)
            if prose and number < _MOST and (when := when_it_fires(condition)):
                yield self._of_everything(source, when)
                continue
            spans = ((text, condition.search(text, 0)) for text in texts if number < _MOST)
            if quoted := next((text[span[0] : span[1]] for text, span in spans if span is not None), None):
                message = (
                    f"the condition {source} matches {_shown(quoted)} in what the rule itself says: "
                    "a model that quotes it is stopped"
                )
                yield self._make("self-matching-condition", _CONDITION, message)
            if may_be_long(condition.source):
                message = (
                    f"a match of {source} that is longer than 4,096 characters is found only where its text arrives "
                    "at once"
                )
                yield self._make("long-match", _CONDITION, message)

    def _of_everything(self, source: str, when: str) -> Diagnostic:
        stops = self._mode in ("always", "prose-only")
        answer = "answer" if self._watched.looks_at("text") else "thought"
        message = f"the condition {source} {'stops' if stops else 'fires on'} every {answer} {when}"
        return self._make("matches-everything", _CONDITION, message, None if stops else Severity.INFORMATION)

    def _knows(self, name: str) -> bool:
        return is_known(name) or name.lower() in self._tools

    def _meant(self, name: str) -> list[str]:
        """The tool of whose name `name` is plainly a slip; empty for none."""
        return nearest_tools(name, self._tools, alike=_PLAINLY) if len(name) <= _LONGEST_NAME else []

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
    if _takes_away(scope.glob):
        return f"the glob {_shown(scope.glob)} only takes files away, and none is left to watch"
    if canonical(scope.tool) in WITHOUT_PATH and (scope.glob or globs):
        return f"a call of {scope.tool} names no file, so {_shown(scope.glob or globs)} never matches one"
    return ""


def _takes_away(glob: str) -> bool:
    return glob.startswith("!") or ",!" in glob.replace(" ", "")


def _nothing_but_exclusions(globs: Iterable[str]) -> bool:
    found = list(globs)
    return bool(found) and all(map(_takes_away, found))


def _sees_changes(scope: Scope) -> bool:
    return scope.stream == "tool" and not scope.raw and (not scope.tool or canonical(scope.tool) in CHANGING)


def _shown(text: str) -> str:
    """An expression or a text as it stands in the file: quoted as in Python it would have each backslash twice."""
    return f"`{text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + '…'}`"
