"""The table of the built-in commands: they come before every other and are never sent (S-21)."""

from __future__ import annotations

from typing import NamedTuple


class Takes:
    """What a built-in's argument is, so that completion knows what to offer."""

    NOTHING = ""
    WORDS = "words"
    RULE = "rule"
    ITEM = "item"
    """A rule or, with a slash, a command."""
    FOLDER = "folder"
    FILE = "file"


class BuiltIn(NamedTuple):
    """A command: its name without the slash, what it does, what may follow it, and what kind of thing that is."""

    name: str
    summary: str
    hint: str = ""
    takes: str = Takes.NOTHING


BUILT_INS: tuple[BuiltIn, ...] = (
    BuiltIn("help", "the commands and keys"),
    BuiltIn("rules", "which rules are active, and why"),
    BuiltIn("extensions", "the dashboard: rules and commands by provider, to be switched on and off"),
    BuiltIn("doctor", "everything that is odd about the files"),
    BuiltIn("compact", "make the history shorter", "[what must not be lost]", Takes.WORDS),
    BuiltIn("undo", "take back the file changes of the last turn"),
    BuiltIn("redo", "take the last undo back"),
    BuiltIn("queue", "take what waits back into the prompt"),
    BuiltIn("reload", "read rules and commands again"),
    BuiltIn("copy", "copy the last answer"),
    BuiltIn("exit", "end the session; it can be resumed"),
)
_BY_NAME = {item.name: item for item in BUILT_INS}


def built_in(text: str) -> tuple[BuiltIn, str] | None:
    """The built-in that a text calls, and what follows its name."""
    if not text.startswith("/"):
        return None
    name, _, rest = text[1:].partition(" ")
    found = _BY_NAME.get(name.strip())
    return (found, rest.strip()) if found is not None else None
