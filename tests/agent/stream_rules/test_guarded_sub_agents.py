"""Sub-agents under stream rules, as docs/stream-rules.md says of them."""

from __future__ import annotations

import json

import pytest
from pydantic_ai import Agent
from pydantic_ai_harness.subagents import SubAgent, SubAgents
from tests.agent.stream_rules.guarded import LONG, no_any
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.llm.reply import Reply, ToolCall, text

FORBIDDEN = Reply((text("let a: any = 1" + LONG),))
ALLOWED = Reply((text("let a: number = 1"),))

Guarded = Agent[None, str]


@pytest.mark.parametrize("given", ["shared", "own"])
async def test_another_agent_has_the_rules_that_it_is_given(project: Project, given: str) -> None:
    # T-18
    rules = no_any(project)
    writer = Agent(name="writer", description="writes", capabilities=[rules] if given == "own" else [])
    shared = [rules] if given == "shared" else []
    delegation = ToolCall("c1", "delegate_task", (json.dumps({"agent_name": "writer", "task": "write"}),))
    async with scripted(Reply((delegation,)), FORBIDDEN, ALLOWED, Reply((text("done"),))) as (model, server):
        agents = SubAgents[None](agents=[SubAgent(writer)], shared_capabilities=shared)
        assert (await Agent(model, capabilities=[rules, agents]).run("go")).output == "done"
    assert [exchange.completed for exchange in server.exchanges] == [True, False, True, True]
