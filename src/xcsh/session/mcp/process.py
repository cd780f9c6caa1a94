"""Runs an MCP server as a program and carries its messages: bounded lines, a bounded log, and no process left."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, SubprocessStreamProtocol
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from fastmcp.client.transports.base import ClientTransport, SessionKwargs, TransportOptions
from mcp import ClientSession
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from typing_extensions import Unpack

from xcsh.session.mcp.log import McpLog

LONGEST_LINE = 16_777_216
"""Bytes of one message; a server that writes a longer one is stopped."""

_MOST_GARBAGE = 1_000
"""Lines that are no messages, after which a server is stopped."""

_PATIENCE = 1.0
"""Seconds that a server gets to end by itself, and again to end when it is told to."""

_POLL = 0.01
_PAUSE_OF_A_FULL_LOG = 0.05
_CHUNK = 65_536


class ServerProcess(ClientTransport):
    """The framework's way to a server that is a program.

    The SDK's own way reads lines of any length into memory and lets a server fill the disk by its standard error.
    `ended` is set when the program can say nothing more; `reason` says why, in words.
    """

    legacy_only = False

    def __init__(self, command: tuple[str, ...], env: Mapping[str, str], cwd: str, log: McpLog) -> None:
        self._command = command
        self._env = env
        self._cwd = cwd
        self._log = log
        self._transport: asyncio.SubprocessTransport | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.ended = asyncio.Event()
        self.reason = ""

    @asynccontextmanager
    async def connect_session(
        self, *, transport_options: TransportOptions | None = None, **session_kwargs: Unpack[SessionKwargs]
    ) -> AsyncGenerator[ClientSession, None]:
        """Starts the program. OSError or ValueError: it cannot be started."""
        options = transport_options or TransportOptions()
        loop = asyncio.get_running_loop()
        self._transport, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(LONGEST_LINE, loop),
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=self._cwd,
            env=get_default_environment() | dict(self._env),
            start_new_session=True,
        )
        # Nothing is awaited before this `try`, lest a cancellation leave the program running.
        to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        try:
            self._tasks = [
                asyncio.ensure_future(self._read(protocol.stdout, to_session)),
                asyncio.ensure_future(self._write(protocol.stdin, from_session)),
                asyncio.ensure_future(self._read_errors(protocol.stderr)),
            ]
            async with options.session_class(incoming, outgoing, **session_kwargs) as session:
                yield session
        finally:
            for stream in (to_session, incoming, outgoing, from_session):
                stream.close()
            await self.close()

    async def close(self) -> None:
        """Ends the program and whatever it has started in its own process group. Every wait in it is bounded."""
        transport = self._transport
        if transport is None:
            return
        try:
            if (stdin := transport.get_pipe_transport(0)) is not None:
                stdin.close()
            if not await _exited(transport):
                _kill_group(transport, signal.SIGTERM)
                await _exited(transport)
        finally:  # also where this is cancelled: what follows waits for nothing but the death of what was killed
            self._transport = None
            _kill_group(transport, signal.SIGKILL)
            for task in self._tasks:
                task.cancel()
            try:
                await asyncio.shield(_exited(transport))
            finally:
                transport.close()
                self._end("it was stopped")

    def _end(self, reason: str) -> None:
        if not self.ended.is_set():
            self.reason = reason
            self.ended.set()

    async def _read(
        self, stdout: asyncio.StreamReader | None, session: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        garbage = 0
        try:
            while stdout is not None and (line := await stdout.readline()):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    garbage += bool(line.strip())
                    self._log.say(f"no message of MCP: {line[:200]!r}")
                    if garbage >= _MOST_GARBAGE:
                        self._end(f"{garbage} lines of its output are no messages of MCP")
                        return
                    continue
                await session.send(SessionMessage(message))
            if self._transport is not None:
                await _exited(self._transport)
            self._end(self._why_it_ended(garbage))
        except ValueError:
            self._end(f"it wrote a line of more than {LONGEST_LINE:,} bytes")
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass  # the session has ended first
        finally:
            session.close()

    def _why_it_ended(self, garbage: int) -> str:
        code = self._transport.get_returncode() if self._transport is not None else None
        why = "its program closed its output" if code is None else f"its program ended with exit code {code}"
        if code is not None and code < 0:
            why = f"its program was ended by signal {-code}"
        return f"{why}; {garbage} lines of its output were no messages of MCP" if garbage else why

    async def _write(
        self, stdin: asyncio.StreamWriter | None, session: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        with suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for message in session:
                if stdin is None:
                    return
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(f"{text}\n".encode())
                await stdin.drain()

    async def _read_errors(self, stderr: asyncio.StreamReader | None) -> None:
        while stderr is not None and (data := await stderr.read(_CHUNK)):
            self._log.write(data)
            if self._log.is_full:
                await asyncio.sleep(_PAUSE_OF_A_FULL_LOG)  # it goes on as slowly as that


async def _exited(transport: asyncio.SubprocessTransport) -> bool:
    """Whether the program has ended before long. Its own `wait` waits for the pipes too, which children may hold."""
    for _ in range(int(_PATIENCE / _POLL)):
        if transport.get_returncode() is not None:
            return True
        await asyncio.sleep(_POLL)
    return transport.get_returncode() is not None


def _kill_group(transport: asyncio.SubprocessTransport, number: signal.Signals) -> None:
    """The program leads a group of its own, which may outlive it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), number)
