"""Finds what is odd about a template's includes: arguments that are code, a shell that only prints them (C-42)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xcsh.model.provider import CommandTable
from xcsh.slash.includes import SHELL, Places, mark_includes
from xcsh.slash.inspection import TemplateNote
from xcsh.slash.placeholders import places
from xcsh.slash.tool_arguments import tool_places

_PRINTS = re.compile(r"\s*(?:echo|printf)\b")
_MORE = re.compile(r"[|;&<>`\n]|\$\(")


def inspect_includes(template: str, style: str, places: Places) -> Iterator[TemplateNote]:
    """The notes on the includes of a template, in order. `places`: where a part of it has placeholders."""
    at = 0
    for include in mark_includes(template, style, lambda _: [], places).includes:
        at = template.index(include.literal, at)
        if include.code_for:
            message = f"an argument goes to {include.code_for}: whoever words a call decides what runs"
            yield TemplateNote("include-runs-argument", at, len(include.literal.partition("\n")[0]), message)
        if include.kind == SHELL and _only_prints(include.text):
            message = f"`{include.text}` runs a shell to print what the text could hold itself"
            yield TemplateNote("include-prints-argument", at, len(include.literal.partition("\n")[0]), message)
        at += len(include.literal)


def places_in(table: CommandTable, names: Sequence[str]) -> Places:
    """Where a part of a template has placeholders, by the syntax that holds where no setting says another. `names` are
    those of its named arguments.
    """
    syntax = table.arguments
    if table.beyond and syntax is not None:
        return lambda part: tool_places(part, syntax, names)
    return lambda part: places(part, escapes=True)


def _only_prints(line: str) -> bool:
    given = "$" in line or "{{args}}" in line
    return given and _PRINTS.match(line) is not None and _MORE.search(line) is None
