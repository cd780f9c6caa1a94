"""Guarded models inside and around other models, and what a guarded stream hands on."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.exceptions import ModelRequestTimeout
from pydantic_ai.messages import ModelRequest, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.settings import ModelSettings
from tests.agent.stream_rules.guarded import LONG, WIRES, guarded, interrupts, no_any, run, triggered
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.agent import StreamRules
from xcsh.agent.stream_rules.response_watch import ResponseInterruptedError
from xcsh.llm.reply import Delay, Failure, Reply, Text, Thinking, ToolCall, cut, text

BAD = Reply((Text(cut("let a: any = 1" + LONG)),))
GOOD = Reply((text("done"),))


def wrapped(rules: StreamRules, model: Model) -> Model:
    model_under_rules = rules.get_wrapper_model(model)
    assert model_under_rules is not None
    return model_under_rules


@WIRES
async def test_a_model_that_falls_back_is_guarded_whole(project: Project, wire: str) -> None:
    # T-8: the interrupt is no failure to fall back from, and the failed attempt stays in the response
    async with (
        scripted(Failure(500, "no"), Failure(500, "no"), wire=wire) as (broken, _),
        scripted(BAD, GOOD, wire=wire) as (model, server),
    ):
        result, events = await run(guarded(FallbackModel(broken, model), no_any(project)))
    assert result.output == "done"
    assert triggered(events) == [("no-any",)]
    assert server.exchanges[0].closed_at is not None
    assert interrupts(server) == 1
    last = result.all_messages()[-1]
    assert isinstance(last, ModelResponse)
    assert len(last.failed_attempts or []) == 1


@WIRES
async def test_a_guarded_model_may_be_the_one_that_is_fallen_back_to(project: Project, wire: str) -> None:
    # T-8
    async with (
        scripted(Failure(500, "no"), Failure(500, "no"), wire=wire) as (broken, _),
        scripted(GOOD, BAD, wire=wire) as (model, server),
    ):
        chain = FallbackModel(broken, wrapped(no_any(project), model))
        result = await Agent(chain).run("go")
        async with Agent(chain).run_stream_events("go") as events:
            with pytest.raises(ResponseInterruptedError):
                [event async for event in events]
    last = result.all_messages()[-1]
    assert isinstance(last, ModelResponse)
    assert len(last.failed_attempts or []) == 1
    assert server.exchanges[1].closed_at is not None


@WIRES
async def test_a_guarded_stream_says_what_its_model_says(project: Project, wire: str) -> None:
    # T-17: everything but the end is the wrapped model's
    async with scripted(GOOD, GOOD, wire=wire) as (model, _):
        seen: list[tuple[object, ...]] = []
        for chosen in (model, wrapped(no_any(project), model)):
            async with chosen.request_stream(
                [ModelRequest.user_text_prompt("go")], None, ModelRequestParameters()
            ) as stream:
                kinds = [type(event) for event in [event async for event in stream]]
                response = stream.get()
                said = (stream.model_name, stream.provider_name, stream.usage, stream.state, stream.finish_reason)
                ids = (stream.provider_response_id, response.provider_response_id, response.finish_reason)
                rest = (response.state, response.parts[0].part_kind, stream.final_result_event, stream.cancelled)
                seen.append((kinds, said, ids, rest, stream.provider_details, stream.provider_url is None))
                assert stream.time_to_first_chunk(0.0) is not None
    assert str(seen[0]) == str(seen[1])


@WIRES
async def test_a_response_with_nothing_to_say_against_is_handed_on_unchanged(project: Project, wire: str) -> None:
    # T-6, T-17: the events of a run with rules are those of a run without
    reply = Reply((Thinking(cut("I think.")), text("I run it."), ToolCall("t0", "bash", cut('{"command": "ls"}'))))
    async with scripted(reply, GOOD, reply, GOOD, wire=wire) as (model, _):
        plain, events = await run(guarded(model, StreamRules(project({}))))
        watched, more = await run(guarded(model, no_any(project)))
    assert [type(event) for event in more] == [type(event) for event in events]
    assert [message.parts[0].part_kind for message in watched.all_messages()] == [
        message.parts[0].part_kind for message in plain.all_messages()
    ]
    assert watched.usage.output_tokens == plain.usage.output_tokens


@WIRES
async def test_an_instrumented_model_is_guarded(project: Project, wire: str) -> None:
    # T-8
    async with scripted(BAD, GOOD, wire=wire) as (model, server):
        result, events = await run(guarded(InstrumentedModel(model), no_any(project)))
        assert result.output == "done"
    assert triggered(events) == [("no-any",)]
    assert server.exchanges[0].closed_at is not None
    async with scripted(BAD, GOOD, wire=wire) as (model, server):
        result = await Agent(model, capabilities=[Instrumentation(), no_any(project)]).run("go")
    assert result.output == "done"
    assert len(server.exchanges) == 2


async def test_a_deadline_that_is_set_on_a_guarded_stream_holds(project: Project) -> None:
    # T-18: engines of durable execution and models that fall back set it on the stream that they opened
    slow = Reply((text("I start."), Delay(60), text("never sent")))
    async with scripted(slow) as (model, server):
        chain = FallbackModel(wrapped(no_any(project), model))
        settings = ModelSettings(request_timeout=0.5)
        async with Agent(chain).run_stream_events("go", model_settings=settings) as events:
            with pytest.raises(ModelRequestTimeout):
                [event async for event in events]
        assert len(server.exchanges) == 1
