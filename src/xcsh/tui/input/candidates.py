"""What can be completed to, and the built-ins, which are there before there is a session."""

from __future__ import annotations

from typing import NamedTuple

from xcsh.tui.built_ins.table import BUILT_INS, BuiltIn, Takes


class Candidate(NamedTuple):
    """Something to complete to: `text` replaces what was typed; the rest is for people.

    `item` is what a command stands for; None where it is no command. `more`: what was completed can be gone on with,
    so that nothing is put behind it. `takes` says that something may follow a command's name.
    """

    text: str
    summary: str = ""
    source: str = ""
    hint: str = ""
    takes: bool = False
    item: object = None
    more: bool = False


def built_in_candidates() -> list[Candidate]:
    """The built-ins, which are there before there is a session."""
    return [built_in_candidate(item) for item in BUILT_INS]


def built_in_candidate(item: BuiltIn) -> Candidate:
    """A built-in, to be called."""
    return Candidate(f"/{item.name}", item.summary, "built-in", item.hint, item.takes != Takes.NOTHING, item)
