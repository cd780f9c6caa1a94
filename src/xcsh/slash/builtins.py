"""The commands of the interactive mode itself (S-21). They answer before any command from a file of the same name."""

from __future__ import annotations

BUILTIN_COMMANDS: dict[str, str] = {
    "help": "what can be typed",
    "settings": "see and change settings",
    "model": "choose the model",
    "mcp": "the MCP servers",
    "move": "go to another folder",
    "exit": "leave",
    "extensions": "rules and commands: what is active, and why",
    "rules": "the rules by bucket",
    "commands": "the slash commands",
    "explain": "why a rule or command is as it is",
    "doctor": "every finding about the files",
    "compact": "shorten the conversation",
    "resume": "go on with an earlier session",
    "new": "start a new session",
    "undo": "take back the changes of the last turn",
    "export": "write the session to a file",
    "copy": "copy the last answer",
    "trust": "trust this folder's code",
    "queue": "what is waiting to be sent",
}
