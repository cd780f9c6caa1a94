"""The example of an agent of one's own under stream rules, run as it stands."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from tests.llm.wire_models import bodies, text_of
from tests.support import Project

from xcsh.agent import StreamRules
from xcsh.llm.reply import Reply, text
from xcsh.llm.sse_server import FakeModelServer

CHECKOUT = Path(__file__).parents[3]
EXAMPLE = CHECKOUT / "examples" / "guarded_agent.py"
# Slow enough that the end of the connection is seen before everything is written into it.
FORBIDDEN = Reply((text("let a: any = 1" + " and so on" * 100),), pace=0.05)
ALLOWED = Reply((text("let a: number = 1"),))


async def run_example(server: FakeModelServer, project: Project) -> tuple[int | None, str]:
    """The exit code of the example in the project's folder, and what it printed on both streams."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.fspath(project.home),
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "k",
        "NO_PROXY": "127.0.0.1",
    }
    example = await asyncio.create_subprocess_exec(
        *(sys.executable, os.fspath(EXAMPLE), "openai-chat:fake", "Declare a."),
        cwd=project.root,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(60):
        printed, _ = await example.communicate()
    return example.returncode, printed.decode()


async def test_the_example_names_the_rule_that_stopped_the_model_and_prints_the_answer_that_follows(
    project: Project,
) -> None:
    # T-8, T-17
    project.write({".xcsh/rules/no-any.md": "---\ncondition: ': any\\s'\n---\nNever write any."})
    async with FakeModelServer([FORBIDDEN, ALLOWED]) as server:
        code, printed = await run_example(server, project)
    assert (code, printed) == (0, "stopped by no-any\nlet a: number = 1\n")
    stopped, again = server.exchanges
    assert stopped.closed_at is not None
    assert stopped.sent < stopped.planned / 2
    assert again.completed
    assert "Never write any." in text_of(bodies(server)[1]["messages"][-1])


def test_the_page_shows_the_example_as_it_stands() -> None:
    page = CHECKOUT.joinpath("docs/stream-rules.md").read_text(encoding="utf-8")
    assert f"```python\n{EXAMPLE.read_text(encoding='utf-8')}```" in page


async def test_every_request_of_a_guarded_agent_is_streamed_as_the_page_says(project: Project) -> None:
    # T-18
    project.write({".xcsh/rules/no-any.md": "---\ncondition: ': any\\s'\n---\nNever write any."})
    rules = StreamRules.discover(project.root, home=project.home)
    whole = FunctionModel(lambda *_: ModelResponse([TextPart("let a = 1")]))
    with pytest.raises(AssertionError, match="must receive a `stream_function`"):
        await Agent(whole, capabilities=[rules]).run("go")
    assert (await Agent(TestModel(custom_output_text="let a = 1"), capabilities=[rules]).run("go")).output
    with pytest.raises(NotADirectoryError):
        StreamRules.discover(project.root / "none")
