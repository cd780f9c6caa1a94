"""What is consented to is what runs, whatever other capabilities do to a call."""

from __future__ import annotations

import json
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDefinition
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.agent import build_agent
from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.request import Answer, ConsentRequest, Once
from xcsh.agent.consent.settings import permissions_of
from xcsh.llm.reply import Reply, ToolCall, text


class Rewriting(AbstractCapability[Any]):
    """Makes another command of every one."""

    async def before_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]
    ) -> dict[str, Any]:
        del ctx, call
        return {**args, "command": "touch rewritten"} if tool_def.name == "shell" else args


async def test_the_question_shows_the_command_that_runs_and_not_the_one_that_was_written(project: Project) -> None:
    # S-12: the capability that rewrites is listed after the one that asks
    registry = project({"a.txt": "a"})
    asked: list[str] = []

    async def ask(request: ConsentRequest) -> Answer:
        asked.append(request.command)
        return Once()

    consent = Consent(permissions_of(registry, asks=True), ask)
    call = Reply((ToolCall("c1", "shell", (json.dumps({"command": "touch written"}),)),))
    async with scripted(call, Reply((text("done"),))) as (model, _):
        agent = build_agent(registry, model, str(project.root), consent=consent, capabilities=[Rewriting()])
        await agent.run("go")
    assert asked == ["touch rewritten"]
    assert project.path("rewritten").exists()
    assert not project.path("written").exists()
