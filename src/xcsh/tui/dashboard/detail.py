"""What is said of the item under the cursor: the text of `xcsh explain`, then its file with the findings in place."""

from __future__ import annotations

from xcsh.sources.excerpt import lines_of
from xcsh.surfaces.annotated_file import annotate
from xcsh.surfaces.explain import explain_path, render_explanation
from xcsh.surfaces.explanation import diagnostics_on
from xcsh.surfaces.layout import BOLD, CYAN, DIM, Style, plural, visible, wrap
from xcsh.tui.dashboard.arranging import Heading, Item
from xcsh.tui.dashboard.row import EXTENSION, Row, State
from xcsh.tui.dashboard.snapshot import Snapshot
from xcsh.tui.dashboard.switching import named_at


def detail_of(snapshot: Snapshot, item: Item, style: Style) -> list[str]:
    """The lines for one item, painted. Reads files: not for an event loop."""
    return _of_heading(snapshot, item, style) if isinstance(item, Heading) else _of_row(snapshot, item, style)


def _of_heading(snapshot: Snapshot, heading: Heading, style: Style) -> list[str]:
    lines = [style.paint(heading.title, BOLD, CYAN) + f"  ·  {plural(heading.size, 'item')}"]
    provider = snapshot.providers.get(heading.provider)
    if provider is not None and provider.reads:
        lines += wrap("  ", visible(provider.reads), style.width)
    if heading.off:
        places = named_at(snapshot.registry.environment, heading.provider)
        lines += wrap("  switched off by  ", visible(", ".join(places)), style.width)
    return lines


def _of_row(snapshot: Snapshot, row: Row, style: Style) -> list[str]:
    registry = snapshot.registry
    lines = _of_extension(snapshot, row, style)
    if not lines:
        said = [
            each
            for each in explain_path(registry, row.path, snapshot.providers)
            if (each.kind == "skipped") == (row.state in (State.OFF, State.SKIPPED))
            and (each.provider is None or each.provider.id == row.provider)
        ]
        for number, explanation in enumerate(said):
            lines += [""] * (number > 0) + render_explanation(registry, explanation, style)
    if not lines:
        lines = [style.paint(row.name, BOLD, CYAN), *wrap("  ", row.label, style.width)]
    if row.off_by and (places := named_at(registry.environment, row.off_by)):
        lines += wrap("  off by       ", visible(", ".join(places)), style.width)
    if not row.path:
        return lines
    found = diagnostics_on(registry, row.path)
    text = lines_of(row.path)
    lines += ["", style.paint(f"{row.shown}:{row.line}", BOLD)]
    if not text:
        lines.append(style.paint("the file cannot be read, or is no text", DIM))
    return lines + annotate(text, found, style)


def _of_extension(snapshot: Snapshot, row: Row, style: Style) -> list[str]:
    command = snapshot.extension(row) if row.kind == EXTENSION else None
    if command is None:
        return []
    source = visible(command.path or "an installed package")
    lines = [style.paint(row.name, BOLD, CYAN) + f"  ·  extension {visible(command.extension)}, {command.level}"]
    for label, text in (("description", command.description), ("arguments", command.argument_hint or "")):
        if text:
            lines += wrap(f"  {label:12} ", visible(text), style.width)
    lines += wrap("  registered   ", f"by {source}" + (f", line {command.line}" if command.line else ""), style.width)
    if row.state == State.SHADOWED:
        lines += wrap("  precedence   ", row.label, style.width)
    return lines
