"""Where the commands and extensions in Python are. Reading them loads more, so that it is worth asking first."""

from __future__ import annotations

import os

from xcsh.model.source import Environment

EXTENSIONS, COMMANDS = ".xcsh/extensions", ".xcsh/commands"
"""The folders of a project, below it, with slashes."""

USER_EXTENSIONS = os.path.join(".xcsh", "agent", "extensions")
USER_COMMANDS = os.path.join(".xcsh", "agent", "commands")
"""Those of the user, below the home."""


def code_paths(environment: Environment) -> list[str]:
    """The folders with code that are there, the project's first."""
    paths = [os.path.join(environment.cwd, *name.split("/")) for name in (EXTENSIONS, COMMANDS)]
    paths += [os.path.join(environment.home, name) for name in (USER_EXTENSIONS, USER_COMMANDS)]
    return [path for path in paths if os.path.lexists(path)]
