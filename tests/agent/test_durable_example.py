"""The example of a durable agent, run as it stands, killed, and run again."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.llm.wire_models import bodies, system_of, until
from tests.support import Project

from xcsh.llm.reply import Delay, Reply, text
from xcsh.llm.sse_server import FakeModelServer

EXAMPLE = Path(__file__).parents[2] / "examples" / "durable_agent.py"
FORBIDDEN = Reply((text("let a: any = 1" + " and so on" * 100),), pace=0.01)
ALLOWED = Reply((text("let a: number = 1"),))
TREE = {
    ".xcsh/rules/no-any.md": "---\ncondition: ': any\\s'\n---\nNever write any.",
    ".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs.",
}


async def start(server: FakeModelServer, project: Project, database: Path) -> asyncio.subprocess.Process:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.fspath(project.home),
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "k",
        "NO_PROXY": "127.0.0.1",
        "PYDANTIC_AI_NO_BANNER": "1",
    }
    return await asyncio.create_subprocess_exec(
        *(sys.executable, os.fspath(EXAMPLE), os.fspath(database), "w1", "openai-chat:fake", "Declare a."),
        cwd=project.root,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )


async def test_the_durable_example_goes_on_after_a_crash_without_asking_again(project: Project, tmp_path: Path) -> None:
    # T-18, R-50: killed while the retry is on its way; the aborted request is not made a second time
    project.write(TREE)
    database = tmp_path / "steps.sqlite"
    waiting = Reply((text("let "), Delay(60.0), text("never sent")))
    async with asyncio.timeout(120), FakeModelServer([FORBIDDEN, waiting, ALLOWED]) as server:
        first = await start(server, project, database)
        await until(lambda: len(server.exchanges) == 2 and server.exchanges[1].sent > 1, seconds=60)
        first.kill()
        await first.wait()
        second = await start(server, project, database)
        printed, _ = await second.communicate()
    assert (second.returncode, printed.decode()) == (0, "let a: number = 1\n")
    stopped, _, again = server.exchanges
    assert stopped.sent < stopped.planned / 2
    assert "Use tabs." in system_of(bodies(server)[0])
    assert "Never write any." in str(again.request.body["messages"])
