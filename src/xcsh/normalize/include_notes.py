"""Finds what is odd about a template's includes: a shell that does no more than print what it was given (C-42)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xcsh.slash.includes import SHELL, mark_includes
from xcsh.slash.inspection import TemplateNote

_PRINTS = re.compile(r"\s*(?:echo|printf)\b")
_MORE = re.compile(r"[|;&<>`\n]|\$\(")


def inspect_includes(template: str, style: str) -> Iterator[TemplateNote]:
    """The notes on the includes of a template, in order."""
    at = 0
    for include in mark_includes(template, style, lambda _: []).includes:
        at = template.index(include.literal, at)
        if include.kind == SHELL and _only_prints(include.text):
            message = f"`{include.text}` runs a shell to print what the text could hold itself"
            yield TemplateNote("include-prints-argument", at, len(include.literal.partition("\n")[0]), message)
        at += len(include.literal)


def _only_prints(line: str) -> bool:
    given = "$" in line or "{{args}}" in line
    return given and _PRINTS.match(line) is not None and _MORE.search(line) is None
