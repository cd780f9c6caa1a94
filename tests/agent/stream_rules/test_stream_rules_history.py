"""What is left in the history of a response that stream rules ended, in both context modes."""

from __future__ import annotations

import json

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from tests.agent.stream_rules.guarded import (
    LONG,
    MODES,
    WIRES,
    guarded,
    interrupts,
    no_any,
    prompts,
    rule,
    rules_of,
    run,
    sent_texts,
    shape,
)
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.agent import ResponseRetractedEvent, RulesTriggeredEvent
from xcsh.llm.reply import Reply, Text, Thinking, ToolCall, cut, text

GOOD = Reply((text("done"),))
BAD_TEXT = Text(cut("let a: any = 1" + LONG))
BAD_CALL = ToolCall("t1", "bash", cut(json.dumps({"command": "echo ': any ' > a.ts" + LONG})))
EVERYWHERE = "[text, thinking, tool]"


@WIRES
async def test_discarded_output_leaves_nothing_but_the_rule(project: Project, wire: str) -> None:
    # T-9: discard is the default
    reply = Reply((Thinking(cut("I think.")), text("I start."), BAD_CALL))
    async with scripted(reply, GOOD, wire=wire) as (model, server):
        result, _ = await run(guarded(model, no_any(project)))
    history = result.all_messages()
    assert shape(history) == ["request user-prompt", "request user-prompt", "response text"]
    assert "I start." not in "".join(sent_texts(server))
    assert result.new_messages() == history
    assert prompts(history)[0] == "go"


@WIRES
async def test_kept_text_stands_before_the_rule_and_is_sent_again(project: Project, wire: str) -> None:
    # T-9: keep
    async with scripted(Reply((BAD_TEXT,)), GOOD, wire=wire) as (model, server):
        result, events = await run(guarded(model, no_any(project, 'context_mode = "keep"')))
    assert shape(result.all_messages()) == [
        "request user-prompt", "response text", "request user-prompt", "response text",
    ]  # fmt: skip
    kept = result.all_messages()[1]
    assert isinstance(kept, ModelResponse)
    assert kept.state == "interrupted"
    assert kept.run_id == result.all_messages()[0].run_id
    assert "let a" in sent_texts(server)[-2]
    assert " and so on" not in sent_texts(server)[-2]
    assert interrupts(server) == 1
    check_requests(server)
    assert not any(isinstance(event, ResponseRetractedEvent) for event in events)
    assert [event.kept for event in events if isinstance(event, RulesTriggeredEvent)] == [True]


@WIRES
async def test_keep_drops_the_calls_of_a_response_that_was_cut(project: Project, wire: str) -> None:
    # T-9, T-15: neither the cut call nor the whole one before it is sent again or run
    reply = Reply((text("I run it."), ToolCall("t0", "bash", cut('{"command": "ls"}')), BAD_CALL))
    ran: list[str] = []
    async with scripted(reply, GOOD, wire=wire) as (model, server):
        result, _ = await run(guarded(model, no_any(project, 'context_mode = "keep"'), ran))
    history = result.all_messages()
    assert ran == []
    assert not any(isinstance(part, ToolCallPart) for message in history for part in message.parts)
    assert [part.content for part in history[1].parts if isinstance(part, TextPart)] == ["I run it."]
    check_requests(server)


@WIRES
@pytest.mark.parametrize("last", ["call", "thinking"])
async def test_keep_with_nothing_to_keep_leaves_only_the_rule(project: Project, wire: str, last: str) -> None:
    # T-9: a message of thinking alone, and one without parts, is refused by servers
    cut_short = BAD_CALL if last == "call" else Thinking(cut("I write let a: any = 1" + LONG))
    rules = no_any(project, 'context_mode = "keep"', scope=EVERYWHERE)
    async with scripted(Reply((Thinking(cut("Let me see.")), cut_short)), GOOD, wire=wire) as (model, server):
        result, _ = await run(guarded(model, rules))
    assert shape(result.all_messages()) == ["request user-prompt", "request user-prompt", "response text"]
    assert interrupts(server) == 1
    check_requests(server)


@WIRES
async def test_keep_sends_thinking_again_only_where_it_is_signed(project: Project, wire: str) -> None:
    # T-9
    reply = Reply((Thinking(cut("Let me see.")), BAD_TEXT))
    async with scripted(reply, GOOD, wire=wire) as (model, server):
        result, _ = await run(guarded(model, no_any(project, 'context_mode = "keep"')))
    kept = result.all_messages()[1]
    thoughts = [part for part in kept.parts if isinstance(part, ThinkingPart)]
    assert [part.signature for part in thoughts] == (["recorded"] if wire == "anthropic" else [])
    check_requests(server)


@WIRES
@MODES
async def test_the_conversation_goes_on_after_an_interrupt(project: Project, wire: str, mode: str) -> None:
    # T-9: the history is valid for the next turn too
    script = (Reply((text("Hm. "), BAD_TEXT)), GOOD, Reply((text("again"),)))
    async with scripted(*script, wire=wire) as (model, server):
        agent = guarded(model, no_any(project, f'context_mode = "{mode}"'))
        first, _ = await run(agent)
        second, _ = await run(agent, "more", message_history=first.all_messages())
    assert second.output == "again"
    assert interrupts(server) == 1
    check_requests(server)


@MODES
async def test_two_interrupts_in_a_row_leave_both_rules(project: Project, mode: str) -> None:
    # T-8, T-9: the second abort settles only its own response
    script = (Reply((BAD_TEXT,)), Reply((Text(cut("So eval(1)" + LONG)),)), GOOD)
    rules = rules_of(project, f'context_mode = "{mode}"', a=rule(": any", "First."), b=rule(r"eval\(", "Second."))
    async with scripted(*script) as (model, server):
        result, _ = await run(guarded(model, rules))
    check_requests(server)
    assert [interrupts(server, name) for name in ("a", "b")] == [1, 1]
    kept = ["response text"] if mode == "keep" else []
    assert shape(result.all_messages()) == [
        "request user-prompt", *kept, "request user-prompt", *kept, "request user-prompt", "response text",
    ]  # fmt: skip
