"""Every command that can be called, each once and as the thing that the pipeline would find under its name (C-30)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from xcsh.model.command import CommandEntry, Kind, SlashCommand
from xcsh.slash.expansion import SKILL_PREFIX
from xcsh.slash.invocation import parse_invocation
from xcsh.slash.lookup import names_of

if TYPE_CHECKING:
    from xcsh.session.prompt_pipeline import PromptContext


class Offered(NamedTuple):
    """A command by the name that calls it. `source` says whose it is, `hint` what may follow, `takes` that something
    may; `item` is what the pipeline finds. `shown` is False for a name that calls it too but is not offered.
    """

    name: str
    description: str
    source: str
    hint: str
    takes: bool
    item: object
    shown: bool = True


def offered_commands(context: PromptContext, own: Mapping[str, object]) -> list[Offered]:
    """Every command, in the order in which the pipeline asks for one of a name. `own`: what a front end answers itself,
    by name, which is before all of them and not among them.
    """
    taken = dict(own)
    found: list[Offered] = []
    for each in _named(context, taken):
        if each.name in taken:
            continue
        taken[each.name] = each.item
        if each.shown and _can_be_typed(each.name):
            found.append(each)
    return found


def _named(context: PromptContext, taken: Mapping[str, object]) -> Iterator[Offered]:
    """Names in the order of the pipeline's stages. `taken` is what the names so far mean; the reader fills it."""
    registry = context.registry
    for command in context.extensions.commands:
        hint = command.argument_hint or ""
        takes = bool(hint) or command.complete is not None
        yield Offered(command.name, command.description, f"extension {command.extension}", hint, takes, command)
    for custom in context.customs.commands:
        hint = custom.argument_hint or ""
        yield Offered(custom.name, custom.description, f"Python {custom.level.capitalize()}", hint, bool(hint), custom)
    yield from _of_files(registry.commands.all, taken)
    if registry.settings.get("skills.enable_skill_commands") is True:
        yield from _of_files(registry.skills.all, taken, SKILL_PREFIX)
    yield from _of_files(registry.prompts.all, taken)
    if registry.settings.get("skills.enable_skill_commands") is True:
        for name, skill in names_of(registry.skills.all).items():  # callable too, and offered once
            if skill.own_syntax and skill.user_invocable:
                yield _of_file(name, skill)._replace(shown=False)
    for prompt in context.servers.prompts if context.servers is not None else ():
        source = f"MCP server {prompt.name.partition(':')[0]}"
        yield Offered(prompt.name, prompt.description, source, prompt.hint, bool(prompt.arguments), prompt)


def _of_files(entries: Sequence[CommandEntry], taken: Mapping[str, object], prefix: str = "") -> Iterator[Offered]:
    """All names of file commands, their own first; a longer one is offered where a command's own means another."""
    names = names_of(entries)
    for name in sorted(names, key=lambda name: names[name].name != name):
        command = names[name]
        hidden = taken.get(prefix + command.name) is not command
        offered = name == command.name or (hidden and name in _whole_names(command))
        yield _of_file(prefix + name, command)._replace(shown=offered and command.user_invocable)


def _whole_names(command: SlashCommand) -> Iterable[str]:
    return (*command.aliases, f"{command.origin.level}:{command.name}")


def _of_file(name: str, command: SlashCommand) -> Offered:
    hint = command.argument_hint or ""
    takes = bool(hint) or command.kind == Kind.SKILL or "$" in command.template or "{{" in command.template
    return Offered(name, command.description, command.source, hint, takes, command)


def _can_be_typed(name: str) -> bool:
    called = parse_invocation(f"/{name}")
    return called is not None and called.name == name and name.isprintable()
