"""After a move the prompt offers what the new folder has (C-31)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.llm.wire_models import scripted, until
from tests.support import Project
from tests.tui.chatting import shown
from tests.tui.input.test_prompt_input import keys, offered

from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.tui.app import ChatApp
from xcsh.tui.dashboard.screen import Dashboard
from xcsh.tui.front_end import FrontEnd
from xcsh.tui.opening import Opening
from xcsh.tui.waiting import Waiting


async def test_commands_and_files_are_those_of_the_folder_that_was_moved_to(project: Project) -> None:
    # C-31, S-22
    project.write(
        {".xcsh/commands/here.md": "Here.", "near.txt": "", "sub/.xcsh/commands/there.md": "There.", "sub/far.txt": ""}
    )
    may_open = asyncio.Event()
    async with scripted() as (model, _):

        @asynccontextmanager
        async def open_session(opening: Opening | None, front: FrontEnd) -> AsyncGenerator[AgentSession]:
            if opening is not None:
                await may_open.wait()
            cwd = opening.cwd if opening is not None and opening.cwd else os.fspath(project.root)
            async with await create_agent_session(model, cwd, home=os.fspath(project.home)) as session:
                yield session

        app = ChatApp(open_session)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(lambda: app.conversation.session is not None)
            first = app.conversation.session
            await keys(pilot, "/here")
            assert offered(app)[0] == "/here"
            await app.conversation.submit("/move sub")
            await until(lambda: app.conversation.session is None)
            await pilot.press("f2")
            assert "⧗ /extensions  when the session is open" in str(app.query_one(Waiting).content)
            may_open.set()
            await until(lambda: app.conversation.session not in (None, first))
            await until(lambda: isinstance(app.screen, Dashboard))
            await pilot.press("escape")
            await until(
                lambda: "now in" in shown(app)
            )  # what is said of the move is not taken away with what was shown
            await until(lambda: "/here" not in offered(app))
            assert app.prompt.text == "/here"
            app.prompt.put("/there")
            await until(lambda: offered(app)[:1] == ["/there"])
            app.prompt.put("@far")
            await until(lambda: offered(app) == ["@far.txt"])
            app.action_leave()
