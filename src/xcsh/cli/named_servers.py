"""Which MCP servers the files name, for verbs that start none."""

from __future__ import annotations

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.source import Environment
from xcsh.sources.mcp_paths import mcp_paths


def server_called(name: str, environment: Environment) -> str:
    """The server whose prompt a command's name `server:prompt` would call; empty where no file names it."""
    slug, colon, prompt = name.partition(":")
    if not (slug and colon and prompt) or not mcp_paths(environment):
        return ""
    from xcsh.sources.mcp.files import read_mcp_servers

    servers = read_mcp_servers(environment, _ignore).servers
    return slug if any(server.slug == slug and not server.disabled for server in servers) else ""


def _ignore(_: Diagnostic) -> None:
    """`xcsh doctor` tells what is wrong with them, and so does a session."""
