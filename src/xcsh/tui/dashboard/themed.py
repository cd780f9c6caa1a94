"""Text that was painted for a terminal, in the colours of the application's theme."""

from __future__ import annotations

import re
from collections.abc import Iterable

from textual.content import Content

from xcsh.surfaces.layout import BLUE, BOLD, CYAN, DIM, GREEN, RED, YELLOW

_PAINTED = re.compile(r"\x1b\[([\d;]+)m(.*?)\x1b\[0m")
_STYLES = {
    BOLD: "bold",
    DIM: "$foreground-muted",
    RED: "$text-error",
    YELLOW: "$text-warning",
    BLUE: "$text-primary",
    GREEN: "$text-success",
    CYAN: "$text-accent",
}


def themed(lines: Iterable[str]) -> Content:
    """The lines of `Style.paint`, which holds no other escapes: what comes from files is printable in them."""
    parts: list[str | tuple[str, str]] = []
    for number, line in enumerate(lines):
        if number:
            parts.append("\n")
        end = 0
        for match in _PAINTED.finditer(line):
            parts.append(line[end : match.start()])
            parts.append((match[2], " ".join(_STYLES.get(code, "") for code in match[1].split(";"))))
            end = match.end()
        parts.append(line[end:])
    return Content.assemble(*parts)
