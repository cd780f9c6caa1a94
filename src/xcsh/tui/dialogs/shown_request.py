"""What consent is asked for, to be read before the answer: a command, a change, or the arguments of a tool."""

from __future__ import annotations

import json

from textual.content import Content

from xcsh.agent.consent.request import ConsentRequest
from xcsh.surfaces.layout import plural, visible
from xcsh.tui.transcript.painter import visible_text

_MOST_LINES = 4_000
"""Of what is longer the rest is counted: a terminal that lays out more does not answer for a while."""

_SHELL = "shell"
_STYLES = {"+": "$text-success", "-": "$text-error", "@": "$text-accent"}


def title_of(request: ConsentRequest) -> str:
    """What somebody wants to do, in one line."""
    if request.command:
        return "Run this command?" if request.tool == _SHELL else f"Let {visible(request.tool)} run this?"
    if request.path:
        return f"Change {visible(request.path)}?"
    return f"Let {visible(request.tool)} do this?"


def shown_request(request: ConsentRequest) -> Content:
    """All of it, with the signs of a diff and in colours; what is left out is counted."""
    lines = _lines(request)
    shown = enumerate(lines[:_MOST_LINES])
    parts = [_painted(line, at) if request.diff else Content(line) for at, line in shown]
    if more := lines[_MOST_LINES:]:
        parts.append(Content.styled(f"… {plural(len(more), 'more line')}, not shown: say no, and look at it", "bold"))
    return Content("\n").join(parts)


def lines_label(request: ConsentRequest) -> str:
    """How long it is, so that nobody takes what fits for all of it."""
    return plural(len(_lines(request)), "line")


def _lines(request: ConsentRequest) -> list[str]:
    text = request.command or request.diff or _pretty(request.arguments) or request.path
    return visible_text(text).removesuffix("\n").split("\n")


def _painted(line: str, at: int) -> Content:
    names_file = at < 2 and line.startswith(("+++", "---"))  # noqa: PLR2004 - the first two lines of a diff
    style = "$text-muted" if names_file or line[:1] == "\\" else _STYLES.get(line[:1], "")
    return Content.styled(line, style)


def _pretty(arguments: str) -> str:
    """Arguments a line each; as they stand where they are no JSON object."""
    try:
        values: object = json.loads(arguments)
    except ValueError:
        return arguments
    if not isinstance(values, dict):
        return arguments
    return json.dumps(values, indent=2, ensure_ascii=False)
