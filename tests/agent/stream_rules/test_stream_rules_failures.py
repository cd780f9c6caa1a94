"""A retry that the user stops, and one that fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, RunCancelled, UsageLimitExceeded
from pydantic_ai.usage import UsageLimits
from tests.agent.stream_rules.guarded import LONG, MODES, WIRES, guarded, no_any, reopened, run, sent_texts
from tests.llm.wire_models import scripted, until
from tests.support import Project

from xcsh.agent import RulesTriggeredEvent
from xcsh.llm.reply import Delay, Failure, Reply, Text, cut, text

BAD = Reply((Text(cut("let a: any = 1" + LONG)),))
SLOW = Reply((text("I start."), Delay(60), text("never sent")))
GOOD = Reply((text("done"),))


class CancelAtTrigger(AbstractCapability[Any]):
    """Cancels the run the moment that a rule triggers, as a key of a user does."""

    runs: list[Any]

    def __init__(self) -> None:
        self.runs = []

    async def on_event(self, ctx: RunContext[Any], *, event: object) -> None:
        del ctx
        if isinstance(event, RulesTriggeredEvent):
            self.runs[0].cancel()


@WIRES
async def test_cancelling_the_task_closes_the_retry(project: Project, wire: str) -> None:
    # T-16
    async with scripted(BAD, SLOW, wire=wire) as (model, server):
        task = asyncio.create_task(guarded(model, no_any(project)).run("go"))
        await until(lambda: len(server.exchanges) == 2 and server.exchanges[1].sent > 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.exchanges[1].closed_at is not None)
    assert len(server.exchanges) == 2


@WIRES
@MODES
async def test_cancelling_the_run_at_the_match_sends_no_retry(project: Project, wire: str, mode: str) -> None:
    # T-16: the user's interrupt wins over a pending retry
    stop = CancelAtTrigger()
    async with scripted(BAD, GOOD, wire=wire) as (model, server):
        rules = no_any(project, f'context_mode = "{mode}"')
        agent = Agent(model, capabilities=[rules, stop])
        with pytest.raises(RunCancelled) as caught:
            await _drive(agent, stop.runs)
        assert len(server.exchanges) == 1
        assert server.exchanges[0].closed_at is not None
        left = caught.value.all_messages()
        assert ("let a" in str(left)) == (mode == "keep")
        await run(agent, "more", message_history=reopened(left))  # what is left can be gone on with
    assert sent_texts(server)[-1].endswith("more")


async def _drive(agent: Agent[None, str], runs: list[Any]) -> None:
    async with agent.iter("go") as agent_run:
        runs.append(agent_run)
        async for _ in agent_run:
            pass


async def test_leaving_the_events_at_the_match_leaves_no_retry_running(project: Project) -> None:
    # T-16
    async with scripted(BAD, SLOW) as (model, server):
        async with guarded(model, no_any(project)).run_stream_events("go") as events:
            async for event in events:
                if isinstance(event, RulesTriggeredEvent):
                    break
        assert not any(exchange.completed for exchange in server.exchanges)


@WIRES
@MODES
@pytest.mark.parametrize("status", [400, 429, 500])
async def test_a_retry_that_fails_is_reported_with_the_rule(
    project: Project, wire: str, mode: str, status: int
) -> None:
    # T-16: the framework's own error, and a note of why there was another request
    async with scripted(BAD, Failure(status, "no"), wire=wire) as (model, server):
        with pytest.raises(ModelHTTPError) as caught:
            await guarded(model, no_any(project, f'context_mode = "{mode}"')).run("go")
    assert caught.value.status_code == status
    assert len(server.exchanges) == 2
    assert caught.value.__notes__ == ["this was the request that followed the stream rule no-any"]


async def test_a_failure_before_any_rule_has_no_note(project: Project) -> None:
    # T-16
    async with scripted(Failure(500, "no")) as (model, _):
        with pytest.raises(ModelHTTPError) as caught:
            await guarded(model, no_any(project)).run("go")
    assert not hasattr(caught.value, "__notes__")


async def test_a_failure_long_after_the_retry_has_no_note(project: Project) -> None:
    # T-16: the retry was answered
    async with scripted(BAD, GOOD, Failure(500, "no")) as (model, _):
        agent = guarded(model, no_any(project))
        first, _ = await run(agent)
        with pytest.raises(ModelHTTPError) as caught:
            await run(agent, message_history=first.all_messages())
    assert not hasattr(caught.value, "__notes__")


async def test_a_limit_of_requests_ends_the_turn_before_the_retry(project: Project) -> None:
    # T-16: aborted attempts count as requests
    async with scripted(BAD, GOOD) as (model, server):
        with pytest.raises(UsageLimitExceeded) as caught:
            await guarded(model, no_any(project)).run("go", usage_limits=UsageLimits(request_limit=1))
    assert len(server.exchanges) == 1
    assert isinstance(caught.value, AgentRunError)
    assert caught.value.__notes__ == ["this was the request that followed the stream rule no-any"]
