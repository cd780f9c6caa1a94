"""Which texts of a project are held back until the user accepts them, and what each would do (C-42, R-25)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xcsh.model.command import SlashCommand
from xcsh.model.registry import Registry
from xcsh.model.source import QUARANTINED, Environment, Level
from xcsh.slash.includes import FILE, mark_includes
from xcsh.sources.trust.accepted_texts import HIDDEN, INCLUDES, accept, is_accepted


class HeldText(NamedTuple):
    """A text that counts only where the user has accepted it, for `purpose`. `what` are lines for people.

    `accepted`: he has, and it has not changed since.
    """

    path: str
    text: str
    purpose: str
    what: tuple[str, ...]
    accepted: bool


def held_texts(registry: Registry) -> tuple[HeldText, ...]:
    """All of a registry's, by path. Looks whether files exist that a text names."""
    found = [*_quarantined(registry), *_including(registry)]
    return tuple(sorted(dict.fromkeys(found)))


def accept_texts(environment: Environment, texts: Iterable[HeldText]) -> None:
    """Accepts the texts as they are here, whatever stands in their files by now. UsageError: the store is broken."""
    accept(environment, [(held.path, held.text, held.purpose) for held in texts])


def _quarantined(registry: Registry) -> Iterator[HeldText]:
    for items in (registry.rules, registry.commands, registry.prompts, registry.skills):
        for skipped in items.skipped:
            if skipped.reason == QUARANTINED:
                yield HeldText(skipped.path, skipped.text, HIDDEN, (skipped.detail.partition("; ")[0],), accepted=False)


def _including(registry: Registry) -> Iterator[HeldText]:
    if registry.settings.get("commands.includes") == "off":
        return
    for items in (registry.commands, registry.prompts, registry.skills):
        for entry in items.all:
            command = entry.command
            if command.origin.level == Level.PROJECT and (
                what := tuple(what_it_includes(command, registry.environment))
            ):
                done = is_accepted(registry.environment, command.path, command.text, INCLUDES)
                yield HeldText(command.path, command.text, INCLUDES, what, done)


def what_it_includes(command: SlashCommand, environment: Environment) -> Iterator[str]:
    """What the command includes, each once: commands, and files that are there or depend on the arguments."""
    style = command.syntax.includes if command.syntax is not None else None
    if style is None:
        return
    for include in dict.fromkeys(mark_includes(command.template, style, lambda _: []).includes):
        if include.kind != FILE:
            yield f"runs {include.text}"
        elif any(mark in include.text for mark in "${") or os.path.exists(os.path.join(environment.cwd, include.text)):
            yield f"includes {include.text}"
