"""Which MCP servers the files name, for verbs that start none."""

from __future__ import annotations

import os

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.model.source import Environment
from xcsh.sources.trust import MCP_FILES

_USER_FILE = os.path.join(".xcsh", "agent", "mcp.json")


def server_called(name: str, environment: Environment) -> str:
    """The server whose prompt a command's name `server:prompt` would call; empty where no file names it."""
    slug, colon, prompt = name.partition(":")
    if not (slug and colon and prompt) or not mcp_paths(environment):
        return ""
    from xcsh.sources.mcp_files import read_mcp_servers

    servers = read_mcp_servers(environment, _ignore).servers
    return slug if any(server.slug == slug and not server.disabled for server in servers) else ""


def with_server_findings(registry: Registry) -> tuple[Registry, list[str]]:
    """The registry with what is wrong with the files of MCP servers, and the paths of these files."""
    paths = mcp_paths(registry.environment)
    if not paths:
        return registry, paths
    from xcsh.sources.mcp_files import read_mcp_servers

    found: list[Diagnostic] = []
    read_mcp_servers(registry.environment, found.append)
    diagnostics = tuple(sorted((*registry.diagnostics, *found), key=Diagnostic.sort_key))
    return registry._replace(diagnostics=diagnostics), paths


def mcp_paths(environment: Environment) -> list[str]:
    """The files of MCP servers that are there."""
    paths = [os.path.join(environment.cwd, *name.split("/")) for name in MCP_FILES]
    paths.append(os.path.join(environment.home, _USER_FILE))
    return [path for path in paths if os.path.lexists(path)]


def _ignore(_: Diagnostic) -> None:
    """`xcsh doctor` tells what is wrong with them, and so does a session."""
