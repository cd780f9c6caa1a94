"""The table of the built-in commands: they come before every other and are never sent (S-21)."""

from __future__ import annotations

from collections.abc import Mapping
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


class Group:
    """What a built-in is about."""

    CONVERSATION = "the conversation"
    SESSION = "the session and its folder"
    MODEL = "the model and its tools"
    RULES = "rules, commands and settings"


class BuiltIn(NamedTuple):
    """A command: its name without the slash, what it does, what may follow it, and what kind of thing that is."""

    name: str
    summary: str
    hint: str = ""
    takes: str = Takes.NOTHING
    group: str = Group.CONVERSATION


BUILT_INS: tuple[BuiltIn, ...] = (
    BuiltIn("help", "the commands and keys"),
    BuiltIn("queue", "what waits to be sent: edit it, drop it, send it now"),
    BuiltIn("undo", "take back the file changes of the last turn, after showing them"),
    BuiltIn("redo", "take the last undo back"),
    BuiltIn("copy", "copy the last answer, or the Nth block of code in it", "[N]", Takes.WORDS),
    BuiltIn("export", "write the conversation to a file: Markdown, or JSON by its ending", "[FILE]", Takes.FILE),
    BuiltIn("compact", "make the history shorter; FOCUS is what must not be lost", "[FOCUS]", Takes.WORDS),
    BuiltIn("exit", "end the session; it can be resumed"),
    BuiltIn("new", "begin another session in this folder", group=Group.SESSION),
    BuiltIn("resume", "go on with an earlier session", "[ID]", Takes.WORDS, Group.SESSION),
    BuiltIn("move", "go on in another folder, with its rules and commands", "DIR", Takes.FOLDER, Group.SESSION),
    BuiltIn("model", "which model answers; another from the next turn on", "[NAME] [--save]", Takes.WORDS, Group.MODEL),
    BuiltIn("thinking", "how hard the model thinks", "[LEVEL]", Takes.WORDS, Group.MODEL),
    BuiltIn("mcp", "the MCP servers: how they stand, and to start one anew", "[SERVER]", Takes.WORDS, Group.MODEL),
    BuiltIn("rules", "which rules are active, and what each costs", group=Group.RULES),
    BuiltIn("commands", "the slash commands, and where each comes from", group=Group.RULES),
    BuiltIn("extensions", "the dashboard: to see rules and commands, and switch them off", group=Group.RULES),
    BuiltIn("explain", "why a rule, a command or a file is as it is", "[NAME]", Takes.ITEM, Group.RULES),
    BuiltIn("doctor", "everything that is odd about the files", group=Group.RULES),
    BuiltIn(
        "settings", "each setting and where it comes from, to be changed", "[KEY] [VALUE]", Takes.WORDS, Group.RULES
    ),
    BuiltIn("trust", "whether this folder's code and settings may take effect", "[revoke]", Takes.WORDS, Group.RULES),
    BuiltIn("reload", "read rules and commands again", group=Group.RULES),
)
_BY_NAME = {item.name: item for item in BUILT_INS}
ALIASES = {"quit": _BY_NAME["exit"], "clear": _BY_NAME["new"]}
"""What people type who come from another tool. Unlike a built-in, an alias comes after every command of its name."""


def built_in(text: str) -> tuple[BuiltIn, str] | None:
    """The built-in that a text calls, and what follows its name."""
    return _called(text, _BY_NAME)


def by_alias(text: str) -> tuple[BuiltIn, str] | None:
    """The built-in that a text calls by an alias, where no command has that name."""
    return _called(text, ALIASES)


def _called(text: str, known: Mapping[str, BuiltIn]) -> tuple[BuiltIn, str] | None:
    if not text.startswith("/"):
        return None
    name, _, rest = text[1:].partition(" ")
    found = known.get(name.strip())
    return (found, rest.strip()) if found is not None else None
