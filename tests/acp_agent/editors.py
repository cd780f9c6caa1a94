"""An editor for tests: the protocol's own client, over real sockets, beside an agent in this process."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import acp
import pytest
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.acp.agent import XcshAgent
from xcsh.acp.open_session import OpenedSession
from xcsh.acp.wire import only_messages
from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.settings import permissions_of
from xcsh.api import Registry
from xcsh.llm.choose import ModelChoice
from xcsh.llm.opening import open_model
from xcsh.llm.sse_server import FakeModelServer
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.session.keeping import keep_session, resume_session
from xcsh.session.store import resolve_session
from xcsh.session.store.listing import list_sessions
from xcsh.sources.mcp.entries import McpServer


class Editor(acp.Client):
    """Remembers every update, and answers questions with `choose`: the name of an option's kind, or nothing."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.questions: list[Any] = []
        self.choose = "allow_once"

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        del session_id
        self.updates.append(update)

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_: Any
    ) -> RequestPermissionResponse:
        del session_id
        self.questions.append((tool_call, options))
        chosen = next((option for option in options if option.kind == self.choose), None)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen.option_id))

    @property
    def text(self) -> str:
        """What the agent has said."""
        return "".join(each.content.text for each in self.of("agent_message_chunk"))

    def of(self, kind: str) -> list[Any]:
        """The updates of a kind."""
        return [each for each in self.updates if each.session_update == kind]


class Wire:
    """The client's end of an agent's pipes: lines that need be no messages go out, messages come in."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, held_back: Callable[[], int]
    ) -> None:
        self.reader, self.writer = reader, writer
        self.held_back = held_back
        """Bytes that the agent has written and the pipe has no room for."""
        self.received: list[dict[str, Any]] = []

    def write(self, line: bytes) -> None:
        self.writer.write(line + b"\n")

    def send(self, **message: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(30):
            line = await self.reader.readline()
        message = json.loads(line, parse_constant=pytest.fail)  # every line is one of the protocol; NaN is no JSON
        assert message["jsonrpc"] == "2.0"
        self.received.append(message)
        return message

    async def answer(self, call_id: object) -> dict[str, Any]:
        """The answer to a request; what comes before it is kept in `received`."""
        while (message := await self.receive()).get("id") != call_id or "method" in message:
            pass
        return message

    async def ask(self, call_id: object, method: str, **params: Any) -> dict[str, Any]:
        self.send(id=call_id, method=method, params=params)
        return await self.answer(call_id)

    def updates(self, kind: str) -> list[dict[str, Any]]:
        """The updates of a kind that were received."""
        told = [each["params"]["update"] for each in self.received if each.get("method") == "session/update"]
        return [each for each in told if each["sessionUpdate"] == kind]


@asynccontextmanager
async def editor(
    project: Project, *script: Any, created: Callable[[AgentSession], object] = id
) -> AsyncGenerator[tuple[Any, Editor, FakeModelServer]]:
    """A connection to an agent over the project, the editor at its other end, and the model's server."""
    client = Editor()
    async with wire(project, *script, created=created) as (pipes, server):
        connection = acp.connect_to_agent(client, pipes.writer, pipes.reader, use_unstable_protocol=True)
        try:
            yield connection, client, server
        finally:
            await connection.close()


@asynccontextmanager
async def wire(
    project: Project, *script: Any, longest: int = 2**24, home: str = "", created: Callable[[AgentSession], object] = id
) -> AsyncGenerator[tuple[Wire, FakeModelServer]]:
    """An agent over the project as the verb runs it, the client's end of its pipes, and the model's server.

    `created` gets each session.
    """
    folder = os.fspath(project.home / "sessions")
    async with scripted(*script) as (model, server):

        @asynccontextmanager
        async def opener(
            cwd: str, session_id: str | None, servers: Sequence[McpServer], asked: OpenedSession
        ) -> AsyncGenerator[AgentSession]:
            kept = resume_session(resolve_session(folder, session_id)) if session_id else keep_session(folder, cwd, "m")

            def consent(registry: Registry) -> Consent:
                return Consent(permissions_of(registry, asks=True), asked.ask)

            session = await create_agent_session(
                model,
                cwd,
                home=home or os.fspath(project.home),
                kept=kept,
                consent=consent,
                mcp_servers=servers,
                open_model=lambda name: open_model(ModelChoice(name, "chosen"), cwd),
            )
            created(session)
            async with session:
                yield session

        async def serve() -> None:
            async with only_messages(reader, writer, longest) as messages:
                await acp.run_agent(agent, writer, messages, use_unstable_protocol=True)

        agent = XcshAgent(opener, lambda: list_sessions(folder))
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours, limit=longest)
        held_back = writer.transport.get_write_buffer_size
        pipes = Wire(*await asyncio.open_connection(sock=theirs, limit=2**24), held_back)
        serving = asyncio.create_task(serve())
        try:
            yield pipes, server
        finally:
            pipes.writer.close()
            await agent.close()
            serving.cancel()
            await asyncio.wait({serving})
            writer.close()
