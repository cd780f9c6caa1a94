"""Advice to call a verb of the command line, as what is typed in a conversation."""

from __future__ import annotations

import re

_VERB = re.compile(
    r"\bxcsh (rules|commands|explain|doctor|trust|config|sessions)\b(?! (?:--(?!all\b)|show|set|export))"
)
_NAMES = {"config": "/settings", "sessions": "/resume"}


def typed_here(advice: str) -> str:
    """A sentence of ours with `/rules` for `xcsh rules`; a verb with options that a built-in has not stays."""
    return _VERB.sub(lambda match: _NAMES.get(match[1], f"/{match[1]}"), advice)


def listed_here(lines: list[str]) -> list[str]:
    """The lines of a listing, with its own advice so; its rows, which are indented, may quote files and stay."""
    return [line if line.startswith("  ") else typed_here(line) for line in lines]
