"""What may be meant by what was typed so far: commands and files, the likeliest first (C-30)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xcsh.session.prompt_pipeline import PromptContext
from xcsh.tui.built_ins.table import BUILT_INS

_MOST = 50


class Candidate(NamedTuple):
    """Something to complete to: `text` replaces what was typed; the rest is for people."""

    text: str
    summary: str = ""
    source: str = ""
    hint: str = ""


def commands_of(context: PromptContext) -> list[Candidate]:
    """Every command that can be called, in the order in which one of a name would be found."""
    found = [Candidate(f"/{item.name}", item.summary, "built-in", item.hint) for item in BUILT_INS]
    found += [Candidate(f"/{item.name}", item.description, "extension") for item in context.extensions.commands]
    found += [Candidate(f"/{item.name}", item.description, "Python") for item in context.customs.commands]
    for items in (context.registry.commands, context.registry.prompts, context.registry.skills):
        found += [
            Candidate(f"/{entry.command.name}", entry.command.description, entry.command.source,
                      entry.command.argument_hint or "")
            for entry in items.active
            if entry.command.user_invocable
        ]  # fmt: skip
    seen: set[str] = set()
    return [item for item in found if not (item.text in seen or seen.add(item.text))]


def complete(typed: str, candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates for a text that begins with a slash: those that begin so first, then those with its letters."""
    if not typed.startswith("/") or " " in typed or "\n" in typed:
        return []
    wanted = typed[1:].lower()
    ranked = [(_rank(wanted, item.text[1:].lower()), item) for item in candidates]
    fitting = sorted((pair for pair in ranked if pair[0] is not None), key=lambda pair: pair[0] or (0, 0))
    return [item for _, item in fitting][:_MOST]


def _rank(typed: str, name: str) -> tuple[int, int] | None:
    if name.startswith(typed):
        return 0, len(name)
    if typed in name:
        return 1, name.index(typed)
    at = -1
    for character in typed:
        at = name.find(character, at + 1)
        if at < 0:
            return None
    return 2, at


def command_texts(items: Sequence[Candidate]) -> set[str]:
    """The names that are known, with their slash."""
    return {item.text for item in items}
