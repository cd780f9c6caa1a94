"""The list of slash commands for people: by source, with argument hint and description (C-12)."""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.model.command import CommandEntry
from xcsh.model.registry import Items, Registry
from xcsh.surfaces.layout import (
    BOLD,
    CYAN,
    DIM,
    Style,
    columns,
    fit,
    fit_path,
    plural,
    shown_path,
    shown_summary,
    visible,
)
from xcsh.surfaces.listing import diagnostics_line

_UNTRUSTED = "untrusted: xcsh trust"


def render_commands(registry: Registry, style: Style, *, show_all: bool) -> list[str]:
    """The lines of `xcsh commands`."""
    items = registry.commands
    counts = [f"{len(items.active)} active", f"{len(items.shadowed)} shadowed", f"{len(items.skipped)} skipped"]
    lines = [style.paint("commands  " + " · ".join(counts), BOLD), ""]
    lines.extend(_groups(items.active, "/", style))
    for title, others, prefix in (
        ("PROMPT TEMPLATES", registry.prompts, "/"),
        ("SKILLS", registry.skills, "/skill:"),
    ):
        if others.active:
            lines.append(style.paint(title, BOLD))
            lines.extend(_row(entry, prefix, _width(others.active, prefix, style), style) for entry in others.active)
    lines.extend(_extensions(registry, style))
    if show_all:
        for others, prefix in ((items, "/"), (registry.prompts, "/"), (registry.skills, "/skill:")):
            lines.extend(_rest(registry, others, prefix, style))
    lines.append("")
    if found := diagnostics_line(registry.diagnostics):
        lines.append(f"{found}: xcsh doctor")
    if not show_all and (items.shadowed or items.skipped):
        lines.append(f"{len(items.shadowed)} shadowed, {len(items.skipped)} skipped: xcsh commands --all")
    lines.append("what a call is sent as: xcsh expand '/NAME args'")
    return lines


def _groups(entries: Iterable[CommandEntry], prefix: str, style: Style) -> list[str]:
    """The commands under their source labels, in registry order."""
    found = list(entries)
    width = _width(found, prefix, style)
    lines: list[str] = []
    for source in dict.fromkeys(entry.command.source for entry in found):
        lines.append(style.paint(source, BOLD))
        lines.extend(_row(entry, prefix, width, style) for entry in found if entry.command.source == source)
    return lines


def _row(entry: CommandEntry, prefix: str, width: int, style: Style) -> str:
    left = fit(_left(entry, prefix), width)
    room = style.width - columns(left) - 4
    about = fit(visible(shown_summary(entry.command.description)), room).rstrip()
    return f"  {style.paint(left, CYAN)}  {about}"


def _width(entries: Iterable[CommandEntry], prefix: str, style: Style, *, hints: bool = True) -> int:
    widths = [columns(_left(entry, prefix, hint=hints)) for entry in entries]
    return min(max(widths, default=0), max(20, style.width * 2 // 5))


def _left(entry: CommandEntry, prefix: str, *, hint: bool = True) -> str:
    """The call as it is typed, and the hint at its arguments."""
    return f"{_call(entry, prefix)} {visible(entry.command.argument_hint or '') if hint else ''}".rstrip()


def _call(entry: CommandEntry, prefix: str) -> str:
    return prefix + visible(entry.command.name)


def _extensions(registry: Registry, style: Style) -> list[str]:
    """The files of Python that register commands when a session runs them, and which of them it does not run."""
    if not registry.extensions:
        return []
    shown = [shown_path(file.path, registry.environment) for file in registry.extensions]
    width = min(max(map(columns, shown)), style.width - 4 - len(_UNTRUSTED))
    lines = [style.paint("EXTENSIONS", BOLD) + style.paint("  their commands are known when a session runs them", DIM)]
    for file, path in zip(registry.extensions, shown, strict=True):
        state = _UNTRUSTED if file.reason == "untrusted" else f"not run: {file.reason}" if file.reason else "active"
        lines.append(f"  {style.paint(fit_path(path, width), CYAN)}  {state}")
    return lines


def _rest(registry: Registry, items: Items[CommandEntry], prefix: str, style: Style) -> list[str]:
    lines: list[str] = []
    if items.shadowed:
        lines.append(style.paint("SHADOWED", BOLD) + style.paint("  the name was taken by an earlier command", DIM))
    width = _width(items.shadowed, prefix, style, hints=False)
    room = (style.width - width - 9) // 2
    for entry in items.shadowed:
        path, winner = (
            shown_path(command.path, registry.environment)
            for command in (entry.command, entry.shadowed_by or entry.command)
        )
        where = f"{fit_path(path, room)}  {style.paint('by ' + fit_path(winner, room).rstrip(), DIM)}"
        lines.append(f"  {style.paint(fit(_call(entry, prefix), width), CYAN)}  {where}")
    if items.skipped:
        lines.append(style.paint("SKIPPED", BOLD) + style.paint(f"  {plural(len(items.skipped), 'file')}", DIM))
    for skipped in items.skipped:
        why = visible(f"{skipped.reason} ({skipped.detail})" if skipped.detail else skipped.reason)
        where = shown_path(skipped.path, registry.environment)
        left = fit_path(where, min(columns(where), max(20, style.width - columns(why) - 4, style.width // 2)))
        lines.append(f"  {left}  {style.paint(fit(why, style.width - columns(left) - 4).rstrip(), DIM)}")
    return lines
