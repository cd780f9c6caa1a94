"""The framework's toolset for one MCP server: what connects to it, and what its errors say."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from typing import TYPE_CHECKING, Any, cast

from xcsh.session.mcp.log import McpLog
from xcsh.session.mcp.names import plain
from xcsh.sources.mcp.entries import SSE, McpServer

if TYPE_CHECKING:
    from pydantic_ai.mcp import MCPToolset

    from xcsh.session.mcp.process import ServerProcess

CALL_SECONDS = 300.0
"""How long a call of a tool may take."""

_LONGEST_REASON = 300


def connection_to(
    server: McpServer, cwd: str, log: McpLog, *, instructions: bool
) -> tuple[MCPToolset[Any], ServerProcess | None]:
    """The toolset, which is not connected yet, and the program behind it; None for a server at a URL."""
    framework = import_framework()
    from fastmcp.client.transports import SSETransport, StreamableHttpTransport  # noqa: PLC0415 - slow to import

    from xcsh.session.mcp.process import ServerProcess  # noqa: PLC0415 - imports the framework's client

    process = None
    if not server.url:
        transport = process = ServerProcess((server.command, *server.args), dict(server.env), cwd, log)
    elif server.type == SSE:
        transport = SSETransport(server.url, headers=dict(server.headers))
    else:
        transport = StreamableHttpTransport(server.url, headers=dict(server.headers))
    toolset = framework(
        transport,
        id=f"mcp:{server.slug}",
        tool_error_behavior="failed",
        include_instructions=instructions,
        init_timeout=None,
        read_timeout=CALL_SECONDS,
        log_handler=_ignore,
    )
    return toolset, process


def reason_of(error: BaseException) -> str:
    """An error in one line; of several at once, the first."""
    if isinstance(error, BaseExceptionGroup):
        return reason_of(cast("BaseExceptionGroup[BaseException]", error).exceptions[0])
    if isinstance(error, FileNotFoundError | PermissionError | NotADirectoryError) and error.filename:
        return f"{error.filename}: {(error.strerror or str(error)).lower()}"
    text = plain(str(error).strip().partition("\n")[0], _LONGEST_REASON)
    return text or type(error).__name__


def import_framework() -> type[MCPToolset[Any]]:
    """The framework's toolset. It would read the `.env` of the project as its settings, and log to the terminal."""
    if "fastmcp" not in sys.modules:
        kept = {name: os.environ.get(name) for name in ("FASTMCP_ENV_FILE", "FASTMCP_LOG_ENABLED")}
        os.environ.update(FASTMCP_ENV_FILE=os.devnull, FASTMCP_LOG_ENABLED="false")
        try:
            importlib.import_module("fastmcp")
        finally:
            for name, value in kept.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
    from pydantic_ai.mcp import MCPToolset  # noqa: PLC0415

    for name in ("mcp", "fastmcp"):
        logger = logging.getLogger(name)
        if not logger.handlers:  # without one, warnings would go to standard error
            logger.addHandler(logging.NullHandler())
    return MCPToolset


async def _ignore(_: object) -> None:
    """Of a server's log messages nothing is shown."""
