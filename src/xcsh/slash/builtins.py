"""The names of the built-in commands (S-21). They answer before any command from a file of the same name."""

from __future__ import annotations

BUILTIN_COMMANDS = (
    "commands", "compact", "copy", "doctor", "exit", "explain", "export", "extensions", "help", "mcp", "model", "move",
    "new", "queue", "redo", "reload", "resume", "rules", "settings", "thinking", "trust", "undo",
)  # fmt: skip
