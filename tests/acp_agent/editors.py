"""An editor for tests: the protocol's own client, over real sockets, beside an agent in this process."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import acp
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.acp.agent import XcshAgent
from xcsh.acp.open_session import OpenedSession
from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.settings import permissions_of
from xcsh.api import Registry
from xcsh.llm.sse_server import FakeModelServer
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.session.keeping import keep_session, resume_session
from xcsh.session.store import resolve_session
from xcsh.session.store.listing import list_sessions
from xcsh.sources.mcp_entries import McpServer


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


@asynccontextmanager
async def editor(project: Project, *script: Any) -> AsyncGenerator[tuple[Any, Editor, FakeModelServer]]:
    """A connection to an agent over the project, the editor at its other end, and the model's server."""
    folder = os.fspath(project.home / "sessions")
    client = Editor()
    async with scripted(*script) as (model, server):

        @asynccontextmanager
        async def opener(
            cwd: str, session_id: str | None, servers: Sequence[McpServer], asked: OpenedSession
        ) -> AsyncGenerator[AgentSession]:
            kept = resume_session(resolve_session(folder, session_id)) if session_id else keep_session(folder, cwd, "m")

            def consent(registry: Registry) -> Consent:
                return Consent(permissions_of(registry, asks=True), asked.ask)

            session = await create_agent_session(
                model, cwd, home=os.fspath(project.home), kept=kept, consent=consent, mcp_servers=servers
            )
            async with session:
                yield session

        agent = XcshAgent(opener, lambda: list_sessions(folder))
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours)
        client_reader, client_writer = await asyncio.open_connection(sock=theirs)
        serving = asyncio.create_task(acp.run_agent(agent, writer, reader, use_unstable_protocol=True))
        connection = acp.connect_to_agent(client, client_writer, client_reader, use_unstable_protocol=True)
        try:
            yield connection, client, server
        finally:
            await connection.close()
            for each in (client_writer, writer):
                each.close()
            await agent.close()
            serving.cancel()
            await asyncio.wait({serving})
