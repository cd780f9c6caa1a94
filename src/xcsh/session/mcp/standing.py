"""How each MCP server of a session stands, as values for whoever shows it."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from xcsh.session.mcp.server import RunningServer
from xcsh.sources.mcp.entries import McpServer
from xcsh.sources.mcp.files import McpServers

RUNNING, STARTING, WAITING, FAILED, DISABLED, REFUSED = (
    "running", "starting", "not started yet", "failed", "disabled", "not started",
)  # fmt: skip


class ServerStanding(NamedTuple):
    """A server: `state` is one of the words above, `why` says more. `does`: its command line or address, as written.

    `trusted`: nobody has to be asked before it starts. `tools` and `prompts` as they can be called; of a server that
    does not run there are none. `log`: the path of its log, empty where it never ran.
    """

    name: str
    slug: str
    path: str
    does: str
    state: str
    trusted: bool
    why: str = ""
    tools: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    log: str = ""


def standing_of(
    server: McpServer,
    running: RunningServer | None,
    starting: asyncio.Task[RunningServer | None] | None,
    found: McpServers,
) -> ServerStanding:
    """How a server of `found` stands; `running` and `starting` are of its name, which another file's may have too."""
    standing = ServerStanding(server.name, server.slug, server.path, server.shown, WAITING, found.may_start(server))
    if server.disabled:
        return standing._replace(state=DISABLED, why="its file says so")
    own = running is not None and running.server.path == server.path
    if running is None or not own:
        if starting is not None and not starting.done():
            return standing._replace(state=STARTING)
        why = "another one of its name is used" if running is not None else ""
        why = why or ("" if standing.trusted else found.why)
        return standing._replace(state=REFUSED if starting is not None else WAITING, why=why)
    standing = standing._replace(log=running.log)
    if running.failure:
        return standing._replace(state=FAILED, why=running.failure)
    if starting is not None and not starting.done():
        return standing._replace(state=STARTING)
    prompts = tuple(prompt.name for prompt in running.prompts)
    return standing._replace(state=RUNNING, tools=running.tool_names, prompts=prompts)
