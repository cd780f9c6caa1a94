"""Stream rules in an agent: a request is ended in mid-stream and made again, over HTTP on both wires."""

from __future__ import annotations

import json

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart
from tests.agent.stream_rules.guarded import (
    ANY,
    LONG,
    WIRES,
    guarded,
    interrupts,
    no_any,
    rule,
    rules_of,
    run,
    sent_texts,
    shown,
)
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import bodies, scripted, system_of
from tests.support import Project

from xcsh.agent import ResponseRetractedEvent, RulesTriggeredEvent, StreamRules
from xcsh.llm.reply import Reply, Text, Thinking, ToolCall, cut, text

FORBIDDEN = {
    "text": (Text(cut("let a: any = 1" + LONG)),),
    "thinking": (Thinking(cut("I write let a: any = 1" + LONG)),),
    "tool": (
        text("I run it."),
        ToolCall("t0", "bash", cut('{"command": "ls"}')),
        ToolCall("t1", "bash", cut(json.dumps({"command": "echo ': any ' > a.ts" + LONG}))),
    ),
}
GOOD = Reply((text("let a: number = 1"),))
EVERYWHERE = "[text, thinking, tool]"


@WIRES
@pytest.mark.parametrize("stream", ["text", "thinking", "tool"])
async def test_a_match_ends_the_request_and_the_retry_carries_the_rule_once(
    project: Project, wire: str, stream: str
) -> None:
    # T-8, T-9, T-10: aborted in mid-stream, retracted, retried
    ran: list[str] = []
    async with scripted(Reply(FORBIDDEN[stream]), GOOD, wire=wire) as (model, server):
        result, events = await run(guarded(model, no_any(project, scope=EVERYWHERE), ran))
    first, second = server.exchanges
    assert first.closed_at is not None
    assert first.sent < first.planned / 4
    assert second.completed
    assert ": any " not in shown(events)  # the matching delta reaches nobody
    assert ran == []
    assert result.output == "let a: number = 1"
    assert interrupts(server) == 1
    assert "Never write any." in sent_texts(server)[-1]
    check_requests(server)
    kinds = [type(event) for event in events if isinstance(event, ResponseRetractedEvent | RulesTriggeredEvent)]
    assert kinds == [ResponseRetractedEvent, RulesTriggeredEvent]
    history = result.all_messages()
    assert [message.kind for message in history] == ["request", "request", "response"]
    assert not any(isinstance(part, ToolCallPart) for message in history for part in message.parts)
    assert isinstance(history[1], ModelRequest)
    assert isinstance(history[-1], ModelResponse)


@WIRES
async def test_prompt_and_injection_reach_the_model_as_one_message_of_the_user(project: Project, wire: str) -> None:
    # T-9: chat templates of local servers refuse two messages of one role in a row
    async with scripted(Reply(FORBIDDEN["text"]), GOOD, wire=wire) as (model, server):
        result, _ = await run(guarded(model, no_any(project)), "write it")
    check_requests(server)
    text_sent = sent_texts(server)[-1]
    assert text_sent.startswith("write it\n")
    assert text_sent.endswith("</system-interrupt>")
    parts = [part for message in result.all_messages() for part in message.parts if part.part_kind == "user-prompt"]
    assert len(parts) == 2  # what is stored stays as it was


@WIRES
async def test_they_are_one_message_also_where_the_instructions_changed_meanwhile(project: Project, wire: str) -> None:
    # T-9: the framework does not make one request of two whose instructions differ
    async with scripted(Reply(FORBIDDEN["text"]), GOOD, wire=wire) as (model, server):
        agent: Agent[None, str] = Agent(model, capabilities=[no_any(project)])
        agent.instructions(lambda: f"There were {len(server.exchanges)} requests.")
        await run(agent, "write it")
    check_requests(server)
    assert sent_texts(server)[-1].startswith("write it\n")
    assert "There were 1 requests." in system_of(bodies(server)[-1])


@WIRES
async def test_a_prompt_of_several_contents_takes_the_rule_too(project: Project, wire: str) -> None:
    # T-9
    async with scripted(Reply(FORBIDDEN["text"]), GOOD, wire=wire) as (model, server):
        agent = guarded(model, no_any(project))
        async with agent.run_stream_events(["write", "it"]) as events:
            assert [event async for event in events]
    check_requests(server)
    assert interrupts(server) == 1
    assert sent_texts(server)[-1].startswith("write\nit\n")


@WIRES
async def test_a_match_after_a_tool_call_keeps_the_result_of_the_call(project: Project, wire: str) -> None:
    # T-9: the history that is sent again has the call and its result
    script = (Reply((ToolCall("t0", "bash", cut('{"command": "ls"}')),)), Reply(FORBIDDEN["text"]), GOOD)
    ran: list[str] = []
    async with scripted(*script, wire=wire) as (model, server):
        result, _ = await run(guarded(model, no_any(project), ran))
    assert ran == ["ls"]
    assert interrupts(server) == 1
    check_requests(server)
    assert [message.kind for message in result.all_messages()] == [
        "request", "response", "request", "request", "response",
    ]  # fmt: skip


@WIRES
async def test_a_match_that_the_end_of_a_response_decides_runs_no_tool(project: Project, wire: str) -> None:
    # T-7a, T-15: a match may be held until the end of the arguments
    call = ToolCall("t0", "bash", cut('{"command": "rm -rf /"}'))
    rules = rules_of(project, no_rm=rule(r"rm -rf /$", "Never."))
    ran: list[str] = []
    async with scripted(Reply((call,)), GOOD, wire=wire) as (model, server):
        result, _ = await run(guarded(model, rules, ran))
    assert ran == []
    assert result.output == "let a: number = 1"
    assert interrupts(server, "no-rm") == 1
    check_requests(server)


async def test_without_rules_nothing_is_wrapped_and_nothing_streams(project: Project) -> None:
    # T-1: the mechanism costs nothing where it has no rules
    rules = StreamRules(project({".xcsh/rules/a.md": "---\nalwaysApply: true\n---\nBe kind."}))
    async with scripted(GOOD) as (model, server):
        assert rules.get_wrapper_model(model) is None
        result = await guarded(model, rules).run("go")
    assert result.output == "let a: number = 1"
    assert server.exchanges[0].request.body.get("stream") is not True


async def test_switched_off_the_rules_watch_nothing(project: Project) -> None:
    # T-13
    async with scripted(Reply((text("let a: any = 1"),))) as (model, server):
        result, _ = await run(guarded(model, no_any(project, "enabled = false", condition=ANY)))
    assert result.output == "let a: any = 1"
    assert len(server.exchanges) == 1
