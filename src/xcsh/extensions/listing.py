"""Brings commands written in Python into a registry's list, as far as that is possible without running any of them."""

from __future__ import annotations

import os

from xcsh.extensions.custom import CustomCommand, list_custom_commands
from xcsh.extensions.files import PROVIDER, TITLE, Code, read_code
from xcsh.model.command import CommandEntry, Kind, SlashCommand
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.extension import ExtensionFile
from xcsh.model.registry import Items, Registry
from xcsh.model.source import Level, Origin
from xcsh.sources.code_paths import USER_EXTENSIONS


def with_code_listed(registry: Registry) -> Registry:
    """The registry with the custom commands before those from files, which they precede (S-1), and what is skipped.

    What extensions register is known only by running them, so they are listed as files; one that may not run is among
    the skipped, too. Each finding is there once: a session's registry has those on its code already. What was listed
    so before is listed anew.
    """
    diagnostics: list[Diagnostic] = list(registry.diagnostics)
    code = read_code(registry.environment, diagnostics.append)
    customs = list_custom_commands(code, diagnostics.append)
    own = {command.name: _entry(command) for command in customs.commands}
    others = [_entry(command, own[command.name].command) for command in customs.shadowed]
    files = [
        entry
        if entry.shadowed_by is not None or entry.command.name not in own
        else entry._replace(reason="shadowed by a custom command", shadowed_by=own[entry.command.name].command)
        for entry in registry.commands.all
        if not _is_listed_code(entry)
    ]
    listed = {item.path for item in registry.commands.skipped}  # a file in the place of the folder
    more = (item for item in (*customs.skipped, *code.skipped_extensions) if item.path not in listed)
    skipped = (*registry.commands.skipped, *more)
    items = Items((*own.values(), *others, *files), skipped)
    once = sorted(dict.fromkeys(diagnostics), key=Diagnostic.sort_key)
    return registry._replace(commands=items, diagnostics=tuple(once), extensions=_extensions(code))


def _extensions(code: Code) -> tuple[ExtensionFile, ...]:
    """Those that run and those that do not, the project's first."""
    run = [ExtensionFile(file.name, file.level, file.path) for file in code.extensions]
    home = os.path.join(code.environment.home, USER_EXTENSIONS)
    others = [
        ExtensionFile(
            os.path.basename(item.path).removesuffix(".py"),
            Level.USER if os.path.dirname(item.path) == home else Level.PROJECT,
            item.path,
            item.reason,
            item.detail,
        )
        for item in code.skipped_extensions
        if item.path.endswith(".py")  # else it is the folder that cannot be read
    ]
    return tuple(sorted((*run, *others), key=lambda file: (file.level != Level.PROJECT, file.path)))


def _is_listed_code(entry: CommandEntry) -> bool:
    return entry.command.origin.provider == PROVIDER and entry.command.path.endswith(".py")


def _entry(command: CustomCommand, winner: SlashCommand | None = None) -> CommandEntry:
    origin = Origin(PROVIDER, TITLE, command.level, command.path)
    shown = SlashCommand(Kind.COMMAND, command.name, "", origin, command.description, command.argument_hint)
    reason = "a Python module of that name" if winner is None else f"shadowed by {winner.origin.title}"
    return CommandEntry(shown, reason, winner)
