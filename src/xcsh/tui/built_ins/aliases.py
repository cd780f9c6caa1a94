"""The aliases of built-ins that hold in a session: those whose names no command of the user or the project has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xcsh.tui.built_ins.table import ALIASES, BuiltIn, by_alias

if TYPE_CHECKING:
    from xcsh.session.prompt_pipeline import PromptContext


def aliases_of(context: PromptContext) -> dict[str, BuiltIn]:
    """The built-ins by their aliases."""
    return {name: item for name, item in ALIASES.items() if not _is_taken(f"/{name}", context)}


def called_by_alias(text: str, context: PromptContext) -> tuple[BuiltIn, str] | None:
    """The built-in that a text calls by an alias, and what follows it."""
    called = by_alias(text)
    return called if called is not None and not _is_taken(text, context) else None


def _is_taken(text: str, context: PromptContext) -> bool:
    from xcsh.session.prompt_pipeline import stage_for  # noqa: PLC0415 - not before the first paint

    return stage_for(text, context) is not None
