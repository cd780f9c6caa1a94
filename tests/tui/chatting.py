"""The terminal application over a real session and a scripted model server, for tests."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.llm.wire_models import scripted, until
from tests.support import Project, Tree
from textual.pilot import Pilot

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.settings import permissions_of
from xcsh.llm.reply import Failure, Reply
from xcsh.llm.sse_server import FakeModelServer
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.tui.app import ChatApp
from xcsh.tui.front_end import FrontEnd
from xcsh.tui.opening import Opening
from xcsh.tui.status_line import StatusLine


@asynccontextmanager
async def chat(
    project: Project, *script: Reply | Failure, tree: Tree | None = None, size: tuple[int, int] = (100, 30)
) -> AsyncGenerator[tuple[ChatApp, Pilot[None], FakeModelServer]]:
    project.write(tree or {})
    async with scripted(*script) as (model, server):

        @asynccontextmanager
        async def open_session(_: Opening | None, front: FrontEnd) -> AsyncGenerator[AgentSession]:
            session = await create_agent_session(
                model,
                os.fspath(project.root),
                home=os.fspath(project.home),
                consent=lambda registry: Consent(permissions_of(registry, asks=True), front.ask),
            )
            async with session:
                yield session

        app = ChatApp(open_session, title=lambda: "xcsh")
        async with app.run_test(size=size) as pilot:
            await until(lambda: app.conversation.session is not None)
            yield app, pilot, server
            app.action_leave()


def shown(app: ChatApp) -> str:
    return app.transcript.plain


def status_of(app: ChatApp) -> str:
    return str(app.screen_stack[0].query_one(StatusLine).content)


async def typed(pilot: Pilot[None], text: str, *keys: str) -> None:
    app = pilot.app
    assert isinstance(app, ChatApp)
    app.prompt.put(text)
    await pilot.pause()
    await pilot.press(*(keys or ("enter",)))
