"""The placeholders in a part of a template that an include is made of, by this project's syntax (C-23, C-42)."""

from __future__ import annotations

from collections.abc import Sequence

from xcsh.slash.shell_line import Filled
from xcsh.slash.template import DOLLAR, TAG, VALUES, Arguments, is_escaped, number_of, value_of


def places(source: str, *, escapes: bool) -> list[tuple[int, int]]:
    """Where a text without blocks has placeholders that some call has an argument for, by offsets."""
    tokens = [token for token in DOLLAR.finditer(source) if not (escapes and is_escaped(token))]
    dollars = [token.span() for token in tokens if number_of(token["index"] or "1") > 0]
    return sorted([*dollars, *(token.span() for token in TAG.finditer(source) if token["word"] in VALUES)])


def placeholders(source: str, args: Sequence[str], *, escapes: bool) -> list[Filled]:
    """The placeholders of a text without blocks, with offsets and values; a place without an argument is none."""
    arguments = Arguments(args, " ".join(args), escapes)
    found: list[Filled] = []
    for token in sorted([*DOLLAR.finditer(source), *TAG.finditer(source)], key=lambda token: token.start()):
        if token.re is TAG:
            value = arguments.joined if token["word"] in VALUES else None
        elif (escapes and is_escaped(token)) or number_of(token["index"] or "1") > len(args):
            value = None
        else:
            value = value_of(token, arguments)
        if value is not None:
            found.append(Filled(*token.span(), value))
    return found
