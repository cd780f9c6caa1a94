"""Claude Code's own argument syntax, for `commands.arguments = "tool"` (C-28): `$0` is the first argument."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xcsh.slash.invocation import split_arguments

_PLACEHOLDER = re.compile(
    r"\\(?P<escaped>\$(?:ARGUMENTS|[0-9]+|[A-Za-z_]\w*))"
    r"|\$ARGUMENTS(?:\[(?P<bracket>[0-9]+)\])?|\$(?P<index>[0-9]+)|\$(?P<name>[A-Za-z_]\w*)"
)


def expand_claude(source: str, raw: str, names: Sequence[str]) -> str:
    r"""The text that a template becomes. `$ARGUMENTS` is the text as typed, `$N` and `$ARGUMENTS[N]` count from 0.

    `names` name the arguments by position: a missing one is empty. A place for which there is no argument stays. Where
    nothing took an argument, `ARGUMENTS: …` is appended. A backslash before a placeholder keeps it and goes.
    """
    args = split_arguments(raw)
    by_name = {name: args[position] if position < len(args) else "" for position, name in enumerate(names)}
    taken = False

    def fill(match: re.Match[str]) -> str:
        nonlocal taken
        if match["escaped"] is not None:
            return match["escaped"]
        place = match["bracket"] or match["index"]
        if place is not None:
            position = int(place) if len(place) < 10 else len(args)  # noqa: PLR2004 - nobody types so many arguments
            if position >= len(args):
                return match[0]
            taken = True
            return args[position]
        if match["name"] is not None:
            if match["name"] not in by_name:
                return match[0]
            taken = True
            return by_name[match["name"]]
        taken = True
        return raw

    text = _PLACEHOLDER.sub(fill, source)
    return f"{text.rstrip()}\n\nARGUMENTS: {raw}" if raw and not taken else text
