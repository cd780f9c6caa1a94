"""Which MCP servers may start: the user's own, those of a trusted project, and what the user agrees to (S-12)."""

from __future__ import annotations

import os

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.patterns import Request
from xcsh.agent.consent.permissions import ALLOW, ASK
from xcsh.agent.consent.request import ConsentRequest
from xcsh.model.source import Level
from xcsh.sources.mcp.entries import McpServer
from xcsh.sources.mcp.files import McpServers

START = "mcp_server"
"""What a request to start a server is named in patterns: `mcp_server(github SHA256)`."""


async def why_refused(server: McpServer, found: McpServers, consent: Consent, origin: str) -> str:
    """Why a server may not start; empty where it may. Asks where somebody can be asked."""
    if found.may_start(server):
        return ""
    request = Request(START, f"{server.slug} {server.sha256}")
    decision = consent.permissions.decide(request)
    if decision.verdict == ALLOW:
        return ""
    if decision.verdict == ASK:
        return await consent.settle(request, _question(server, request, found.why, origin))
    return decision.reason if decision.denied else f"{found.why}; to see what it would run: xcsh trust"


def origin_of(server: McpServer, cwd: str) -> str:
    """Whose server it is, for questions: the user's own, or that of a file, named as it lies below `cwd`."""
    if server.level == Level.USER:
        return f"the MCP server {server.name} of your own"
    return f"the MCP server {server.name} of this project's {os.path.relpath(server.path, cwd)}"


def _question(server: McpServer, request: Request, why: str, origin: str) -> ConsentRequest:
    notes = [f"it is given your variable {name}" for name in server.variables]
    notes += [f"it runs in {server.cwd}"] if server.cwd else []
    notes += [f"it sends the header {name}" for name, _ in server.headers]
    return ConsentRequest(
        START,
        f"a file of the project names this server, and {why}",
        command="" if server.url else server.shown,
        arguments=server.shown if server.url else "",
        origin=origin,
        notes=tuple(notes),
        patterns=(f"{START}({request.argument})",),
    )
