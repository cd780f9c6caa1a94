"""Sessions on a terminal: a table of them, and what was said in one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from xcsh.model.source import Environment
from xcsh.session.store.listing import SessionSummary
from xcsh.session.store.marks import without_tokens
from xcsh.surfaces.layout import BOLD, CYAN, DIM, Style, columns, fit, fit_path, plural, shown_path, visible

if TYPE_CHECKING:
    from xcsh.session.store.reading import StoredSession
    from xcsh.session.store.transcript import Entry

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_LINES = 6
"""How much is shown of what a tool was given and gave."""


def render_list(
    sessions: Sequence[SessionSummary], environment: Environment, style: Style, *, with_folder: bool
) -> list[str]:
    """A line a session under a line of headings: id, age, folder, turns, tokens, first words."""
    now = time.time()
    ids = max(2, *(columns(visible(each.id)) for each in sessions))
    folder = max(12, style.width // 6) if with_folder else 0
    room = max(12, style.width - ids - 24 - (folder + 2 if folder else 0))
    between = f"{'folder':{folder}}  " if folder else ""
    lines = [style.paint(f"{'id':{ids}}  {'age':>6}  {between}{'turns':>5} {'tokens':>7}  prompt", DIM)]
    for each in sessions:
        between = fit_path(shown_path(each.cwd, environment), folder) + "  " if folder else ""
        words = visible(each.problem) or fit(visible(without_tokens(each.title or each.prompt)), room)
        counts = f"{each.turns:>5} {_short(each.tokens):>7}"
        session = style.paint(fit(visible(each.id), ids), CYAN)
        lines.append(f"{session}  {age(each.updated, now):>6}  {between}{counts}  {words}".rstrip())
    return lines


def age(updated: str, now: float) -> str:
    """How long ago a time was: `now`, `5 min`, `3 h`, `12 d`; empty for one that is none."""
    try:
        seconds = now - datetime.fromisoformat(updated).timestamp()
    except ValueError:
        return ""
    if seconds < _MINUTE:
        return "now"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.0f} h" if seconds < _DAY else f"{seconds / _DAY:.0f} d"


def render_session(session: StoredSession, style: Style) -> list[str]:
    """What is known of a session, and what was said in it; of tools the first lines."""
    from xcsh.session.store.transcript import USER, turns_of  # noqa: PLC0415 - loads the framework

    tokens = session.usage.get("input_tokens", 0) + session.usage.get("output_tokens", 0)
    about = [session.cwd, session.model, session.created, f"{plural(session.turns, 'turn')}, {tokens:,} tokens"]
    lines = [style.paint(visible(session.title or session.id), BOLD)]
    lines.append(style.paint(visible("  ".join(item for item in (session.id, *about) if item)), DIM))
    for number, entries in enumerate(turns_of(session.messages), 1):
        lines += ["", style.paint(f"turn {number}", BOLD)]
        for entry in entries:
            lines += _entry_lines(entry, style)
    if waiting := (*session.unanswered, *session.steering, *session.follow_ups):
        lines += ["", style.paint("not answered yet", BOLD)]
        for text in waiting:
            lines += _labelled(USER, without_tokens(text), style)
    return lines


def _entry_lines(entry: Entry, style: Style) -> list[str]:
    from xcsh.session.store.transcript import ANSWER, CALL, USER  # noqa: PLC0415 - as above

    if entry.kind in (USER, ANSWER):
        return _labelled(entry.kind, entry.text, style)
    if entry.told is not None and entry.told.rules:
        return [f"  {entry.told.sign} {style.paint(visible(entry.text), DIM)}"]
    if entry.kind != CALL:
        return _labelled(entry.name or entry.kind, entry.text, style, most=_LINES)
    lines = _labelled(f"call {entry.name}", entry.text, style, most=_LINES)
    return [*lines, *_labelled("result", "none" if entry.result is None else entry.result, style, most=_LINES)]


def _labelled(label: str, text: str, style: Style, *, most: int = 0) -> list[str]:
    lines = [visible(line.replace("\t", "    ")) for line in text.rstrip("\n").split("\n")]
    more = len(lines) - most if most and len(lines) > most else 0
    shown = lines[:most] if more else lines
    indented = [f"    {line}".rstrip() for line in shown]
    if more:
        indented.append(style.paint(f"    … {plural(more, 'more line')}", DIM))
    return [f"  {style.paint(visible(label), CYAN)}", *indented]


def _short(count: int) -> str:
    """A number in at most seven columns."""
    return f"{count:,}" if count < 100_000 else f"{count / 1000:,.0f}k"  # noqa: PLR2004 - six digits and a comma
