"""Servers that speak OpenAI's wire get one system message, whatever the agent is made of."""

from __future__ import annotations

import pytest
from tests.llm.wire_models import bodies
from tests.support import Project

from xcsh.agent import build_agent
from xcsh.llm.choose import ModelChoice
from xcsh.llm.opening import open_model
from xcsh.llm.reply import Reply, text
from xcsh.llm.sse_server import FakeModelServer

DONE = Reply((text("done"),))


@pytest.mark.parametrize("name", ["openai-chat:local", "ollama:local"])
async def test_a_compatible_server_gets_one_system_message(
    project: Project, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # S-11, R-50: chat templates refuse a second one
    registry = project({".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs."})
    async with FakeModelServer([DONE]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OLLAMA_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        async with open_model(ModelChoice(name, "--model"), str(project.root)) as model:
            await build_agent(registry, model, str(project.root)).run("go")
    roles = [message["role"] for message in bodies(server)[0]["messages"]]
    assert roles == ["system", "user"]
    assert "Use tabs." in bodies(server)[0]["messages"][0]["content"]
