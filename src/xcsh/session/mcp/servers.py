"""The MCP servers of a session: who may start, their tools for the agent, their prompts as commands (S-12, C-40)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic_ai import RunContext
from pydantic_ai.messages import InstructionPart
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from xcsh.agent.consent.capability import Consent
from xcsh.errors import UsageError
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.registry import Registry
from xcsh.parsing.finding import Finding
from xcsh.session.events import DiagnosticsFound, Notice, Sink
from xcsh.session.mcp.admission import origin_of, why_refused
from xcsh.session.mcp.connection import reason_of
from xcsh.session.mcp.log import McpLog, log_folder
from xcsh.session.mcp.prompts import Prompt, no_such_prompt, server_in, values_of
from xcsh.session.mcp.server import RunningServer
from xcsh.session.mcp.standing import ServerStanding, standing_of
from xcsh.sources.mcp.entries import McpServer
from xcsh.sources.mcp.files import McpServers, read_mcp_servers


class SessionServers(AbstractToolset[Any]):
    """All servers that the files name. None runs before a turn can use its tools, or one of its prompts is called.

    It is the toolset of the agent, and what the prompt pipeline asks for prompts. Close it: it owns processes.
    """

    def __init__(
        self,
        registry: Registry,
        found: McpServers,
        consent: Consent,
        emit: Sink,
        variables: Mapping[str, str],
        findings: Sequence[Diagnostic] = (),
    ) -> None:
        """`variables` are those that `${NAME}` in the files means; `findings` are told with the first turn."""
        self._findings = tuple(findings)
        self._registry = registry
        self._found = found
        self._consent = consent
        self._emit = emit
        self._variables = variables
        self._starting: dict[str, asyncio.Task[RunningServer | None]] = {}
        self._running: dict[str, RunningServer] = {}
        self._held_back: set[str] = set()
        self._closed = False

    @property
    def id(self) -> str | None:
        """For durable runs."""
        return "mcp"

    @property
    def slugs(self) -> tuple[str, ...]:
        """The names of all servers, as they stand in those of tools and prompts."""
        return tuple(dict.fromkeys(server.slug for server in self._found.servers))

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts of the servers that run, as they can be called."""
        return tuple(prompt for server in self._running.values() if not server.failure for prompt in server.prompts)

    @property
    def standing(self) -> tuple[ServerStanding, ...]:
        """How each server stands, in the order of the files."""
        return tuple(
            standing_of(server, self._running.get(server.slug), self._starting.get(server.slug), self._found)
            for server in self._found.servers
        )

    async def restart(self, slug: str) -> None:
        """Stops a server, or what is left of it, and starts it anew. Returns when it is there, or has failed."""
        if (starting := self._starting.pop(slug, None)) is not None:
            starting.cancel()
            await asyncio.wait({starting})
        if (running := self._running.pop(slug, None)) is not None:
            await running.close()
        await self.start((slug,))

    async def start(self, slugs: Sequence[str] | None = None) -> None:
        """Starts servers, all or those named, side by side; returns when each is there, or has failed and been told.

        Asks where somebody has to agree. Who waits may be cancelled; the servers go on.
        """
        wanted = () if self._closed else self.slugs if slugs is None else slugs
        if wanted:
            await asyncio.wait({self._begin(slug) for slug in wanted})

    async def close(self) -> None:
        """Stops every server; returns when no process is left."""
        self._closed = True
        for task in self._starting.values():
            task.cancel()  # a question that is open; what has been started is in `_running`
        for server in self._running.values():
            server.stop()  # all are told before anything is waited for: the wait may be cancelled
        await asyncio.gather(*self._starting.values(), return_exceptions=True)
        await asyncio.gather(*(server.close() for server in self._running.values()))

    def names_server(self, name: str) -> bool:
        """Whether the part of a command's name before the colon is a server's. Nothing is started."""
        return server_in(name) in self.slugs

    async def expand(self, name: str, raw: str) -> str:
        """The text of the prompt `server:prompt`. UsageError: no such prompt, missing arguments, a failed server."""
        slug = server_in(name)
        await self.start((slug,))
        server = self._running.get(slug)
        if server is None or server.failure:
            why = server.failure if server is not None else "it was not started"
            hint = "its log says more" if server is not None else "what was said before tells why"
            raise UsageError(f"the MCP server {slug} is not there: {why}", hint)
        prompt = next((each for each in server.prompts if each.name == name), None)
        if prompt is None:
            raise no_such_prompt(name, server.prompts)
        values = values_of(prompt, raw)
        try:
            return await server.expand(prompt, values)
        except Exception as error:
            raise UsageError(f"the MCP server {slug} gives no prompt: {reason_of(error)}", "try again") from error

    async def for_run_step(self, ctx: RunContext[Any]) -> Self:
        """Starts what a turn can use: here, and not before the run, where nothing could interrupt it."""
        del ctx
        if findings := self._findings:
            self._findings = ()
            self._emit(DiagnosticsFound(findings))
        wanted = [slug for slug in self.slugs if self._can_be_used(slug)]
        self._tell_held_back([slug for slug in self.slugs if slug not in wanted])
        await self.start(wanted)
        return self

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        offered = await asyncio.gather(*(server.tools(ctx, self) for server in self._in_order()))
        return {name: tool for tools in offered for name, tool in tools.items()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> object:
        server = next(server for server in self._in_order() if name.startswith(f"mcp__{server.server.slug}__"))
        return await server.call(name, tool_args, ctx, tool)

    async def get_instructions(self, ctx: RunContext[Any]) -> list[str | InstructionPart] | None:
        parts = [await server.instructions(ctx) for server in self._in_order()]
        return [part for part in parts if part is not None] or None

    def _in_order(self) -> list[RunningServer]:
        """As the files name them, so that the prompt does not depend on who was faster."""
        return [self._running[slug] for slug in self.slugs if slug in self._running]

    def _begin(self, slug: str) -> asyncio.Task[RunningServer | None]:
        if slug not in self._starting:
            self._starting[slug] = asyncio.create_task(self._start_first(slug))
        return self._starting[slug]

    async def _start_first(self, slug: str) -> RunningServer | None:
        """Starts the first server of a name that may."""
        for server in self._found.servers:
            if server.slug != slug or server.disabled:
                continue
            refused = await why_refused(server, self._found, self._consent, self._origin(server))
            if not refused:
                return await self._start_one(server)
            message = f"the MCP server {server.name!r} is not started: {refused}"
            hint = "look at what it would run, and trust it: xcsh trust --show"
            self._tell(server, "mcp-not-started", message, hint)
        return None

    async def _start_one(self, server: McpServer) -> RunningServer | None:
        filled, missing = server.filled(self._variables)
        if missing:
            names = " and ".join(f"${{{name}}}" for name in missing)
            hint = "set it, or give it a default: ${NAME:-default}"
            self._tell(server, "mcp-not-started", f"the MCP server {server.name!r} needs {names}, not set", hint)
            return None
        environment = self._registry.environment
        settings = self._registry.settings
        log = McpLog(os.path.join(log_folder(self._variables, environment.home), f"{server.slug[:100]}.log"))
        running = self._running[server.slug] = RunningServer(
            filled,
            self._origin(server),
            environment.cwd,
            log,
            lambda code, message: self._tell(server, code, message, f"its log: {log.path}"),
            instructions=settings.get("mcp.instructions") is True,
        )
        if not await running.start(settings.number("mcp.start_seconds")):
            message = f"the MCP server {server.name!r} did not start: {running.failure}"
            self._tell(server, "mcp-server-failed", message, f"its log: {log.path}")
        return running

    def _origin(self, server: McpServer) -> str:
        return origin_of(server, self._registry.environment.cwd)

    def _can_be_used(self, slug: str) -> bool:
        """Whether a call of any of its tools can come to anything."""
        if slug in self._running or self._consent.offers(f"mcp__{slug}"):
            return True
        return any(pattern.tool.startswith(f"mcp__{slug}__") for pattern in self._consent.permissions.patterns)

    def _tell_held_back(self, slugs: Sequence[str]) -> None:
        new = [slug for slug in slugs if slug not in self._held_back]
        self._held_back.update(new)
        if new:
            allow = ",".join(f"mcp__{slug}" for slug in new)
            text = f"MCP servers not started, since nobody is here to consent to calls: {', '.join(new)}; to let them"
            self._emit(Notice(f"{text}: --allow {allow}"))

    def _tell(self, server: McpServer, code: str, message: str, hint: str) -> None:
        self._emit(DiagnosticsFound((Finding(server.path).make(code, server.position, message, hint=hint),)))


def session_servers(
    registry: Registry, consent: Consent, emit: Sink, variables: Mapping[str, str], more: Sequence[McpServer] = ()
) -> SessionServers | None:
    """The servers that the files name, behind those of the caller (`more`); None where there are none.

    Reads files, starts nothing.
    """
    findings: list[Diagnostic] = []
    found = read_mcp_servers(registry.environment, findings.append)
    found = found._replace(servers=(*more, *found.servers))
    if not found.servers and not findings:
        return None
    return SessionServers(registry, found, consent, emit, variables, findings)
