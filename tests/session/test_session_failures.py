"""Requests that fail, in every way that they do: told, made again where that is safe, and nothing lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from tests.agent.stream_rules.strict_wires import check_anthropic, check_openai, check_requests
from tests.llm.wire_models import ANTHROPIC, OPENAI, model_at
from tests.session.mcp.raw_server import error, raw_server, stream
from tests.session.sessions import Conversation, calls, conversation, says, slow
from tests.support import Project

from xcsh.agent.events import MessageRetracted, RequestResent, ToolCalled
from xcsh.agent.resending import Resending
from xcsh.llm.reply import Delay, Failure, HangUp, Reply, ToolCall, text
from xcsh.session.creating import create_agent_session
from xcsh.session.events import TurnCompleted, TurnFailed

WIRES = pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
CUT = Reply((text("half an answer"), HangUp()))
STALL = Reply((text("half an answer"), Delay(60), text("late")))
CUT_CALL = Reply((ToolCall("c1", "read_file", ('{"pa',)), HangUp()))


def quick(**more: Any) -> Resending:
    return Resending(**{"attempts": 3, "pause": 0.001, "stall": 0.2, **more})


PASSING = {
    "429": Failure(429, "slow down"),
    "500": Failure(500, "down"),
    "503": Failure(503, "busy"),
    "cut": CUT,
    "cut-in-a-call": CUT_CALL,
    "stall": STALL,
}
LASTING = {"401": Failure(401, "bad key"), "400": Failure(400, "prompt is too long: 250000 tokens > 200000 maximum")}


@WIRES
@pytest.mark.parametrize("failure", PASSING)
async def test_what_passes_is_tried_again_and_the_answer_comes(project: Project, wire: str, failure: str) -> None:
    # S-11, S-14
    script = (PASSING[failure], PASSING[failure], says("there"), says("more"))
    async with conversation(project, *script, wire=wire, resending=quick()) as talk:
        assert (await talk.session.prompt("go")).text == "there"
        assert [event.attempt for event in talk.of(RequestResent)] == [2, 3]
        shown = failure in ("cut", "stall", "cut-in-a-call")
        assert len(talk.of(MessageRetracted)) == (2 if shown else 0)
        await talk.session.prompt("on")
        assert talk.written() == ["go", "on"]
        check_requests(talk.server)


@WIRES
@pytest.mark.parametrize("failure", [*PASSING, *LASTING])
async def test_what_does_not_pass_is_told_and_leaves_everything_in_order(
    project: Project, wire: str, failure: str
) -> None:
    # S-11, S-14: the queue is kept, and the next prompt sends a history that is valid
    reply = {**PASSING, **LASTING}[failure]
    begun = slow("an answer that goes well for a while, with a call at its end")
    begun = begun._replace(pieces=(*begun.pieces, *calls("read_file", {"path": "a.txt"}).pieces))
    failing = [reply] * (3 if failure in PASSING else 1)
    script = (begun, *failing, says("better"), says("soon"), says("later"))
    async with conversation(project, *script, tree={"a.txt": "x"}, wire=wire, resending=quick()) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        await talk.session.follow_up("and then")
        await talk.session.steer("by the way")
        assert (await turn).outcome == "failed"
        (failed,) = talk.of(TurnFailed)
        assert failed.message
        assert failed.hint
        assert len(talk.of(ToolCalled)) == 1
        assert talk.session.queue.texts("follow_up") == ("and then",)
        assert (talk.written() + list(talk.session.queue.texts("steer"))).count("by the way") == 1
        assert (await talk.session.prompt("again")).outcome == "completed"
        await talk.session.wait_idle()
        assert sorted(talk.written()) == sorted(["go", "by the way", "again", "and then"])
        assert talk.session.queue.entries == ()
        check_requests(talk.server)


async def test_a_server_that_is_gone_between_turns_is_told(project: Project) -> None:
    # S-11
    async with conversation(project, says("one"), resending=quick()) as talk:
        await talk.session.prompt("go")
        await talk.server.__aexit__()
        assert (await talk.session.prompt("on")).outcome == "failed"
        assert len(talk.of(RequestResent)) == 2
        await talk.server.__aenter__()
        assert talk.written() == ["go", "on"]


BROKEN = {
    OPENAI: stream('data: {"id": "x", "object": "chat.completion.chunk", "choi'),
    ANTHROPIC: stream('event: message_start\ndata: {"type": "message_start", "mess'),
}
FINE = {
    OPENAI: stream(
        *(
            "data: "
            + json.dumps({
                "id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            })
            for delta, finish in (({"role": "assistant", "content": "fine"}, None), ({}, "stop"))
        ),
        "data: [DONE]",
    ),
    ANTHROPIC: stream(
        *(
            f"event: {event['type']}\ndata: {json.dumps(event)}"
            for event in (
                {"type": "message_start", "message": {
                    "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
                    "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
                }},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "fine"}},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                 "usage": {"output_tokens": 1}},
                {"type": "message_stop"},
            )
        )
    ),
}  # fmt: skip


async def talked(project: Project, wire: str, answers: Sequence[bytes], *texts: str, **more: Any) -> Any:
    """A conversation with a raw server; returns it when it is over."""
    async with raw_server(*answers) as server, model_at(server, wire) as model:  # type: ignore[arg-type]
        session = await create_agent_session(model, project.root, home=project.home, **more)
        async with session:
            talk = Conversation(session, server)  # type: ignore[arg-type]
            for each in texts:
                await session.prompt(each)
    check = check_openai if wire == OPENAI else check_anthropic
    for body in server.bodies:
        check(body)
    return talk


@WIRES
async def test_the_pause_is_the_one_that_the_provider_names(project: Project, wire: str) -> None:
    # S-11
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    answers = (error(429, "slow down", retry_after="7"), FINE[wire])
    talk = await talked(project, wire, answers, "go", resending=quick(sleep=sleep))
    assert slept == [7.0]
    assert [event.delay for event in talk.of(RequestResent)] == [7.0]
    assert talk.of(TurnCompleted)[0].text == "fine"


@WIRES
async def test_a_pause_that_is_too_long_ends_the_turn_at_once(project: Project, wire: str) -> None:
    # S-11
    answers = (error(429, "slow down", retry_after="3600"), FINE[wire])
    talk = await talked(project, wire, answers, "go", "again", resending=quick())
    assert len(talk.of(TurnFailed)) == 1
    assert talk.of(TurnCompleted)[0].text == "fine"
    assert talk.written() == ["go", "again"]


@WIRES
async def test_a_stream_that_is_no_json_is_told_and_nothing_is_lost(project: Project, wire: str) -> None:
    # S-11, S-14
    talk = await talked(project, wire, (BROKEN[wire], FINE[wire]), "go", "again", resending=quick())
    (failed,) = talk.of(TurnFailed)
    assert "JSON" in failed.message
    assert failed.hint
    assert [event.text for event in talk.of(TurnCompleted)] == ["fine"]
    assert talk.written() == ["go", "again"]
