"""A stream rule, ready to be watched: its conditions, where it looks, and which paths it is for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xcsh.guard.condition import Condition
from xcsh.guard.engine import Engine
from xcsh.guard.tools import CHANGING, canonical
from xcsh.model.rule import Rule
from xcsh.parsing.globs import matching
from xcsh.parsing.patterns import is_glob_shorthand
from xcsh.parsing.scopes import Scope, parse_scope

_DEFAULT = (Scope("text"), Scope("tool"))
_ANYTHING = ("a", "0", " ", "\n", "a b", "0_", " a", "\n\n", "\ue000 a", ".\n")
"""Texts that have nothing in common: word characters, others, line ends."""


class WatchedRule:
    """One rule; `problems` are its conditions that do not compile, each with the reason, `empty` those that match the
    empty text: they would fire at once on anything and are not watched.
    """

    def __init__(self, rule: Rule, engine: Engine) -> None:
        trigger = rule.trigger
        self.name = rule.name
        self.rule = rule
        self.interrupt = trigger.interrupt if trigger else None
        self.globs = rule.glob_strings
        tokens = trigger.scopes if trigger else ()
        scopes = [scope for token in tokens if (scope := parse_scope(token))]
        self.scopes: Sequence[Scope] = scopes if tokens else _DEFAULT
        self.conditions: list[Condition] = []
        self.file_globs: list[str] = []
        self.problems: list[tuple[str, str]] = []
        self.empty: list[str] = []
        for source in trigger.conditions if trigger else ():
            if is_glob_shorthand(source):
                self.file_globs.append(source)
                continue
            try:
                condition = Condition(rule.name, source, engine)
            except ValueError as error:
                self.problems.append((source, str(error)))
                continue
            if _matches_anything(condition):
                self.empty.append(source)
            else:
                self.conditions.append(condition)

    def looks_at(self, stream: str, tool: str = "", *, raw: bool = False) -> bool:
        """Whether a scope names this stream, whatever the path; `tool` is a canonical name."""
        if stream != "tool" and self.globs:
            return False  # T-5: globs restrict a rule to tool calls
        return any(_names(scope, stream, tool, raw=raw) for scope in self.scopes)

    def admits(self, paths: Iterable[str], stream: str, tool: str = "", *, raw: bool = False) -> bool:
        """Whether the rule is for such a stream of a call that names `paths`, relative ones with slashes."""
        known = list(paths)
        if stream == "tool" and self.globs and not any(matching(self.globs, path) for path in known):
            return False
        return any(
            _names(scope, stream, tool, raw=raw)
            and (not scope.glob or any(matching((scope.glob,), path) for path in known))
            for scope in self.scopes
        )

    def file_glob(self, tool: str, path: str) -> str | None:
        """The condition that is a glob (T-4) and matches a file that `tool` changes."""
        return matching(self.file_globs, path) if self.file_globs and tool in CHANGING else None


def _matches_anything(condition: Condition) -> bool:
    """Whether a condition matches nothing at all, and therefore at the start of whatever comes.

    Not so `$`, a word boundary and `^(?!Sure)`, which wait for what follows: they are false on some text.
    """
    if condition.looks or condition.search("", 0) is None:
        return False
    found = (condition.search(text, 0) for text in _ANYTHING)
    return all(match is not None and match[0] == 0 for match in found)


def _names(scope: Scope, stream: str, tool: str, *, raw: bool) -> bool:
    return scope.stream == stream and scope.raw == raw and (not scope.tool or canonical(scope.tool) == tool)
