"""Why a stream rule did not fire: the first gate that stopped it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xcsh.guard.tools import canonical
from xcsh.guard.watched import WatchedRule, relative
from xcsh.parsing.globs import matching


class Gate(NamedTuple):
    """The gate, `scope`, `path` or `condition`, and what it says."""

    gate: str
    detail: str


def gate_of(
    rule: WatchedRule, source: str, tool: str = "", path: str = "", *, cwd: str = "", raw: bool = False
) -> Gate:
    """The gate that kept `rule` quiet in one stream; with `raw` the arguments were watched as well.

    `path` is the file of a tool call, empty where none was named or the arguments name it.
    """
    name = canonical(tool) if source == "tool" else ""
    views = (False, True) if raw else (False,)
    if source != "tool" and rule.globs:
        return Gate("scope", f"is for tool calls on {', '.join(rule.globs)} only")
    if not any(rule.looks_at(source, name, raw=view) for view in views):
        return Gate("scope", f"watches {', '.join(_scopes(rule))} only")
    paths = [relative(path, cwd)] if path else []
    unknown = raw and not path  # the arguments name it
    if not unknown and not any(rule.admits(paths, source, name, raw=view) for view in views):
        return Gate("path", _path_detail(rule, paths))
    dead = [condition.source for condition in rule.conditions if condition.dead]
    if dead:
        return Gate("condition", f"{', '.join(dead)} took too long and was given up")
    if rule.file_globs and not rule.conditions:
        return Gate("condition", f"is for changes of {', '.join(rule.file_globs)} only")
    return Gate("condition", "no condition matches for such a path" if unknown else "no condition matches")


def _path_detail(rule: WatchedRule, paths: Sequence[str]) -> str:
    if rule.globs and not any(matching(rule.globs, path) for path in paths):
        wanted: Sequence[str] = rule.globs
    else:
        wanted = [scope.glob for scope in rule.scopes if scope.glob]
    given = f"not {paths[0]}" if paths else "and no path is given"
    return f"is for {', '.join(wanted)} only, {given}"


def _scopes(rule: WatchedRule) -> list[str]:
    trigger = rule.rule.trigger
    return list(trigger.scopes) if trigger and trigger.scopes else ["text", "tool"]
