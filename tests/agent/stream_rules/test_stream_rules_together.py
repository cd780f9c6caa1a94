"""Stream rules beside other runs, other messages and other agents."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai_harness.coder import Coder
from tests.agent.stream_rules.guarded import WIRES, guarded, no_any, prompts, run, triggered
from tests.agent.stream_rules.strict_wires import check_anthropic, check_requests
from tests.llm.wire_models import answering, bodies, scripted
from tests.support import Project

from xcsh.agent import RulesTriggeredEvent
from xcsh.llm.reply import Reply, Text, ToolCall, WireRequest, cut, text

BAD = Reply((Text(cut("let a: any = 1")), text(" and more")))
GOOD = Reply((text("done"),))


async def test_runs_at_the_same_time_do_not_see_each_other(project: Project) -> None:
    # T-6: the halves of a match in two runs are no match, and one run's `once` silences no other
    def respond(request: WireRequest) -> Reply:
        told = json.dumps(request.body)
        if "system-interrupt" in told:
            return Reply((text("put right"),), pace=0.001)
        name = next(name for name in ("first", "second", "third", "fourth") if name in told)
        said = {"first": "let a: an", "second": "y = 1", "third": "let a: any = 1", "fourth": "so a: any too"}[name]
        return Reply((text(said, 1),), pace=0.001)

    async with answering(respond) as (model, server):
        agent = guarded(model, no_any(project))
        runs = [run(agent, name) for name in ("first", "second", "third", "fourth")]
        outcomes = await asyncio.gather(*runs)
    assert [result.output for result, _ in outcomes] == ["let a: an", "y = 1", "put right", "put right"]
    assert [len(triggered(events)) for _, events in outcomes] == [0, 0, 1, 1]
    assert len(server.exchanges) == 6
    assert [len(prompts(result.all_messages())) for result, _ in outcomes] == [1, 1, 2, 2]


@WIRES
@pytest.mark.parametrize("priority", ["asap", "when_idle"])
async def test_what_the_user_said_meanwhile_arrives_once_and_in_its_place(
    project: Project, wire: str, priority: Any
) -> None:
    # T-8: the queue of messages outlives the abort
    async with scripted(BAD, GOOD, GOOD, wire=wire) as (model, server):
        agent = guarded(model, no_any(project))
        async with agent.iter("go") as agent_run:
            agent_run.enqueue("and mind the tests", priority=priority)
            agent_run.enqueue("and the docs", priority=priority)
            async for _ in agent_run:
                pass
    result = agent_run.result
    assert result is not None
    said = [prompt if len(prompt) < 40 else "RULE" for prompt in prompts(result.all_messages())]
    steering = ["and mind the tests", "and the docs"]
    assert said == (["go", *steering, "RULE"] if priority == "asap" else ["go", "RULE", *steering])
    assert json.dumps(bodies(server)[-1]).count("and mind the tests") == 1
    if wire == "anthropic":
        check_requests(server)


@WIRES
async def test_a_message_queued_while_the_response_streams_comes_after_the_rule(project: Project, wire: str) -> None:
    # T-8: steering that arrives during the attempt that is aborted
    async with scripted(BAD, GOOD, wire=wire) as (model, server):
        agent = guarded(model, no_any(project))

        async with agent.iter("go") as agent_run:
            task = asyncio.create_task(_drive(agent_run))
            while not server.exchanges:  # noqa: ASYNC110 - the server knows nothing of the test
                await asyncio.sleep(0)
            agent_run.enqueue("and mind the tests", priority="asap")
            await task
    assert agent_run.result is not None
    said = [prompt if len(prompt) < 40 else "RULE" for prompt in prompts(agent_run.result.all_messages())]
    assert said == ["go", "RULE", "and mind the tests"]
    for body in bodies(server):
        if wire == "anthropic":
            check_anthropic(body)
    assert json.dumps(bodies(server)[-1]).count("and mind the tests") == 1


async def _drive(agent_run: Any) -> None:
    async for _ in agent_run:
        pass


async def test_an_agent_that_gets_a_task_is_held_to_the_same_rules(project: Project, tmp_path: Path) -> None:
    # T-18
    seen: list[str] = []

    def respond(request: WireRequest) -> Reply:
        told = json.dumps(request.body["messages"])
        if "do the sub task" in told and "delegated" not in told:
            inner = "INNER RETRY" if "system-interrupt" in told else "INNER"
            seen.append(inner)
            return GOOD if inner == "INNER RETRY" else BAD
        if '"role": "tool"' in told:
            seen.append("OUTER END")
            return Reply((text("all done"),))
        seen.append("OUTER")
        arguments = json.dumps({"agent_name": "self", "task": "do the sub task"})
        return Reply((text("delegated"), ToolCall("s", "delegate_task", cut(arguments))))

    async with answering(respond) as (model, server):
        capabilities = [LocalWorkspace[None](str(tmp_path)), Coder[None](repo_context=False), no_any(project)]
        result, events = await run(Agent(model, capabilities=capabilities))
    assert result.output == "all done"
    assert seen == ["OUTER", "INNER", "INNER RETRY", "OUTER END"]
    assert server.exchanges[1].closed_at is not None
    assert not any("system-interrupt" in prompt for prompt in prompts(result.all_messages()))
    assert not any(isinstance(event, RulesTriggeredEvent) for event in events)  # the events of a sub-agent are its own
