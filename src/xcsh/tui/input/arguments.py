"""What the arguments of a command may be: rules and commands by name, and what an extension's command offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from xcsh.extensions.registration import ExtensionCommand
from xcsh.model.settings import SETTINGS
from xcsh.tui.built_ins.table import Takes
from xcsh.tui.input.candidates import Candidate

if TYPE_CHECKING:
    from xcsh.model.registry import Registry
    from xcsh.session.prompt_pipeline import PromptContext

_MOST = 200
_LONGEST = 1_000


def words_of(context: PromptContext, commands: Iterable[Candidate]) -> dict[str, Sequence[Candidate]]:
    """The values of a built-in's argument: by its name, or by what it takes."""
    from xcsh.session.session_model import LEVELS  # noqa: PLC0415 - a session is there by now

    rules = list(_rules(context.registry))
    servers = getattr(context.servers, "slugs", ())
    return {
        Takes.RULE: rules,
        Takes.ITEM: [*rules, *commands],
        "/settings": list(_settings()),
        "/mcp": [Candidate(slug, source="MCP server") for slug in servers],
        "/thinking": [Candidate(level) for level in ("default", *LEVELS)],
        "/trust": [Candidate("revoke", "trust this folder no more")],
    }


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


def _settings() -> Iterator[Candidate]:
    """Every key, and behind it the values that it may have, where they are few."""
    for setting in SETTINGS:
        yield Candidate(setting.key, setting.summary, takes=True)
        for value in ("true", "false") if isinstance(setting.default, bool) else setting.choices:
            yield Candidate(f"{setting.key} {value}")
