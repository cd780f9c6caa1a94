"""Every command that can be called, each once and as the thing that the pipeline would find under its name (C-30)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from xcsh.model.command import CommandEntry, Kind, SlashCommand
from xcsh.slash.expansion import SKILL_PREFIX
from xcsh.slash.invocation import parse_invocation
from xcsh.slash.lookup import names_of
from xcsh.tui.built_ins.table import BUILT_INS
from xcsh.tui.input.candidates import Candidate, built_in_candidate

if TYPE_CHECKING:
    from xcsh.session.prompt_pipeline import PromptContext


def commands_of(context: PromptContext) -> list[Candidate]:
    """Every command that can be called, in the order in which the pipeline asks for one of a name."""
    taken: dict[str, object] = {}
    found: list[Candidate] = []
    for name, candidate, offered in _named(context, taken):
        if name in taken:
            continue
        taken[name] = candidate.item
        if offered and _can_be_typed(name):
            found.append(candidate)
    return found


def _named(context: PromptContext, taken: Mapping[str, object]) -> Iterator[tuple[str, Candidate, bool]]:
    """Names in the order of the pipeline's stages, what each means, and whether it is offered.

    `taken` is what the names so far mean; whoever reads this fills it.
    """
    registry = context.registry
    for item in BUILT_INS:
        yield item.name, built_in_candidate(item), True
    for command in context.extensions.commands:
        hint = command.argument_hint or ""
        takes = bool(hint) or command.complete is not None
        yield (
            command.name,
            Candidate(f"/{command.name}", command.description, f"extension {command.extension}", hint, takes, command),
            True,
        )
    for custom in context.customs.commands:
        hint = custom.argument_hint or ""
        source = f"Python {custom.level.capitalize()}"
        yield custom.name, Candidate(f"/{custom.name}", custom.description, source, hint, bool(hint), custom), True
    yield from _of_files(registry.commands.all, taken)
    if registry.settings.get("skills.enable_skill_commands") is True:
        yield from _of_files(registry.skills.all, taken, SKILL_PREFIX)
    yield from _of_files(registry.prompts.all, taken)
    if registry.settings.get("skills.enable_skill_commands") is True:
        for name, skill in names_of(registry.skills.all).items():  # callable too, and offered once
            if skill.own_syntax and skill.user_invocable:
                yield name, _of_file(name, skill), False
    for prompt in context.servers.prompts if context.servers is not None else ():
        source = f"MCP server {prompt.name.partition(':')[0]}"
        yield (
            prompt.name,
            Candidate(f"/{prompt.name}", prompt.description, source, prompt.hint, bool(prompt.arguments), prompt),
            True,
        )


def _of_files(
    entries: Sequence[CommandEntry], taken: Mapping[str, object], prefix: str = ""
) -> Iterator[tuple[str, Candidate, bool]]:
    """All names of file commands, their own first; a longer one is offered where a command's own means another."""
    names = names_of(entries)
    for name in sorted(names, key=lambda name: names[name].name != name):
        command = names[name]
        hidden = taken.get(prefix + command.name) is not command
        offered = name == command.name or (hidden and name in _whole_names(command))
        yield prefix + name, _of_file(prefix + name, command), offered and command.user_invocable


def _whole_names(command: SlashCommand) -> Iterable[str]:
    return (*command.aliases, f"{command.origin.level}:{command.name}")


def _of_file(name: str, command: SlashCommand) -> Candidate:
    hint = command.argument_hint or ""
    takes = bool(hint) or command.kind == Kind.SKILL or "$" in command.template or "{{" in command.template
    return Candidate(f"/{name}", command.description, command.source, hint, takes, command)


def _can_be_typed(name: str) -> bool:
    called = parse_invocation(f"/{name}")
    return called is not None and called.name == name and name.isprintable()
