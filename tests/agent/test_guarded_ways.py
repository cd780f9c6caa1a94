"""The ways to run an agent under stream rules, as docs/stream-rules.md lists them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai_harness.subagents import SubAgent, SubAgents
from tests.agent.guarded import LONG, no_any
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.agent.response_watch import ResponseInterruptedError
from xcsh.llm.reply import Reply, ToolCall, text

FORBIDDEN = Reply((text("let a: any = 1" + LONG),))
ALLOWED = Reply((text("let a: number = 1"),))

Guarded = Agent[None, str]


async def run(agent: Guarded) -> str:
    return (await agent.run("go")).output


async def iterate(agent: Guarded) -> str | None:
    async with agent.iter("go") as agent_run:
        async for _ in agent_run:
            pass
    return agent_run.result and agent_run.result.output


async def step(agent: Guarded) -> str | None:
    async with agent.iter("go") as agent_run:
        node: Any = agent_run.next_node
        while agent_run.result is None:
            node = await agent_run.next(node)
    return agent_run.result.output


async def stream_node(agent: Guarded) -> None:
    async with agent.iter("go") as agent_run:
        async for node in agent_run:
            if Agent.is_model_request_node(node):
                async with node.stream(agent_run.ctx) as stream:
                    async for _ in stream:
                        pass


async def run_stream(agent: Guarded) -> None:
    async with agent.run_stream("go") as stream:
        async for _ in stream.stream_text(delta=True):
            pass


@pytest.mark.parametrize("way", [run, iterate, step])
async def test_the_request_is_made_again(project: Project, way: Any) -> None:
    # T-8
    async with scripted(FORBIDDEN, ALLOWED) as (model, server):
        assert await way(Agent(model, capabilities=[no_any(project)])) == "let a: number = 1"
    assert [exchange.completed for exchange in server.exchanges] == [False, True]


@pytest.mark.parametrize("way", [stream_node, run_stream])
async def test_who_reads_the_stream_gets_the_interrupt(project: Project, way: Any) -> None:
    # T-8
    async with scripted(FORBIDDEN, ALLOWED) as (model, server):
        with pytest.raises(ResponseInterruptedError) as caught:
            await way(Agent(model, capabilities=[no_any(project)]))
    assert [match.rule for match in caught.value.matches] == ["no-any"]
    assert [exchange.completed for exchange in server.exchanges] == [False]


@pytest.mark.parametrize("given", ["shared", "own"])
async def test_another_agent_has_the_rules_that_it_is_given(project: Project, given: str) -> None:
    # T-18
    rules = no_any(project)
    writer = Agent(name="writer", description="writes", capabilities=[rules] if given == "own" else [])
    shared = [rules] if given == "shared" else []
    delegation = ToolCall("c1", "delegate_task", (json.dumps({"agent_name": "writer", "task": "write"}),))
    async with scripted(Reply((delegation,)), FORBIDDEN, ALLOWED, Reply((text("done"),))) as (model, server):
        agents = SubAgents[None](agents=[SubAgent(writer)], shared_capabilities=shared)
        assert await run(Agent(model, capabilities=[rules, agents])) == "done"
    assert [exchange.completed for exchange in server.exchanges] == [True, False, True, True]
