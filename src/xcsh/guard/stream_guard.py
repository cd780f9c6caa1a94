"""The guard: deltas of a model's streams in, matches of rules out."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from xcsh.guard.calls import Call, Hit, Prose
from xcsh.guard.engine import Engine, compile_javascript
from xcsh.guard.inspection import unwatched
from xcsh.guard.policy import History, Policy, policy_of
from xcsh.guard.tools import own_tools
from xcsh.guard.watched import WatchedRule
from xcsh.guard.window import Watch
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.model.rule import Rule
from xcsh.parsing.finding import Finding


class Match(NamedTuple):
    """A rule that fired: the condition as written, offsets in code points, whether to end the request.

    The offsets count from the start of the stream; in a tool call, but for raw arguments, from that of the argument's
    text. For a condition that is a file glob both are 0. `tool` is the table's name of it, `path` as globs see it.
    `text` is what matched, its first 80 characters; empty for a glob.
    """

    rule: str
    condition: str
    start: int
    end: int
    source: str
    tool: str = ""
    path: str = ""
    interrupts: bool = True
    text: str = ""


class StreamGuard:
    """Watches the streams of one run of a model. Rules without a trigger, and names met before, are left out."""

    def __init__(
        self,
        rules: Iterable[Rule],
        *,
        cwd: str = "",
        policy: Policy | None = None,
        enabled: bool = True,
        tools: Iterable[str] | Mapping[str, str] = (),
        engine: Engine = compile_javascript,
    ) -> None:
        """`tools`: names of tools, beyond the usual ones, that scopes may name. A mapping says of each which usual tool
        it counts as: `{"save_page": "write"}`. UsageError where that is none.
        """
        self.history = History(policy or Policy())
        self.rules: dict[str, WatchedRule] = {}
        self._cwd = cwd
        self._own_tools = own_tools(tools)
        self._problems: list[Diagnostic] = []
        self._watches: dict[tuple[str, str, bool], Watch] = {}
        self._streams: dict[tuple[str, str], Prose | Call] = {}
        self._reported: dict[str, bool] = {}
        """Of the rules that matched in this request, whether a match of theirs ended it."""
        for rule in rules if enabled else ():
            if rule.trigger is not None and rule.name not in self.rules:
                self._register(WatchedRule(rule, engine))

    @classmethod
    def of(cls, registry: Registry, *, tools: Iterable[str] | Mapping[str, str] = ()) -> StreamGuard:
        """A guard for the active stream rules of a registry, under its settings. `tools` as above."""
        return cls(
            (entry.rule for entry in registry.active),
            cwd=registry.environment.cwd,
            policy=policy_of(registry.settings),
            enabled=registry.settings.get("ttsr.enabled") is not False,
            tools=tools,
        )

    def sibling(self, history: History | None = None) -> StreamGuard:
        """Another guard for the same rules, which are compiled once, with streams of its own.

        `history`: what it shares with others of one conversation; one of its own where none is given.
        """
        other = copy.copy(self)
        other.history = history if history is not None else History(self.history.policy)
        other._streams = {}  # noqa: SLF001 - of this class, here and below
        other._reported = {}  # noqa: SLF001
        return other

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the rules, conditions that had to be disarmed included."""
        disarmed = [
            Finding(rule.rule.path, rule.rule.origin.provider).make(
                "runaway-condition", None, f"the condition {condition.source!r} is watched no more: {condition.dead}"
            )
            for rule in self.rules.values()
            for condition in rule.conditions
            if condition.dead
        ]
        return self._problems + disarmed

    def feed(self, source: str, delta: str, *, call: str = "", tool: str = "") -> list[Match]:
        """The rules that `delta` makes fire. Of a tool call `delta` is argument JSON, and `call` keeps calls apart."""
        if not self.rules:
            return []
        stream = self._stream(source, call, tool)
        return self._matches(stream, stream.feed(delta))

    def introduce(self, text: str, *, call: str = "", tool: str = "") -> list[Match]:
        """As `feed`, of decoded text that a tool call introduces."""
        stream = self._stream("tool", call, tool)
        return self._matches(stream, stream.introduce(text) if isinstance(stream, Call) else [])

    def locate(self, path: str, *, call: str = "", tool: str = "") -> list[Match]:
        """Tells the path of a tool call that does not stand in its arguments."""
        stream = self._stream("tool", call, tool)
        return self._matches(stream, stream.locate(path) if isinstance(stream, Call) else [])

    def end(self, source: str, *, call: str = "") -> list[Match]:
        """The rules that fire because this stream is at its end."""
        stream = self._streams.pop((source, call), None)
        return self._matches(stream, stream.finish()) if stream is not None else []

    def finish(self) -> list[Match]:
        """The rules that fire because the response is at its end."""
        return [match for source, call in list(self._streams) for match in self.end(source, call=call)]

    def begin_request(self) -> None:
        """A new request to the model: every buffer is empty (T-6)."""
        self._streams.clear()
        self._reported.clear()

    def acknowledge(self, names: Iterable[str], *, interrupted: bool = True) -> None:
        """The rules were injected; `interrupted`: the request was ended for them."""
        self.history.acknowledge(names, interrupted=interrupted)

    def end_turn(self) -> None:
        """A prompt of the user has its final answer."""
        self.history.end_turn()

    def save(self) -> dict[str, object]:
        """What has to outlive the process, as plain JSON values. Buffers do not: they live as long as a request."""
        return self.history.save()

    def restore(self, state: Mapping[str, object]) -> None:
        """Takes over what `save` gave."""
        self.history.restore(state)

    def _register(self, watched: WatchedRule) -> None:
        finding = Finding(watched.rule.path, watched.rule.origin.provider)
        for source, problem in watched.problems:
            message = f"the condition {source!r} is no regular expression: {problem}"
            self._problems.append(finding.make("invalid-condition", None, message))
        watched.scopes = [scope._replace(tool=self._tool(scope.tool)) for scope in watched.scopes]
        self._problems += unwatched(watched, frozenset(self._own_tools))
        if watched.scopes and (watched.conditions or watched.file_globs):
            self.rules[watched.name] = watched

    def _tool(self, name: str) -> str:
        return self._own_tools.get(name.lower(), name)

    def _stream(self, source: str, call: str, tool: str) -> Prose | Call:
        found = self._streams.get((source, call))
        if found is None:
            if source == "tool":
                found = Call(self._tool(tool), self.rules, self._watch, self._cwd)
            else:
                found = Prose(source, self._watch(source, "", False))
            self._streams[source, call] = found
        return found

    def _watch(self, source: str, tool: str, raw: bool) -> Watch:  # noqa: FBT001 - a key of the table
        key = (source, tool, raw)
        if key not in self._watches:
            chosen = [rule for rule in self.rules.values() if rule.looks_at(source, tool, raw=raw)]
            self._watches[key] = Watch(condition for rule in chosen for condition in rule.conditions)
        return self._watches[key]

    def _matches(self, stream: Prose | Call, hits: list[Hit]) -> list[Match]:
        matches: list[Match] = []
        for hit in hits:
            if not self.history.may_fire(hit.rule):
                continue
            interrupts = self.history.interrupts(self.rules[hit.rule].interrupt, stream.source)
            if hit.rule in self._reported and (self._reported[hit.rule] or not interrupts):
                continue  # but a match that only reminds does not hide a later one that has to interrupt
            self._reported[hit.rule] = interrupts
            matches.append(
                Match(
                    *(hit.rule, hit.condition, hit.start, hit.end),
                    *(stream.source, stream.tool, hit.path, interrupts, hit.text),
                )
            )
        return matches
