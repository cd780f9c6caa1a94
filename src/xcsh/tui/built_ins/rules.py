"""What is in force, and why: rules, commands, findings."""

from __future__ import annotations

import asyncio

from xcsh.api import providers_of, render_prompt
from xcsh.diagnosis import with_every_finding, with_python_commands, with_stream_findings
from xcsh.model.registry import Registry
from xcsh.nearest import did_you_mean
from xcsh.surfaces.command_listing import render_commands
from xcsh.surfaces.doctor import doctor_lines
from xcsh.surfaces.explain import explain, nearest_names, render_explanation
from xcsh.surfaces.layout import plural
from xcsh.surfaces.listing import render_rules
from xcsh.tui.built_ins.call import Call
from xcsh.tui.built_ins.typed_here import listed_here, typed_here
from xcsh.tui.front_end import Choice


async def rules(call: Call) -> str:
    """The active rules by bucket; with `--all` the others too."""
    registry = await asyncio.to_thread(with_stream_findings, call.registry)
    whole = call.rest == "--all"
    entries = registry.all if whole else registry.active
    lines = render_rules(registry, entries, render_prompt(registry), call.front.style, show_all=whole)
    return "\n".join(listed_here(lines))


async def commands(call: Call) -> str:
    """The commands of files and of Python modules."""
    registry = await asyncio.to_thread(with_python_commands, call.registry)
    return "\n".join(listed_here(render_commands(registry, call.front.style, show_all=call.rest == "--all")))


async def extensions(call: Call) -> str:
    """The dashboard."""
    await call.front.show_extensions()
    return ""


async def explain_item(call: Call) -> str:
    """Why something is as it is; without a name it is chosen."""
    registry = await asyncio.to_thread(with_every_finding, call.registry)
    wanted = call.rest or await call.front.choose("Explain which rule or command?", _explainable(registry))
    if not wanted:
        return ""
    providers = {provider.id: provider for provider in providers_of(registry)}
    found = await asyncio.to_thread(explain, registry, wanted, providers)
    if not found:
        also = did_you_mean(nearest_names(registry, wanted), "see: /rules and /commands")
        return f"nothing here is named {wanted!r}, and no such file was looked at\n{also}"
    blocks = ["\n".join(render_explanation(registry, each, call.front.style)) for each in found]
    return "\n\n".join(blocks)


async def doctor(call: Call) -> str:
    """Every finding, with the lines that it is about."""
    registry = await asyncio.to_thread(with_every_finding, call.registry)
    whole = call.rest == "--all"
    *lines, last = await asyncio.to_thread(doctor_lines, registry, call.front.style, whole=whole)
    return "\n".join([*lines, typed_here(last)])


async def reload(call: Call) -> str:
    """Reads the files again."""
    await call.session.reload()
    call.front.status_changed()
    return await in_force(call)


async def in_force(call: Call) -> str:
    """How much is active, in one line."""
    registry = await asyncio.to_thread(with_every_finding, call.registry)
    counts = f"{plural(len(registry.active), 'rule')} and {plural(len(registry.commands.active), 'command')} are active"
    found = len(registry.diagnostics)
    return f"{counts}; {plural(found, 'finding')}: /doctor" if found else counts


def _explainable(registry: Registry) -> list[Choice]:
    found = [Choice(entry.rule.name, entry.rule.name, f"rule, {entry.rule.origin.title}") for entry in registry.active]
    found += [
        Choice(f"/{entry.command.name}", f"/{entry.command.name}", entry.command.source)
        for entry in registry.commands.active
    ]
    return list({choice.value: choice for choice in found}.values())
