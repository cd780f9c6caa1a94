"""Turns what a person typed into what the model is sent (C-20 to C-29)."""

from __future__ import annotations

from typing import NamedTuple

from xcsh.model.command import SlashCommand
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.slash.invocation import Invocation, parse_invocation
from xcsh.slash.lookup import names_of
from xcsh.slash.template import expand_template
from xcsh.slash.tool_arguments import expand_tool

SKILL_PREFIX = "skill:"


class Expansion(NamedTuple):
    """The text to send; `command` is None where no command matched and the text is as typed."""

    text: str
    command: SlashCommand | None = None
    args: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def expand(registry: Registry, text: str) -> Expansion:
    """Expands a file command, or else a prompt template or skill; any other text is returned unchanged (C-22, C-26)."""
    expansion = expand_command(registry, text)
    return expansion if expansion.command is not None else expand_prompt(registry, text)


def expand_command(registry: Registry, text: str) -> Expansion:
    """Expands `/name arguments` where a file command has that name (C-20, C-22)."""
    invocation = parse_invocation(text)
    command = names_of(registry.commands.all).get(invocation.name) if invocation is not None else None
    return _expanded(registry, invocation, command, text)


def expand_prompt(registry: Registry, text: str) -> Expansion:
    """Expands `/name arguments` for a prompt template, and `/skill:name arguments` for a skill (C-29).

    Skills of tools beyond the reference are called by `/name` there, and so they are here where nothing else is.
    """
    invocation = parse_invocation(text)
    if invocation is None:
        return Expansion(text)
    if invocation.name.startswith(SKILL_PREFIX) and registry.settings.get("skills.enable_skill_commands") is True:
        skill = names_of(registry.skills.all).get(invocation.name.removeprefix(SKILL_PREFIX))
        if skill is not None:
            return _of_skill(registry, invocation, skill, text)
    prompt = names_of(registry.prompts.all).get(invocation.name)
    if prompt is None and registry.settings.get("skills.enable_skill_commands") is True:
        skill = names_of(registry.skills.all).get(invocation.name)
        if skill is not None and skill.own_syntax and skill.user_invocable:
            return _of_skill(registry, invocation, skill, text)
    return _expanded(registry, invocation, prompt, text)


def _of_skill(registry: Registry, invocation: Invocation, skill: SlashCommand, text: str) -> Expansion:
    """The body of a skill and the arguments, which go where its tool puts them, else below it."""
    if skill.syntax is not None and skill.own_syntax:
        return _expanded(registry, invocation, skill, text)
    sent = f"{skill.template}\n\n{invocation.raw}" if invocation.raw else skill.template
    return Expansion(sent, skill, invocation.args)


def _expanded(registry: Registry, invocation: Invocation | None, command: SlashCommand | None, text: str) -> Expansion:
    if invocation is None or command is None:
        return Expansion(text)
    settings = registry.settings
    append = settings.get("commands.append_arguments") is True
    syntax = command.syntax
    if syntax is not None and (command.own_syntax or settings.get("commands.arguments") == "tool"):
        expanded = expand_tool(command.template, invocation, command.arguments, syntax, append=append)
    else:
        expanded = expand_template(
            command.template,
            invocation.args,
            invocation.raw,
            append=append,
            escapes=settings.get("commands.escape") is True,
        )
    diagnostics = tuple(item for item in registry.diagnostics if item.path == command.path)
    return Expansion(expanded, command, invocation.args, diagnostics)
