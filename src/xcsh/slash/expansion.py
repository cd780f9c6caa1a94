"""Turns what a person typed into what the model is sent (C-20 to C-29)."""

from __future__ import annotations

from typing import NamedTuple

from xcsh.model.command import SlashCommand
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.slash.includes import Include, Marked, Places, Values, mark_includes, put_in
from xcsh.slash.invocation import Invocation, parse_invocation
from xcsh.slash.lookup import names_of
from xcsh.slash.placeholders import placeholders, places
from xcsh.slash.template import expand_template
from xcsh.slash.tool_arguments import ToolCall, fill_tool, tool_call, tool_placeholders, tool_places
from xcsh.slash.variables import variables_of

SKILL_PREFIX = "skill:"


class Expansion(NamedTuple):
    """The text to send; `command` is None where no command matched and the text is as typed.

    `includes` are what the template includes (C-42), in `text` as they stand; in `marked` a mark stands for each.
    """

    text: str
    command: SlashCommand | None = None
    args: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    marked: str = ""
    includes: tuple[Include, ...] = ()


def call_in(text: str, registry: Registry) -> Invocation | None:
    """The call that a text makes, its arguments split as the settings say (C-21)."""
    return parse_invocation(text, apostrophes=registry.settings.get("commands.apostrophes") is True)


def callable_commands(registry: Registry) -> dict[str, SlashCommand]:
    """The file commands, skills and prompt templates that a person can call, by what stands behind the slash.

    Each under its own name only, in the order in which `expand` asks for one of a name.
    """
    skills = registry.skills.all if registry.settings.get("skills.enable_skill_commands") is True else ()
    found: dict[str, SlashCommand] = {}
    for entries, prefix in ((registry.commands.all, ""), (skills, SKILL_PREFIX), (registry.prompts.all, "")):
        for name, command in names_of(entries).items():
            found.setdefault(prefix + name, command)
    return {
        name: command
        for name, command in found.items()
        if command.user_invocable and name.removeprefix(SKILL_PREFIX) == command.name
    }


def expand(registry: Registry, text: str) -> Expansion:
    """Expands a file command, or else a prompt template or skill; any other text is returned unchanged (C-22, C-26)."""
    expansion = expand_command(registry, text)
    return expansion if expansion.command is not None else expand_prompt(registry, text)


def expand_command(registry: Registry, text: str) -> Expansion:
    """Expands `/name arguments` where a file command has that name (C-20, C-22)."""
    invocation = call_in(text, registry)
    command = names_of(registry.commands.all).get(invocation.name) if invocation is not None else None
    return _expanded(registry, invocation, command, text)


def expand_prompt(registry: Registry, text: str) -> Expansion:
    """Expands `/name arguments` for a prompt template, and `/skill:name arguments` for a skill (C-29).

    Skills of tools beyond the reference are called by `/name` there, and so they are here where nothing else is.
    """
    invocation = call_in(text, registry)
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
    escapes = settings.get("commands.escape") is True
    syntax = command.syntax
    style = syntax.includes if syntax is not None and settings.get("commands.includes") != "off" else None
    if style is not None:
        invocation = _without_nul(invocation)
    meant: ToolCall | None = None
    if syntax is not None and (command.own_syntax or settings.get("commands.arguments") == "tool"):
        variables = variables_of(command, registry.environment.cwd)
        meant = tool_call(command.template, invocation, command.arguments, syntax, variables)
    marked = Marked(command.template)
    if style is not None:
        taken = _places(command, meant, escapes=escapes)
        marked = mark_includes(command.template, style, _values(invocation, meant, escapes=escapes), taken)
    append = append and not marked.takes
    if meant is not None:
        expanded = fill_tool(marked.source, invocation, meant, append=append)
    else:
        expanded = expand_template(marked.source, invocation.args, invocation.raw, append=append, escapes=escapes)
    diagnostics = tuple(item for item in registry.diagnostics if item.path == command.path)
    includes = marked.includes
    plain = put_in(expanded, lambda number: includes[number].literal) if includes else expanded
    return Expansion(plain, command, invocation.args, diagnostics, expanded, includes)


def _values(invocation: Invocation, meant: ToolCall | None, *, escapes: bool) -> Values:
    """What placeholders in an include become, in the syntax that the whole template is filled by."""
    if meant is not None:
        return lambda part: tool_placeholders(part, meant)
    return lambda part: placeholders(part, invocation.args, escapes=escapes)


def _places(command: SlashCommand, meant: ToolCall | None, *, escapes: bool) -> Places:
    """Where an include has placeholders, whatever this call has arguments for."""
    if meant is not None:
        return lambda part: tool_places(part, meant.syntax, command.arguments)
    return lambda part: places(part, escapes=escapes)


def _without_nul(invocation: Invocation) -> Invocation:
    """A call without NULs: with them, a text could pass for the mark of an include, and no program takes them."""
    args = tuple(arg.replace("\0", "") for arg in invocation.args)
    return Invocation(invocation.name, invocation.raw.replace("\0", ""), args)
