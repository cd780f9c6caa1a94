"""Explains commands, prompt templates and skills: precedence, names, and what may call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xcsh.model.command import CommandEntry, Kind, SlashCommand
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.registry import Items, Registry
from xcsh.model.source import Level
from xcsh.slash.expansion import SKILL_PREFIX
from xcsh.slash.lookup import aliases_of, names_of
from xcsh.surfaces.explanation import Explanation, Gate, diagnostics_on, found_gate, frontmatter_gate
from xcsh.surfaces.layout import plural, shown_path
from xcsh.surfaces.shapes import command_shape


def by_name(registry: Registry, name: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    """The commands that `/name` means or that lose it, or else the prompt templates; `skill:NAME` means a skill."""
    if name.startswith(SKILL_PREFIX):
        wanted = name.removeprefix(SKILL_PREFIX)
        return _matching(registry, registry.skills, providers, lambda command: command.name == wanted)
    for items in (registry.commands, registry.prompts):
        meant = names_of(items.all).get(name)
        if meant is not None:
            return _matching(
                registry, items, providers, lambda command, meant=meant: command is meant or command.name == meant.name
            )
    return []


def by_path(registry: Registry, path: str, providers: Mapping[str, Provider]) -> list[Explanation]:
    """The command in that file."""
    kinds = (registry.commands, registry.prompts, registry.skills)
    return [found for items in kinds for found in _matching(registry, items, providers, lambda item: item.path == path)]


def _matching(
    registry: Registry,
    items: Items[CommandEntry],
    providers: Mapping[str, Provider],
    wanted: Callable[[SlashCommand], bool],
) -> list[Explanation]:
    names = names_of(items.all)
    return [_explain(registry, items, entry, names, providers) for entry in items.all if wanted(entry.command)]


def _explain(
    registry: Registry,
    items: Items[CommandEntry],
    entry: CommandEntry,
    names: Mapping[str, SlashCommand],
    providers: Mapping[str, Provider],
) -> Explanation:
    command = entry.command
    provider = providers.get(command.origin.provider)
    table = _table(provider, command.kind)
    diagnostics = diagnostics_on(registry, command.path)
    prefix = f"/{SKILL_PREFIX}" if command.kind == Kind.SKILL else "/"
    gates = [
        found_gate(command.origin, table.sources if table and not table.plugins else (), registry),
        frontmatter_gate(diagnostics, command.block),
        Gate("validity", passed=True, detail=f"ok, {plural(len(command.template), 'character')}"),
    ]
    if entry.shadowed_by is not None:
        winner = shown_path(entry.shadowed_by.path, registry.environment)
        detail = f"loses to {winner} ({entry.shadowed_by.origin.title}), which has the same name and comes first"
        gates.append(Gate("precedence", passed=False, detail=detail))
    else:
        gates.append(Gate("precedence", passed=True, detail="wins: nothing of this name comes before it"))
    if aliases := aliases_of(command, names):
        gates.append(Gate("also called", passed=True, detail=", ".join(prefix + alias for alias in aliases)))
    if not command.user_invocable:
        gates.append(
            Gate("for models", passed=True, detail="its author hides it from people; it can be typed all the same")
        )
    if not command.model_invocable:
        gates.append(Gate("for people", passed=True, detail="the model may not call it"))
    if registry.settings.get("commands.includes") != "off" and (gate := _includes_gate(command, registry)):
        gates.append(gate)
    if command.allowed_tools or command.model:
        limits = [f"tools {', '.join(command.allowed_tools)}" if command.allowed_tools else "", command.model or ""]
        asked = "; ".join(filter(None, limits))
        consent = ", the tools after consent" if command.allowed_tools and command.origin.level == Level.PROJECT else ""
        gates.append(Gate("asks for", passed=True, detail=f"{asked} (for its turn{consent})"))
    return Explanation(
        command.kind,
        prefix + command.name,
        command.kind.upper() if entry.shadowed_by is None else "SHADOWED",
        command.origin.level,
        command.path,
        lambda: command_shape(entry, names),
        tuple(gates),
        tuple(other.command.path for other in items.all if other.shadowed_by is command),
        diagnostics=diagnostics,
        provider=provider,
    )


def _includes_gate(command: SlashCommand, registry: Registry) -> Gate | None:
    """What it includes, and whether that counts (C-42)."""
    if command.syntax is None or command.syntax.includes is None:
        return None
    from xcsh.sources.trust.accepted_texts import INCLUDES, is_accepted  # noqa: PLC0415 - only for such commands
    from xcsh.sources.trust.held_texts import what_it_includes  # noqa: PLC0415 - as above

    what = tuple(what_it_includes(command, registry.environment))
    if not what:
        return None
    project = command.origin.level == Level.PROJECT
    if project and not is_accepted(registry.environment, command.path, command.text, INCLUDES):
        return Gate("includes", passed=False, detail=f"{'; '.join(what)}; not before its text is trusted: xcsh trust")
    return Gate("includes", passed=True, detail=f"{'; '.join(what)}; what it runs is asked about")


def _table(provider: Provider | None, kind: str) -> CommandTable | None:
    if provider is None:
        return None
    return {Kind.COMMAND: provider.commands, Kind.PROMPT: provider.prompts, Kind.SKILL: provider.skills}.get(kind)
