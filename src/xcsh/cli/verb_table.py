"""The verbs, and which of them a call names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

_WITH_VALUE = frozenset(
    {"-C", "--model", "--allow", "--output", "--resume", "--max-turns", "--timeout", "--set", "--sandbox"}
)


class Verb(NamedTuple):
    """A verb: the module that runs it, and what it does in one line."""

    module: str
    summary: str

    def load(self) -> Any:
        """The verb's module."""
        from importlib import import_module

        return import_module(f"xcsh.cli.verbs.{self.module}")


VERBS: dict[str, Verb] = {
    "rules": Verb("rules", "the active rules by bucket, and what each costs"),
    "commands": Verb("commands", "the slash commands, and where each comes from"),
    "explain": Verb("explain", "why one rule, command or file is as it is"),
    "doctor": Verb("doctor", "every finding, with place, excerpt and what to do"),
    "prompt": Verb("prompt", "exactly what the model is told"),
    "expand": Verb("expand", "what `/NAME args` is sent as; nothing is run"),
    "read": Verb("read", "the content of rule://NAME, byte for byte"),
    "stream": Verb("stream", "which stream rules a text makes fire, and where"),
    "trust": Verb("trust", "whether this folder's code and settings may take effect"),
    "config": Verb("config", "every setting, and where its value comes from: show, set, unset"),
    "completion": Verb("completion", "what makes bash, zsh or fish complete the words of xcsh"),
    "hook": Verb("hook", "what the hooks of other agents call: the project's rules for one call of a tool"),
    "mcp": Verb("mcp", "the rules and commands for clients of the Model Context Protocol"),
    "acp": Verb("acp", "the agent for editors that speak the Agent Client Protocol"),
    "sessions": Verb("sessions", "the conversations that are kept: list, show, export, delete"),
    "turn": Verb("print_turn", "one turn of the agent (this is `xcsh -p TEXT`)"),
    "chat": Verb("chat", "a conversation in the terminal (this is `xcsh [TEXT]`)"),
}
UNTYPED = ("turn", "chat")


def first_word(argv: Sequence[str]) -> int | None:
    """Where the first word stands that is no option and no option's value."""
    at = 0
    while at < len(argv):
        if argv[at] == "--":
            return at + 1 if at + 1 < len(argv) else None
        if not argv[at].startswith("-") or argv[at] == "-":
            return at
        at += 2 if argv[at] in _WITH_VALUE else 1
    return None
