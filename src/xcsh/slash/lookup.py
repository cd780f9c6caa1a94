"""Which command a typed name means: exact names first, then names that always work (C-8, C-22, C-40)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xcsh.model.command import CommandEntry, SlashCommand
from xcsh.nearest import nearest
from xcsh.slash.builtins import BUILTIN_COMMANDS

_SUGGESTED = 3


def names_of(entries: Iterable[CommandEntry]) -> dict[str, SlashCommand]:
    """Every name that can be typed and the command that it means.

    Names that say whose a command is come first, so that nobody else's file can take them: `plugin:stem`, which reaches
    a shadowed command too, and `user:NAME` or `project:NAME` for one that a built-in hides. Then names of active
    commands; then, where still free, the last part of a namespaced name that only one command has.
    """
    found = list(entries)
    names: dict[str, SlashCommand] = {}
    for entry in found:
        for alias in entry.command.aliases:
            names.setdefault(alias, entry.command)
        if entry.command.name in BUILTIN_COMMANDS and entry.shadowed_by is None:
            names.setdefault(f"{entry.command.origin.level}:{entry.command.name}", entry.command)
    for entry in found:
        if entry.shadowed_by is None:
            names.setdefault(entry.command.name, entry.command)
    for bare, command in _bare_names(found).items():
        if command is not None:
            names.setdefault(bare, command)
    return names


def aliases_of(command: SlashCommand, names: Mapping[str, SlashCommand]) -> list[str]:
    """The other names that mean a command."""
    return [name for name, meant in names.items() if meant is command and name != command.name]


def nearest_commands(names: Iterable[str], wanted: str) -> list[str]:
    """The names most like `wanted`, best first: for every front end the same."""
    known = sorted({name for name in names if not any(character.isspace() for character in name)})
    close = nearest(wanted, known, most=_SUGGESTED)
    rest = [name for name in known if wanted and wanted.lower() in name.lower() and name not in close]
    return [*close, *rest][:_SUGGESTED]


def _bare_names(entries: Iterable[CommandEntry]) -> dict[str, SlashCommand | None]:
    """The last parts of namespaced names; None for one that several commands have."""
    bare: dict[str, SlashCommand | None] = {}
    for entry in entries:
        if entry.shadowed_by is None and ":" in entry.command.name:
            last = entry.command.name.rpartition(":")[2]
            bare[last] = None if last in bare else entry.command
    return bare
