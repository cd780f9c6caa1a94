"""What a discovery found of commands, the package's own left out."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support import Project

from xcsh.model.arguments import ArgumentSyntax
from xcsh.model.command import CommandEntry, SlashCommand
from xcsh.model.registry import Registry
from xcsh.model.source import Skipped
from xcsh.slash.expansion import expand
from xcsh.slash.invocation import Invocation, split_arguments
from xcsh.slash.tool_arguments import fill_tool, tool_call

COMMANDS = ".xcsh/commands/"


def check_command_laws(registry: Registry) -> None:
    """What holds of the commands of every registry."""
    items = registry.commands
    assert items.found == len(items.active) + len(items.shadowed) + len(items.skipped)
    names = [entry.command.name for entry in items.active]
    assert len(names) == len(set(names))
    for entry in items.all:
        assert entry.command.template.strip()
        assert entry.shadowed_by is None or entry.shadowed_by.name == entry.command.name


def found(registry: Registry) -> list[str]:
    """The names of the active commands, in registry order."""
    check_command_laws(registry)
    return [entry.command.name for entry in registry.commands.active if entry.command.origin.provider != "bundled"]


def command_of(registry: Registry, name: str) -> SlashCommand:
    """The active command of a name."""
    return entry_of(registry, name).command


def entry_of(registry: Registry, name: str) -> CommandEntry:
    check_command_laws(registry)
    (entry,) = [entry for entry in registry.commands.active if entry.command.name == name]
    return entry


def skipped_of(registry: Registry, path: str) -> Skipped:
    """The skipped command file whose path ends in `path`."""
    (skipped,) = [skipped for skipped in registry.commands.skipped if skipped.path.endswith(path)]
    return skipped


def one(text: str, project: Project, *, reference: bool = False) -> tuple[SlashCommand, Registry]:
    """The command `c` that a text makes, and the registry around it."""
    registry = project({f"{COMMANDS}c.md": text}, reference=reference)
    return command_of(registry, "c"), registry


def expanded(text: str, call: str, project: Project, *, reference: bool = False) -> str:
    """What `/c …` is sent as where the file of `c` holds `text`."""
    _, registry = one(text, project, reference=reference)
    expansion = expand(registry, f"/c{call}")
    assert expansion.command is not None
    return expansion.text


def call_of(raw: str) -> Invocation:
    """The call of `c` with arguments as they are typed."""
    return Invocation("c", raw, split_arguments(raw))


def filled_by(syntax: ArgumentSyntax, source: str, raw: str, names: Sequence[str] = ()) -> str:
    """What a template becomes in a tool's syntax, for the call of `c` with arguments as they are typed."""
    call = call_of(raw)
    return fill_tool(source, call, tool_call(source, call, names, syntax))
