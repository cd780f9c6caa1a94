"""What the arguments of a command may be: rules and commands by name, and what an extension's command offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from xcsh.extensions.registration import ExtensionCommand
from xcsh.tui.built_ins.table import Takes
from xcsh.tui.input.candidates import Candidate

if TYPE_CHECKING:
    from xcsh.model.registry import Registry

_MOST = 200
_LONGEST = 1_000


def words_of(registry: Registry, commands: Iterable[Candidate]) -> Mapping[str, Sequence[Candidate]]:
    """The values of a built-in's argument, by what it takes."""
    rules = list(_rules(registry))
    return {Takes.RULE: rules, Takes.ITEM: [*rules, *commands]}


def offered_by(command: ExtensionCommand, typed: str) -> list[Candidate]:
    """What an extension says that its arguments may become. Runs its code: call it where that may hang or raise."""
    if command.complete is None:
        return []
    found = islice(command.complete(typed), _MOST)
    return [Candidate(text, source=f"extension {command.extension}") for text in found if _can_be_put(text)]


def _can_be_put(text: object) -> bool:
    return isinstance(text, str) and text.isprintable() and 0 < len(text) <= _LONGEST


def _rules(registry: Registry) -> Iterator[Candidate]:
    for entry in registry.active:
        rule = entry.rule
        summary = rule.description if isinstance(rule.description, str) else ""
        yield Candidate(rule.name, summary, f"via {rule.origin.title} {rule.origin.level.capitalize()}")
