"""The example of a durable agent, run as it stands, killed, and run again."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from tests.llm.wire_models import bodies, system_of, until
from tests.support import Project
from tests.warm import WarmProcess, WarmPrograms

from xcsh.llm.reply import Delay, Reply, text
from xcsh.llm.sse_server import FakeModelServer

EXAMPLE = Path(__file__).parents[2] / "examples" / "durable_agent.py"
FORBIDDEN = Reply((text("let a: any = 1" + " and so on" * 100),), pace=0.05)
ALLOWED = Reply((text("let a: number = 1"),))
IMPORTS = ("dbos", "pydantic_ai.durable_exec.dbos", "pydantic_ai.models.openai", "tests.agent.stream_rules.guarded")
TREE = {
    ".xcsh/rules/no-any.md": "---\ncondition: ': any\\s'\n---\nNever write any.",
    ".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs.",
}


def start(warm: WarmPrograms, server: FakeModelServer, project: Project, database: Path) -> WarmProcess:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.fspath(project.home),
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "k",
        "NO_PROXY": "127.0.0.1",
        "PYDANTIC_AI_NO_BANNER": "1",
    }
    program = (EXAMPLE, database, "w1", "openai-chat:fake", "Declare a.")
    return warm.start(*program, env=env, cwd=project.root, imports=IMPORTS)


async def test_the_durable_example_goes_on_after_a_crash_without_asking_again(
    warm: WarmPrograms, project: Project, tmp_path: Path
) -> None:
    # T-18, R-50: killed while the retry is on its way; the aborted request is not made a second time
    project.write(TREE)
    database = tmp_path / "steps.sqlite"
    waiting = Reply((text("let "), Delay(60.0), text("never sent")))
    async with asyncio.timeout(120), FakeModelServer([FORBIDDEN, waiting, ALLOWED]) as server:
        first = start(warm, server, project, database)
        await until(lambda: len(server.exchanges) == 2 and server.exchanges[1].sent > 1, seconds=60)
        first.send_signal(signal.SIGKILL)
        assert (await asyncio.to_thread(first.ended)).returncode == -signal.SIGKILL
        second = start(warm, server, project, database)
        done = await asyncio.to_thread(second.ended)
    assert (done.returncode, done.stdout) == (0, "let a: number = 1\n")
    stopped, _, again = server.exchanges
    assert stopped.sent < stopped.planned / 2
    assert "Use tabs." in system_of(bodies(server)[0])
    assert "Never write any." in str(again.request.body["messages"])
