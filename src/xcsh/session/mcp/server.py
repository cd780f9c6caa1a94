"""One MCP server in a session: started within a time, watched, asked, and stopped with everything it started."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_ai import ModelRetry, RunContext, ToolFailed
from pydantic_ai.messages import InstructionPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from xcsh.session.mcp.connection import CALL_SECONDS, connection_to, reason_of
from xcsh.session.mcp.log import McpLog
from xcsh.session.mcp.names import LONGEST_OUTPUT, MOST_TOOLS, limited, offered, plain, tool_name
from xcsh.session.mcp.prompts import Prompt, prompts_of, text_of
from xcsh.sources.mcp.entries import McpServer

if TYPE_CHECKING:
    from pydantic_ai.mcp import MCPToolset

    from xcsh.session.mcp.process import ServerProcess

_STOP_SECONDS = 5.0


class Offered(NamedTuple):
    """A tool as the model knows it; `original` is its name on the server."""

    original: str
    definition: ToolDefinition


class RunningServer:
    """A server that was started, or is being started, or has ended: then `failure` says why.

    `server` has its variables filled in. `origin` says in questions where it is from; `tell` gets a code and a
    sentence on what is wrong.
    """

    def __init__(
        self,
        server: McpServer,
        origin: str,
        cwd: str,
        log: McpLog,
        tell: Callable[[str, str], None],
        *,
        instructions: bool = False,
    ) -> None:
        self.server = server
        self.failure = ""
        self.prompts: tuple[Prompt, ...] = ()
        self._origin = origin
        self._tell = tell
        self._log = log
        self._cwd = os.path.join(cwd, server.cwd)
        self._instructions = instructions
        self._process: ServerProcess | None = None
        self._toolset: MCPToolset[Any] | None = None
        self._listed: object = None
        self._offered: dict[str, Offered] = {}
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._life: asyncio.Task[None] | None = None

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Its tools as the model knows them; none before a turn has asked for them."""
        return tuple(self._offered)

    @property
    def log(self) -> str:
        """The path of its log."""
        return self._log.path

    async def start(self, seconds: float) -> bool:
        """Whether it is there within so many seconds; where it is not, `failure` says why."""
        try:
            toolset, self._process = connection_to(self.server, self._cwd, self._log, instructions=self._instructions)
        except (ImportError, ValueError) as error:  # a URL that is none, once its variables are filled in
            self._fail(reason_of(error))
            self._log.close()
            return False
        self._life = asyncio.create_task(self._live(toolset, seconds))
        await self._first_of(self._ready, within=seconds, also=self._life)
        if not self._ready.is_set() and not self.failure:
            ended = self._process.reason if self._process is not None else ""
            self._fail(ended or f"it did not answer within {seconds:g} seconds")
            self._life.cancel()
        return not self.failure

    async def tools(self, ctx: RunContext[Any], owner: AbstractToolset[Any]) -> dict[str, ToolsetTool[Any]]:
        """What it offers now, as tools of the toolset `owner`; what it offered last where it does not say."""
        toolset = self._toolset
        if toolset is None:
            return {}
        if not self.failure:
            try:
                async with asyncio.timeout(_STOP_SECONDS):
                    listed = await toolset.list_tools()  # the same list until the server says that it has changed
                    if listed is not self._listed:
                        count = len(listed)
                        del listed[MOST_TOOLS:]  # it is the framework's own list, which would define every tool in it
                        self._offer(await toolset.get_tools(ctx), count)
                        self._listed = listed
            except Exception as error:  # noqa: BLE001 - whatever a server answers: its tools are no reason to fail
                self._log.say(f"its tools cannot be listed: {reason_of(error)}")
        return {
            name: replace(toolset.tool_for_tool_def(tool.definition, ctx=ctx), toolset=owner)
            for name, tool in self._offered.items()
        }

    async def call(self, name: str, arguments: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> object:
        """The result of one of its tools, no longer than the model should get. ToolFailed: it failed, in words."""
        known = self._offered.get(name)
        if self.failure or known is None or self._toolset is None:
            raise ToolFailed(f"The MCP server {self.server.name!r} is gone: {self.failure or 'it was stopped'}.")
        original = replace(tool, tool_def=replace(tool.tool_def, name=known.original), toolset=self._toolset)
        try:
            return limited(await self._toolset.call_tool(known.original, arguments, ctx, original))
        except (ModelRetry, ToolFailed) as error:
            raise ToolFailed(str(limited(error.message)) + self._and_gone()) from error
        except Exception as error:
            raise ToolFailed(f"The call failed: {reason_of(error)}{self._and_gone()}") from error

    async def instructions(self, ctx: RunContext[Any]) -> InstructionPart | None:
        """What it wants to be in the prompt, where the settings let it."""
        if self._toolset is None or not self._instructions or self.failure:
            return None
        part = await self._toolset.get_instructions(ctx)
        if part is None or not part.content.strip():
            return None
        return replace(part, content=f"Of the MCP server {self.server.slug}: {plain(part.content)}")

    async def expand(self, prompt: Prompt, values: dict[str, str]) -> str:
        """The text that a prompt becomes. Raises whatever goes wrong between the server and us."""
        if self._toolset is None or self.failure:
            raise RuntimeError(self.failure or "it was stopped")
        async with asyncio.timeout(CALL_SECONDS):
            result = await self._toolset.get_prompt(prompt.original, values or None)
        return str(limited(text_of(result), LONGEST_OUTPUT))

    def stop(self) -> None:
        """Lets it stop; `close` waits for that."""
        self._stop.set()
        if self._life is not None and not self._ready.is_set():
            self._life.cancel()

    async def close(self) -> None:
        """Stops it; returns when nothing of it is left."""
        self.stop()
        if self._life is not None:
            await asyncio.wait({self._life})

    async def _live(self, toolset: MCPToolset[Any], seconds: float) -> None:
        """Its whole life, in a task of its own: whoever is cancelled meanwhile, it is stopped here."""
        entered = False
        try:
            await toolset.__aenter__()
            entered = True
            await toolset.list_tools()
            await self._list_prompts(toolset, seconds)
            self._toolset = toolset
            self._ready.set()
            await self._first_of(self._stop)
            self._tell_of_its_end()
        except Exception as error:  # noqa: BLE001 - programs and servers fail in every way; others go on
            ended = self._process.reason if self._process is not None else ""
            self._fail(ended or reason_of(error))
        finally:
            try:
                if entered:
                    with suppress(Exception):
                        async with asyncio.timeout(_STOP_SECONDS):
                            await toolset.__aexit__(None, None, None)
            finally:
                if self._process is not None:
                    await self._process.close()
                self._log.close()

    async def _first_of(
        self, event: asyncio.Event, *, within: float | None = None, also: asyncio.Task[None] | None = None
    ) -> None:
        """Waits for an event, the end of the program, a time, or a task."""
        events = [event] if self._process is None else [event, self._process.ended]
        waiting = [asyncio.create_task(each.wait()) for each in events]
        watched: list[asyncio.Task[Any]] = [*waiting, *([also] if also is not None else [])]
        try:
            await asyncio.wait(watched, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()

    def _tell_of_its_end(self) -> None:
        if not self._stop.is_set() and self._process is not None:
            self._fail(self._process.reason)
            self._tell("mcp-server-failed", f"the MCP server {self.server.name!r} has ended: {self.failure}")

    def _fail(self, reason: str) -> None:
        if not self.failure:
            self.failure = reason
            self._log.say(reason)

    def _and_gone(self) -> str:
        return f" (the MCP server is gone: {self.failure})" if self.failure else ""

    async def _list_prompts(self, toolset: MCPToolset[Any], seconds: float) -> None:
        """A server whose prompts cannot be had may have tools all the same."""
        try:
            async with asyncio.timeout(seconds / 2):
                self.prompts, left_out = prompts_of(self.server.slug, await toolset.list_prompts())
        except Exception as error:  # noqa: BLE001
            self._log.say(f"its prompts cannot be listed: {reason_of(error)}")
            return
        if left_out:
            self._tell("mcp-limit", f"{left_out} prompts of the MCP server {self.server.name!r} are left out")

    def _offer(self, tools: dict[str, ToolsetTool[Any]], count: int) -> None:
        found: dict[str, Offered] = {}
        for original, tool in tools.items():
            name = tool_name(self.server.slug, original, found)
            definition = offered(tool.tool_def, name, self._origin)
            if definition is not None and name not in found:
                found[name] = Offered(original, definition)
        self._offered = found
        if len(found) < count:
            message = f"{count - len(found):,} of {count:,} tools of the MCP server {self.server.name!r}"
            self._tell("mcp-limit", f"{message} are left out: there are too many, or their schemas are too large")
