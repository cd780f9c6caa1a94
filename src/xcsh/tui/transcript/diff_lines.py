"""A change of a file as lines: `path:line` above each hunk, signs before the lines, colour beside them."""

from __future__ import annotations

import re

from textual.strip import Strip

from xcsh.agent.events import FileChanged
from xcsh.surfaces.layout import plural
from xcsh.tui.transcript.painter import Painter

_HEAD = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_STYLES = {"+": "added", "-": "removed", " ": "muted"}
_INDENT = 2


def diff_lines(change: FileChanged, painter: Painter) -> list[Strip]:
    """The lines of one change, long ones broken."""
    lines: list[Strip] = []
    for line in change.diff.split("\n") if change.diff else []:
        head = _HEAD.match(line)
        if head is not None:
            lines.append(painter.line((f"{change.path}:{head[1]}", "place"), indent=_INDENT))
        else:
            style = _STYLES.get(line[:1], "muted")
            label = f"{' ' * _INDENT}{'−' if line[:1] == '-' else line[:1]} "
            lines += painter.text(label, line[1:], style, indent=_INDENT + 2)
    if not lines:
        lines.append(painter.line((_without_lines(change), "muted"), indent=_INDENT))
    if change.left != 0:
        left = "the rest" if change.left is None else plural(change.left, "more line")
        lines.append(painter.line((f"… {left} of this diff: {change.path}", "muted"), indent=_INDENT))
    return lines


def _without_lines(change: FileChanged) -> str:
    if change.added is None:
        return f"{change.path} changed; there are no lines to show"
    return f"{change.path} holds what it held before"
