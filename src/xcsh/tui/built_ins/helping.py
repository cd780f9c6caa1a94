"""What can be typed, and which keys do what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from xcsh.slash.expansion import callable_commands
from xcsh.surfaces.layout import BOLD, CYAN, DIM, Style, columns, fit, shown_summary, visible, wrap
from xcsh.tui.built_ins.aliases import aliases_of
from xcsh.tui.built_ins.table import ALIASES, BUILT_INS

if TYPE_CHECKING:
    from xcsh.session.prompt_pipeline import PromptContext

KEYS = (
    ("Enter", "send; while an answer comes: before the next request"),
    ("Alt+Enter, Ctrl+T", "queue: send it when the turn has ended"),
    ("Ctrl+J", "begin another line"),
    ("Tab", "complete"),
    ("Up, Down", "what was typed before"),
    ("Esc", "end what runs; what waits is kept"),
    ("PageUp, PageDown", "scroll; what you send goes to the end again"),
    ("Shift+Tab", "into the transcript: arrows, and Enter to unfold"),
    ("Ctrl+O", "unfold everything, also what comes; again fold it"),
    ("Ctrl+R", "search what was typed before"),
    ("Ctrl+G", "edit the text in your editor"),
    ("F2", "the dashboard of rules and commands"),
    ("F3", "what waits to be sent"),
    ("Ctrl+D", "leave; the session can be resumed"),
)
_WIDEST = 24


class _Row(NamedTuple):
    name: str
    summary: str
    source: str = ""


def help_lines(context: PromptContext | None, style: Style, keys: Sequence[tuple[str, str]] = KEYS) -> list[str]:
    """The built-ins by what they are about, the commands of the project and of the user, and the keys."""
    groups: dict[str, list[_Row]] = {}
    aliases = ALIASES if context is None else aliases_of(context)
    for item in BUILT_INS:
        names = ", ".join([f"/{item.name}", *(f"/{alias}" for alias, other in aliases.items() if other is item)])
        groups.setdefault(item.group, []).append(_Row(f"{names} {item.hint}".rstrip(), item.summary))
    if context is not None and (found := list(_found(context))):
        groups["commands of yours and of this project"] = found
    groups["keys"] = [_Row(*key) for key in keys]
    width = min(_WIDEST, max(columns(row.name) for rows in groups.values() for row in rows))
    lines: list[str] = []
    for title, rows in groups.items():
        lines += [*([""] if lines else []), style.paint(title, BOLD), *_lines(rows, width, style)]
    return lines


def _lines(rows: Iterable[_Row], width: int, style: Style) -> Iterator[str]:
    for row in rows:
        name, indent = f"  {row.name}", width + 4
        if columns(row.name) > width:
            yield style.paint(name, CYAN)
            name = ""
        first, *more = wrap(" " * indent, row.summary, style.width)
        lines = [f"{style.paint(fit(name, indent), CYAN)}{first[indent:]}" if name else first, *more]
        if row.source:
            fits = columns((more or [first])[-1]) + columns(row.source) + 2 <= style.width
            source = style.paint(row.source, DIM)
            lines[-1:] = [f"{lines[-1]}  {source}"] if fits else [lines[-1], f"{' ' * indent}{source}"]
        yield from (line.rstrip() for line in lines)


def _found(context: PromptContext) -> Iterator[_Row]:
    """Every command that can be called, the first of a name."""
    rows = [_Row(f"/{item.name}", item.description, "extension") for item in context.extensions.commands]
    rows += [_Row(f"/{item.name}", item.description, "Python") for item in context.customs.commands]
    rows += [
        _Row(f"/{name} {command.argument_hint or ''}".rstrip(), command.description, command.source)
        for name, command in callable_commands(context.registry).items()
    ]
    seen: set[str] = set()
    for row in rows:
        name = row.name.split(" ", 1)[0]
        if name not in seen:
            seen.add(name)
            yield _Row(visible(row.name), visible(shown_summary(row.summary)), visible(row.source))
