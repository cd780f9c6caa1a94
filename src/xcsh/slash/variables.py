"""The variables by which a command names the folders that its own files lie in (formats.md, section 3)."""

from __future__ import annotations

import os

from xcsh.model.command import Kind, SlashCommand


def variables_of(command: SlashCommand, cwd: str) -> dict[str, str]:
    """Name and value, where the command's tool has such variables; `cwd` is the project's folder."""
    if command.syntax is None or not command.syntax.variables:
        return {}
    found = {"CLAUDE_PROJECT_DIR": cwd}
    if command.kind == Kind.SKILL:
        found["CLAUDE_SKILL_DIR"] = os.path.dirname(command.path)
    if command.origin.base:
        found["CLAUDE_PLUGIN_ROOT"] = command.origin.base
    return found
