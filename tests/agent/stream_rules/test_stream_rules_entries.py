"""Every way to run an agent under stream rules, with models that stream and that do not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRequestNode
from pydantic_ai.agent import CallToolsNode
from pydantic_ai.exceptions import ModelRequestTimeout
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.messages import TextPart as Written
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from tests.agent.stream_rules.guarded import LONG, MODES, WIRES, guarded, interrupts, no_any, rule, shape
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import bodies, scripted
from tests.support import Project

from xcsh.agent.stream_rules.response_watch import ResponseInterruptedError
from xcsh.llm.reply import Delay, Reply, Text, ToolCall, cut, text

BAD = Reply((Text(cut("let a: any = 1" + LONG)),))
GOOD = Reply((text("done"),))


@WIRES
async def test_run_is_guarded(project: Project, wire: str) -> None:
    # T-17, T-18: a rule makes the requests of run() stream, so that there is something to end
    async with scripted(BAD, GOOD, wire=wire) as (model, server):
        result = await guarded(model, no_any(project)).run("go")
    assert result.output == "done"
    assert server.exchanges[0].sent < server.exchanges[0].planned / 4
    assert interrupts(server) == 1
    check_requests(server)


@WIRES
async def test_iterating_over_the_nodes_is_guarded(project: Project, wire: str) -> None:
    # T-17
    async with (
        scripted(BAD, GOOD, wire=wire) as (model, server),
        guarded(model, no_any(project)).iter("go") as agent_run,
    ):
        nodes: list[type[Any]] = [type(node) async for node in agent_run]
    assert agent_run.result is not None
    assert agent_run.result.output == "done"
    assert nodes.count(ModelRequestNode) == 2
    assert nodes.count(CallToolsNode) == 1
    assert server.exchanges[0].closed_at is not None


async def test_advancing_by_hand_is_guarded(project: Project) -> None:
    # T-17
    async with scripted(BAD, GOOD) as (model, _), guarded(model, no_any(project)).iter("go") as agent_run:
        node = agent_run.next_node
        while not hasattr(node, "data"):
            node = await agent_run.next(node)  # type: ignore[arg-type]
    assert agent_run.result is not None
    assert agent_run.result.output == "done"


@WIRES
async def test_run_stream_hands_the_interrupt_to_its_caller(project: Project, wire: str) -> None:
    # T-17: the framework gives the response out before there is anything to retry; the error says what to use
    async with scripted(BAD, GOOD, wire=wire) as (model, server):
        with pytest.raises(ResponseInterruptedError, match=r"no-any.*run_stream_events") as caught:
            await _read_run_stream(guarded(model, no_any(project)))
        assert len(server.exchanges) == 1
        assert server.exchanges[0].closed_at is not None
    assert [match.rule for match in caught.value.matches] == ["no-any"]


async def _read_run_stream(agent: Agent[None, str]) -> None:
    async with agent.run_stream("go") as stream:
        async for _ in stream.stream_text(delta=True, debounce_by=None):
            pass


async def test_streaming_a_node_by_hand_hands_the_interrupt_to_the_caller(project: Project) -> None:
    # T-17
    async with scripted(BAD, GOOD) as (model, server):
        with pytest.raises(ResponseInterruptedError, match="run_stream_events"):
            await _stream_nodes(guarded(model, no_any(project)))
        assert server.exchanges[0].closed_at is not None
    assert len(server.exchanges) == 1


async def _stream_nodes(agent: Agent[None, str]) -> None:
    async with agent.iter("go") as agent_run:
        async for node in agent_run:
            if isinstance(node, ModelRequestNode):
                async with node.stream(agent_run.ctx) as stream:
                    async for _ in stream:
                        pass


class OnlyWhole(WrapperModel):
    """A model that answers in one piece."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        return await self.wrapped.request(messages, model_settings, model_request_parameters)

    def request_stream(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


@WIRES
@MODES
async def test_a_model_that_does_not_stream_is_guarded(project: Project, wire: str, mode: str) -> None:
    # T-15, T-17: the response is watched when it is there, before any tool of it runs
    ran: list[str] = []
    async with scripted(Reply((text("let a: any = 1"),)), GOOD, wire=wire) as (model, server):
        agent = guarded(OnlyWhole(model), no_any(project, f'context_mode = "{mode}"'), ran)
        result = await agent.run("go")
    assert result.output == "done"
    if wire == "openai":  # the other one streams by itself where an answer may be long
        assert not any(body.get("stream") for body in bodies(server))
    assert interrupts(server) == 1
    assert result.usage.requests == 2
    kept = ["response text"] if mode == "keep" else []
    assert shape(result.all_messages()) == ["request user-prompt", *kept, "request user-prompt", "response text"]
    assert (result.usage.input_tokens, result.usage.output_tokens) == (20, 10)
    check_requests(server)


async def test_a_request_in_one_piece_is_watched_too(project: Project) -> None:
    # T-15, T-17: callers that use the wrapped model without an agent
    def answer(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return ModelResponse([Written("I run it."), ToolCallPart("bash", {"command": "echo ': any ' > a.ts"})])

    wrapper = no_any(project).get_wrapper_model(FunctionModel(answer))
    assert wrapper is not None
    with pytest.raises(ResponseInterruptedError) as caught:
        await wrapper.request([], None, ModelRequestParameters())
    assert [(match.source, match.tool) for match in caught.value.matches] == [("tool", "bash")]


async def test_rules_can_be_replaced_for_the_runs_that_follow(project: Project) -> None:
    # T-1
    async with scripted(Reply((text("eval(1)"),)), Reply((text("eval(1)"),)), GOOD) as (model, server):
        rules = no_any(project)
        agent = guarded(model, rules)
        assert (await agent.run("go")).output == "eval(1)"
        project.write({".xcsh/rules/no-eval.md": rule(r"eval\(", "Never eval.")})
        rules.reload(project.discover())
        assert (await agent.run("go")).output == "done"
    assert interrupts(server, "no-eval") == 1


async def test_a_timeout_of_a_request_holds_under_rules(project: Project) -> None:
    # T-18: what the framework does to a stream it does to a guarded one
    slow = Reply((text("I start."), Delay(60), text("never sent")))
    async with scripted(slow) as (model, _):
        with pytest.raises(ModelRequestTimeout):
            await guarded(model, no_any(project)).run("go", model_settings={"request_timeout": 0.2})


def test_the_context_of_a_run_is_not_needed_to_wrap(project: Project) -> None:
    # T-18: engines of durable execution wrap the model once more, in another place
    rules = no_any(project)
    inner = FunctionModel(lambda *_: ModelResponse([]))
    first, second = rules.get_wrapper_model(inner), rules.get_wrapper_model(inner)
    assert first is not second
    assert isinstance(first, WrapperModel)
    assert first.wrapped is inner


@WIRES
async def test_an_output_that_is_a_tool_call_is_guarded(project: Project, wire: str) -> None:
    # T-3, T-15: structured output streams as the arguments of a tool
    class Answer(BaseModel):
        code: str

    def written(code: str) -> Reply:
        return Reply((ToolCall("t0", "final_result", cut(json.dumps({"code": code}))),))

    async with scripted(written("let a: any = 1" + LONG), written("let a = 1"), wire=wire) as (model, server):
        result = await Agent(model, output_type=Answer, capabilities=[no_any(project)]).run("go")
    assert result.output == Answer(code="let a = 1")
    assert server.exchanges[0].sent < server.exchanges[0].planned / 4
    assert interrupts(server) == 1
    check_requests(server)
