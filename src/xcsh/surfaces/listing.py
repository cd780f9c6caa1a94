"""The list of rules for people: by bucket, with source, trigger and cost (R-55)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket, Entry
from xcsh.model.source import QUARANTINED, Skipped
from xcsh.parsing.tokens import estimate_tokens
from xcsh.surfaces.layout import (
    BOLD,
    CYAN,
    DIM,
    YELLOW,
    Style,
    bar,
    columns,
    fit,
    fit_path,
    plural,
    shown_path,
    shown_summary,
    visible,
    wrap,
)
from xcsh.surfaces.prompt import Prompt
from xcsh.surfaces.shapes import summary

if TYPE_CHECKING:
    from xcsh.surfaces.reach import Reach

HEADINGS = {
    Bucket.ALWAYS_APPLY: ("ALWAYS", "in every prompt"),
    Bucket.TTSR: ("STREAM", "costs nothing until the model writes it; then its answer is stopped"),
    Bucket.RULEBOOK: ("RULEBOOK", "listed, read through rule:// when needed"),
    Bucket.ATTACHED: ("GLOB", "given with the files that match"),
    Bucket.INACTIVE: ("INACTIVE", "reaches no surface"),
}


def render_rules(
    registry: Registry, entries: Sequence[Entry], prompt: Prompt, style: Style, *, show_all: bool = False
) -> list[str]:
    """The lines of `xcsh rules`; `entries` are those to show."""
    lines = [_headline(registry, prompt, style), ""]
    widths = _widths(registry, entries, style.width)
    costs = {part.path: part.tokens for part in prompt.parts}
    for bucket in Bucket.ORDER:
        chosen = [entry for entry in entries if entry.bucket == bucket]
        if chosen:
            lines.append(_heading(bucket, chosen, prompt, style))
            lines.extend(_row(registry, entry, widths, costs, prompt.tokens, style) for entry in chosen)
    shadowed = [entry for entry in entries if entry.shadowed_by is not None]
    if shadowed:
        lines.append(style.paint("SHADOWED", BOLD) + style.paint("  the name was taken by an earlier rule", DIM))
        room = max(12, style.width - sum(widths) - 11)
        for entry in shadowed:
            winner = shown_path(entry.shadowed_by.path, registry.environment) if entry.shadowed_by else ""
            lines.append(
                _columns(registry, entry, widths, style) + style.paint("by " + fit_path(winner, room).rstrip(), DIM)
            )
    if show_all and registry.skipped:
        lines.append(style.paint("SKIPPED", BOLD) + style.paint("  found, and no rule", DIM))
        lines.extend(line for skipped in registry.skipped for line in skipped_lines(registry, skipped, style))
    if not entries and not registry.all:
        lines.extend(_nothing_found(registry))
    lines.extend(["", *_footer(registry, style, show_all=show_all)])
    return lines


def render_reach(registry: Registry, path: str, reaches: Iterable[Reach], style: Style, *, show_all: bool) -> list[str]:
    """The lines of `xcsh rules --for PATH`: first what this path brings, then what every path brings."""
    found = list(reaches)
    reaching = [reach for reach in found if reach.how is not None]
    lines = [style.paint(visible(path), BOLD) + f"  {plural(len(reaching), 'rule')} of {len(found)}"]
    rows = [reach for how in ("attached", "watched") for reach in reaching if reach.how == how]
    width = min(24, max((columns(visible(reach.entry.rule.name)) for reach in rows), default=0))
    for reach in rows:
        rule = reach.entry.rule
        name = fit(visible(rule.name), width)
        label = f"  {reach.how:9} {name}  "
        first, *further = wrap(
            label, f"{shown_path(rule.path, registry.environment)}  {visible(reach.detail)}", style.width
        )
        lines.extend([f"  {reach.how:9} {style.paint(name, CYAN)}  {first[len(label) :]}", *further])
    for how, gloss in (("always", "in every prompt"), ("listed", "the model may read them")):
        names = [visible(reach.entry.rule.name) for reach in reaching if reach.how == how]
        if names:
            lines.extend(wrap(f"  {how:9} ", f"{', '.join(names)}  ({gloss})", style.width))
    rest = [reach for reach in found if reach.how is None]
    if show_all:
        for reach in rest:
            lines.extend(
                wrap(f"  no        {visible(reach.entry.rule.name)}  ", visible(reach.detail), style.width, indent=12)
            )
    elif rest:
        lines.append(style.paint(f"  {plural(len(rest), 'rule')} not reaching it: --all shows why", DIM))
    return lines


def diagnostics_line(diagnostics: Iterable[Diagnostic]) -> str:
    """`1 error, 2 warnings`, or an empty text where nothing needs looking at."""
    counts = summary(diagnostics)
    return ", ".join(plural(counts[severity], severity) for severity in ("error", "warning") if counts[severity])


def _headline(registry: Registry, prompt: Prompt, style: Style) -> str:
    counts = [
        f"{len(registry.active)} active",
        f"{len(registry.shadowed)} shadowed",
        f"{len(registry.skipped)} skipped",
    ]
    if found := diagnostics_line(registry.diagnostics):
        counts.append(found)
    left, right = " · ".join(counts), f"~{plural(prompt.tokens, 'token')} in the prompt"
    gap = style.width - columns(left) - columns(right)
    return style.paint(left, BOLD) + (" " * gap + right if gap > 1 else "\n" + right)


def _heading(bucket: str, chosen: Sequence[Entry], prompt: Prompt, style: Style) -> str:
    title, gloss = HEADINGS[bucket]
    costs = {part.path: part.tokens for part in prompt.parts}
    total = sum(costs.get(entry.rule.path, 0) for entry in chosen)
    if bucket == Bucket.RULEBOOK:
        total += prompt.tokens - sum(costs.values())  # what stands around the list
    right = f"~{plural(total, 'token')}" if bucket in (Bucket.ALWAYS_APPLY, Bucket.RULEBOOK) else ""
    gap = style.width - columns(title) - columns(gloss) - columns(right) - 2
    return style.paint(title, BOLD) + "  " + style.paint(gloss, DIM) + (" " * gap + right if right and gap > 0 else "")


def _widths(registry: Registry, entries: Sequence[Entry], width: int) -> tuple[int, int, int]:
    """Columns for name, provider and path, so that the detail keeps at least a third of the line."""
    names = max((columns(visible(entry.rule.name)) for entry in entries), default=0)
    titles = max((columns(entry.rule.origin.title) for entry in entries), default=0)
    paths = max((columns(shown_path(entry.rule.path, registry.environment)) for entry in entries), default=0)
    name = min(names, max(14, width // 4))
    title = min(titles, 12)
    path = min(paths, max(16, width - name - title - max(18, width // 4) - 8))
    return name, title, path


def _columns(registry: Registry, entry: Entry, widths: tuple[int, int, int], style: Style) -> str:
    name, title, path = widths
    where = fit_path(shown_path(entry.rule.path, registry.environment), path)
    return (
        f"  {style.paint(fit(visible(entry.rule.name), name), CYAN)}  {fit(entry.rule.origin.title, title)}  {where}  "
    )


def _row(
    registry: Registry,
    entry: Entry,
    widths: tuple[int, int, int],
    costs: dict[str, int],
    total: int,
    style: Style,
) -> str:
    left = _columns(registry, entry, widths, style)
    room = max(12, style.width - sum(widths) - 8)
    rule = entry.rule
    if entry.bucket == Bucket.ALWAYS_APPLY:
        cost = costs.get(rule.path, estimate_tokens(rule.content))
        figure = f"{bar(cost / total if total else 0):6} {cost:>6,}" if cost else "said already"
        detail = figure.rjust(room) if len(figure) <= room else figure
    elif entry.bucket == Bucket.TTSR:
        from xcsh.surfaces.stream_modes import IN_SHORT, effective_mode  # noqa: PLC0415 - only for stream rules

        note = "can never fire" if entry.idle else IN_SHORT.get(effective_mode(rule, registry.settings), "")
        scope = ", ".join([*rule.scope, *rule.glob_strings])
        detail = fit("  ".join(filter(None, [note, " | ".join(rule.condition), scope])), room)
    elif entry.bucket == Bucket.RULEBOOK:
        detail = fit(shown_summary(str(rule.description)), room)
    elif entry.bucket == Bucket.ATTACHED:
        detail = fit(", ".join(rule.glob_strings), room)
    else:
        detail = fit(entry.reason, room)
    return (left + visible(detail)).rstrip()


def skipped_lines(registry: Registry, skipped: Skipped, style: Style) -> list[str]:
    """Which file is no item, and why."""
    why = f"{skipped.reason}: {skipped.detail}" if skipped.detail else skipped.reason
    return wrap(f"  {shown_path(skipped.path, registry.environment)}  ", visible(why), style.width, indent=6)


def _footer(registry: Registry, style: Style, *, show_all: bool) -> list[str]:
    lines: list[str] = []
    if found := diagnostics_line(registry.diagnostics):
        worst = min(
            registry.diagnostics,
            key=lambda item: (item.severity != "error", item.severity != "warning", item.sort_key()),
        )
        place = f":{worst.position.line}" if worst.position else ""
        where = shown_path(worst.path, registry.environment) if worst.path else "settings"
        first = f"{found}: {where}{place}  {visible(worst.message)}"
        lines.append(style.paint(fit(first, style.width - 13).rstrip(), YELLOW) + "  xcsh doctor")
    root, cwd = registry.environment.repo_root, registry.environment.cwd
    if root is not None and root != cwd:
        above = os.path.relpath(root, cwd)
        lines.extend(
            wrap("", f"This folder is part of a repository; its own rules: xcsh -C {visible(above)} rules", style.width)
        )
    if held := sum(skipped.reason == QUARANTINED for skipped in registry.skipped):
        lines.append(f"{plural(held, 'file')} held back for hidden characters; to look at them: xcsh trust --show")
    if not show_all and (registry.shadowed or registry.skipped):
        counts = f"{len(registry.shadowed)} shadowed, {len(registry.skipped)} skipped: xcsh rules --all"
        why = "why one is as it is: xcsh explain NAME"
        lines.extend([f"{counts}     {why}"] if len(counts) + len(why) + 5 <= style.width else [counts, why])
    elif registry.all:
        lines.append("why one is as it is: xcsh explain NAME")
    return lines


def _nothing_found(registry: Registry) -> list[str]:
    return [
        f"No rules here ({visible(registry.environment.cwd)}), none of your own.",
        "Write one:  .xcsh/rules/NAME.md, .cursor/rules/NAME.mdc, .windsurf/rules/NAME.md, .clinerules/NAME.md",
    ]
