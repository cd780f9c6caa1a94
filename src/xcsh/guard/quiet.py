"""Why a stream rule did not fire: the first gate that stopped it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xcsh.guard.call_text import CallText
from xcsh.guard.tools import CHANGING, canonical
from xcsh.guard.watched import WatchedRule
from xcsh.parsing.globs import matching, relative

_NO_CALL = "the input is no JSON of a call's arguments"


class Gate(NamedTuple):
    """The gate, `scope`, `path` or `condition`, and what it says."""

    gate: str
    detail: str


def gate_of(
    rule: WatchedRule, source: str, tool: str = "", path: str = "", *, cwd: str = "", call: CallText | None = None
) -> Gate:
    """The gate that kept `rule` quiet in one stream; `call` is what the arguments hold, where those were watched.

    `path` is the file of a tool call, empty where none was named or the arguments name it.
    """
    name = canonical(tool) if source == "tool" else ""
    views = (False, True) if call is not None else (False,)
    if source != "tool" and rule.globs:
        return Gate("scope", f"is for tool calls on {_listed(rule.globs)} only")
    if not any(rule.looks_at(source, name, raw=view) for view in views):
        return Gate("scope", f"watches {_listed(_scopes(rule))} only")
    given = [path] if path else list(call.paths) if call is not None else []
    paths = [relative(one, cwd) for one in given]
    if not any(rule.admits(paths, source, name, raw=view) for view in views):
        if call is not None and not call.is_object and not paths:
            return Gate("path", f"is for {_listed(_wanted(rule, paths))} only, and {_NO_CALL}")
        return Gate("path", _path_detail(rule, paths))
    dead = [condition.source for condition in rule.conditions if condition.dead]
    if dead:
        return Gate("condition", f"{', '.join(dead)} took too long and was given up")
    if rule.file_globs and not rule.conditions:
        return Gate("condition", f"is for changes of {_listed(rule.file_globs)} only")
    if call is None or rule.looks_at(source, name, raw=True):
        return Gate("condition", "no condition matches")
    return Gate("condition", _unmatched(rule, name, call))


def _unmatched(rule: WatchedRule, tool: str, call: CallText) -> str:
    """Why no condition matches in the arguments of a call."""
    if not call.is_object and not call.watched:
        return _NO_CALL
    if tool not in CHANGING:
        return "no condition matches any text of the arguments"
    if not call.watched:
        return "the arguments introduce no text: they have no key such as new_text or content"
    if any(condition.search(text, 0) for condition in rule.conditions for text in call.others):
        return "no condition matches the text that the call introduces; what it removes is not watched"
    return "no condition matches the text that the call introduces"


def _path_detail(rule: WatchedRule, paths: Sequence[str]) -> str:
    given = f"not {_listed(paths)}" if paths else "and no path is given"
    return f"is for {_listed(_wanted(rule, paths))} only, {given}"


def _wanted(rule: WatchedRule, paths: Sequence[str]) -> Sequence[str]:
    if rule.globs and not any(matching(rule.globs, path) for path in paths):
        return rule.globs
    return [scope.glob for scope in rule.scopes if scope.glob]


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))


def _scopes(rule: WatchedRule) -> list[str]:
    trigger = rule.rule.trigger
    return list(trigger.scopes) if trigger and trigger.scopes else ["text", "tool"]
