"""Stream rules for the tests of the guard."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.guard.inspection import inspect_stream_rule
from xcsh.guard.policy import Policy
from xcsh.guard.stream_guard import Match, StreamGuard
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.rule import Rule, StreamTrigger
from xcsh.model.source import Level, Origin


def rule(
    name: str, *conditions: str, scope: Iterable[str] = (), globs: Iterable[str] = (), interrupt: str | None = None
) -> Rule:
    trigger = StreamTrigger(conditions, tuple(scope), interrupt)
    origin = Origin(provider="native", title="xcsh", level=Level.PROJECT, path=f"/project/{name}.md")
    return Rule(name, "content", origin, globs=tuple(globs), trigger=trigger)


def guard(*rules: Rule, policy: Policy | None = None) -> StreamGuard:
    return StreamGuard(rules, cwd="/project", policy=policy)


def stream(
    watching: StreamGuard, text: str, *, source: str = "tool", tool: str = "edit", chunk: int = 3, call: str = "1"
) -> list[Match]:
    found: list[Match] = []
    for at in range(0, len(text), chunk):
        found += watching.feed(source, text[at : at + chunk], call=call, tool=tool)
    return found + watching.end(source, call=call)


def findings(watched: Rule, *, tools: Iterable[str] = ()) -> list[Diagnostic]:
    return inspect_stream_rule(watched, tools=tools).findings


def names(matches: Iterable[Match]) -> list[str]:
    return [match.rule for match in matches]
