"""Requests that fail for a reason that passes. Real HTTP, both wires."""

from __future__ import annotations

import asyncio

import pytest
from pydantic_ai import Agent
from tests.llm.wire_models import bodies, scripted, text_of

from xcsh.agent import run_turn
from xcsh.agent.events import MessageCompleted, MessageRetracted, RequestResent, TextDelta, TurnEvent
from xcsh.agent.resending import Resending
from xcsh.errors import FailedTurnError
from xcsh.llm.reply import Delay, Failure, HangUp, Reply, ToolCall, text

WIRES = pytest.mark.parametrize("wire", ["openai", "anthropic"])
CUT = Reply((text("half of an ans"), HangUp()))
STALLED = Reply((text("half of an ans"), Delay(30.0), text("wer")))
DONE = Reply((text("All of it."),))


class Pauses(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


async def turn(
    *script: Reply | Failure, wire: str = "openai", stall: float = 5.0
) -> tuple[str, list[TurnEvent], list[list[str]], Pauses]:
    events: list[TurnEvent] = []
    pauses = Pauses()
    async with scripted(*script, wire=wire) as (model, server):
        agent: Agent[object, str] = Agent(model, capabilities=[Resending(sleep=pauses, stall=stall)], deps_type=object)

        @agent.tool_plain
        def change() -> str:
            raise AssertionError("a tool of a response that broke off ran")

        result = await run_turn(agent, "go", events.append)
    return result.text, events, [[text_of(message) for message in body["messages"]] for body in bodies(server)], pauses


@WIRES
@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_a_status_that_passes_is_tried_again_after_a_pause_that_is_told(wire: str, status: int) -> None:
    # S-11, S-14
    answer, events, sent, pauses = await turn(Failure(status, "busy"), Failure(status, "busy"), DONE, wire=wire)
    assert answer == "All of it."
    resent = [event for event in events if isinstance(event, RequestResent)]
    assert [event.attempt for event in resent] == [2, 3]
    assert [event.delay for event in resent] == pauses
    assert 0.75 <= pauses[0] <= 1.25
    assert 1.5 <= pauses[1] <= 2.5
    assert str(status) in resent[0].reason
    assert not any(isinstance(event, MessageRetracted) for event in events)
    assert sent[0] == sent[1] == sent[2]


@WIRES
async def test_a_connection_that_is_cut_takes_back_what_was_shown(wire: str) -> None:
    # S-14
    answer, events, sent, _ = await turn(CUT, DONE, wire=wire)
    assert answer == "All of it."
    kinds = [type(event) for event in events]
    assert kinds.index(MessageRetracted) < kinds.index(RequestResent)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "half of an ansAll of it."
    assert events[-1] == MessageCompleted("All of it.")
    assert sent[0] == sent[1]


@WIRES
async def test_no_tool_of_a_response_that_broke_off_runs(wire: str) -> None:
    # S-12
    answer, *_ = await turn(Reply((ToolCall("c1", "change", ("{}",)), HangUp())), DONE, wire=wire)
    assert answer == "All of it."


async def test_a_stall_ends_the_request_and_it_is_made_again() -> None:
    # S-11
    async with asyncio.timeout(20):
        answer, events, _, _ = await turn(STALLED, DONE, stall=0.2)
    assert answer == "All of it."
    assert any(isinstance(event, RequestResent) for event in events)


async def test_what_does_not_pass_fails_at_once() -> None:
    # S-14
    with pytest.raises(FailedTurnError, match="HTTP 401"):
        await turn(Failure(401, "bad key"), DONE)


async def test_a_failure_that_stays_is_given_up_with_its_reason() -> None:
    # S-14
    with pytest.raises(FailedTurnError, match="HTTP 500"):
        await turn(*[Failure(500, "broken")] * 4, DONE)


async def test_the_count_begins_anew_with_each_answer() -> None:
    # S-14
    calls = Reply((ToolCall("c1", "look", ("{}",)),))
    pauses = Pauses()
    script = [Failure(500, "a"), Failure(500, "a"), Failure(500, "a"), calls, *[Failure(500, "b")] * 3, DONE]
    async with scripted(*script) as (model, _):
        agent: Agent[object, str] = Agent(model, capabilities=[Resending(sleep=pauses)], deps_type=object)

        @agent.tool_plain
        def look() -> str:
            return "seen"

        assert (await run_turn(agent, "go", lambda _: None)).text == "All of it."
    assert len(pauses) == 6
