"""What stream rules do at the edges of a response: which stream interrupts, what is kept, how the request ends."""

from __future__ import annotations

import json

import pytest
from pydantic_ai.messages import ModelRequest, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from tests.agent.stream_rules.guarded import LONG, WIRES, guarded, interrupts, no_any, reminders, run, shape, triggered
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import bodies, scripted, until
from tests.support import Project

from xcsh.agent.stream_rules.response_watch import ResponseInterruptedError
from xcsh.llm.reply import Reply, Text, Thinking, ToolCall, cut, text

GOOD = Reply((text("done"),))
BAD = Reply((Text(cut("let a: any = 1" + LONG)),))
BAD_CALL = Reply((ToolCall("t0", "bash", cut(json.dumps({"command": "echo ': any ' > a.ts"}))),))


@WIRES
async def test_a_rule_that_interrupts_tools_only_stops_the_call_after_it_was_met_in_prose(
    project: Project, wire: str
) -> None:
    # T-12: one message carries the rule, and the call does not run
    reply = Reply((Text(cut("let a: any = 1 ")), *BAD_CALL.pieces))
    ran: list[str] = []
    async with scripted(reply, GOOD, wire=wire) as (model, server):
        _, events = await run(guarded(model, no_any(project, interruptMode="tool-only"), ran))
    assert ran == []
    assert triggered(events) == [("no-any",)]
    assert [interrupts(server), reminders(server)] == [1, 0]
    check_requests(server)


@WIRES
async def test_a_call_that_stood_before_the_text_is_not_kept(project: Project, wire: str) -> None:
    # T-9
    reply = Reply((ToolCall("t0", "bash", cut('{"command": "ls"}')), Text(cut("let a: any = 1" + LONG))))
    async with scripted(reply, GOOD, wire=wire) as (model, server):
        result, _ = await run(guarded(model, no_any(project, 'context_mode = "keep"')))
    assert not any(isinstance(part, ToolCallPart) for message in result.all_messages() for part in message.parts)
    check_requests(server)


@WIRES
async def test_text_of_nothing_but_space_is_not_kept(project: Project, wire: str) -> None:
    # T-9
    reply = Reply((Text(("\n\n",)), *BAD_CALL.pieces))
    async with scripted(reply, GOOD, wire=wire) as (model, server):
        result, _ = await run(guarded(model, no_any(project, 'context_mode = "keep"')))
    assert shape(result.all_messages()) == ["request user-prompt", "request user-prompt", "response text"]
    check_requests(server)


@WIRES
async def test_the_connection_is_closed_at_the_match_and_not_when_the_stream_is_left(
    project: Project, wire: str
) -> None:
    # T-8
    async with scripted(BAD, wire=wire) as (model, server):
        watched = no_any(project).get_wrapper_model(model)
        assert watched is not None
        messages = [ModelRequest.user_text_prompt("go")]
        async with watched.request_stream(messages, None, ModelRequestParameters()) as stream:
            with pytest.raises(ResponseInterruptedError):
                _ = [event async for event in stream]
            await until(lambda: server.exchanges[0].closed_at is not None)
            assert stream.cancelled


async def test_anthropic_is_asked_to_stream_the_arguments_of_tools(project: Project) -> None:
    # T-3: without it they arrive in one piece
    async with scripted(GOOD, wire="anthropic") as (model, server):
        await run(guarded(model, no_any(project)))
    assert all(tool.get("eager_input_streaming") is True for tool in bodies(server)[0]["tools"])


@WIRES
async def test_the_text_of_a_response_is_one_stream_whatever_stands_between(project: Project, wire: str) -> None:
    # T-6
    split = Reply((Text(("x: a",)), Thinking(("hm",)), Text(("ny here, and more" + LONG,))))
    async with scripted(split, GOOD, wire=wire) as (model, server):
        result, events = await run(guarded(model, no_any(project)))
    assert result.output == "done"
    assert triggered(events) == [("no-any",)]
    assert interrupts(server) == 1


async def test_the_beginning_of_the_text_is_where_the_response_begins(project: Project) -> None:
    # T-6
    call = ToolCall("t0", "bash", cut('{"command": "ls"}'))
    reply = Reply((Text(cut("I look. ")), call, Text(cut("any more"))))
    async with scripted(reply, GOOD, wire="anthropic") as (model, server):
        _, events = await run(guarded(model, no_any(project, condition="^any")))
    assert triggered(events) == []
    assert len(server.exchanges) == 2
