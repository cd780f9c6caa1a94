"""Where the files of MCP servers are. Reading them loads more, so that it is worth asking first."""

from __future__ import annotations

import os

from xcsh.model.source import Environment

MCP_FILES = (".xcsh/mcp.json", ".mcp.json")
"""What names servers of the project, the first one first."""

USER_FILE = os.path.join(".xcsh", "agent", "mcp.json")


def mcp_paths(environment: Environment) -> list[str]:
    """The files of MCP servers that are there, the project's first."""
    paths = [os.path.join(environment.cwd, *name.split("/")) for name in MCP_FILES]
    paths.append(os.path.join(environment.home, USER_FILE))
    return [path for path in paths if os.path.lexists(path)]
