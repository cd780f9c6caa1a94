"""What aborted requests add to the usage of a run."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.usage import UsageLimits
from tests.agent.stream_rules.guarded import LONG, MODES, WIRES, guarded, no_any, rule, rules_of, run
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.agent import RulesTriggeredEvent
from xcsh.llm.reply import Reply, Text, cut, text

BAD = Reply((Text(cut("let a: any = 1" + LONG)),))
GOOD = Reply((text("done"),))


@WIRES
@MODES
async def test_an_aborted_request_counts_with_an_estimate_of_what_was_not_reported(
    project: Project, wire: str, mode: str
) -> None:
    # T-8, T-9: the OpenAI wire reports nothing before the end, the other one the input and a first token of output
    async with scripted(BAD, GOOD, wire=wire) as (model, _):
        result, events = await run(guarded(model, no_any(project, f'context_mode = "{mode}"')), "go" * 40)
    [event] = [event for event in events if isinstance(event, RulesTriggeredEvent)]
    usage = result.usage
    assert usage.requests == 2
    assert event.unreported_tokens > 0
    assert usage.total_tokens == (26 if wire == "anthropic" else 15) + event.unreported_tokens
    if wire == "anthropic":
        assert usage.input_tokens == 20  # both requests reported theirs
    else:
        assert 10 + 20 < usage.input_tokens < 10 + 80  # the prompt and the instructions, not what was written


@WIRES
async def test_a_response_that_ended_before_the_match_was_decided_is_not_estimated(project: Project, wire: str) -> None:
    # T-7a, T-8: its provider reported everything
    rules = rules_of(project, no_end=rule(r"the end$", "Never end."))
    async with scripted(Reply((text("a long story " * 20 + "the end"),)), GOOD, wire=wire) as (model, _):
        result, events = await run(guarded(model, rules))
    assert [event.unreported_tokens for event in events if isinstance(event, RulesTriggeredEvent)] == [0]
    assert result.usage.requests == 2
    assert (result.usage.input_tokens, result.usage.output_tokens) == (20, 10)


@WIRES
async def test_a_limit_of_requests_sees_aborted_ones(project: Project, wire: str) -> None:
    # T-15: another bound for a loop
    async with scripted(BAD, GOOD, GOOD, wire=wire) as (model, server):
        agent: Agent[None, str] = guarded(model, no_any(project))
        result = await agent.run("go", usage_limits=UsageLimits(request_limit=2))
        assert result.usage.requests == 2
        with pytest.raises(UsageLimitExceeded):
            await agent.run("go", message_history=result.all_messages(), usage_limits=UsageLimits(request_limit=0))
    assert len(server.exchanges) == 2


async def test_a_limit_of_tokens_sees_the_estimate(project: Project) -> None:
    # T-8: what the aborted request used is in the usage before the retry is sent
    async with scripted(BAD, GOOD) as (model, server):
        with pytest.raises(UsageLimitExceeded):
            await guarded(model, no_any(project)).run("go" * 4000, usage_limits=UsageLimits(input_tokens_limit=500))
    assert len(server.exchanges) == 1
