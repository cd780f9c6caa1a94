"""Matches that must not interrupt: the reminder comes with the next request, once, also in another process."""

from __future__ import annotations

import json

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from tests.agent.stream_rules.guarded import (
    WIRES,
    guarded,
    interrupts,
    no_any,
    prompts,
    reminders,
    reopened,
    run,
    triggered,
)
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import bodies, scripted
from tests.support import Project

from xcsh.llm.reply import Reply, Text, ToolCall, cut, text

GOOD = Reply((text("done"),))
BAD = Reply((text("let a: any = 1"),))
BAD_CALL = Reply((ToolCall("t0", "bash", cut(json.dumps({"command": "echo ': any ' > a.ts"}))),))


@WIRES
@pytest.mark.parametrize("mode", ["never", "prose-only"])
async def test_a_tool_call_that_matches_runs_and_its_result_brings_the_reminder(
    project: Project, wire: str, mode: str
) -> None:
    # T-12: with the next request, for a tool call the one that carries its result
    ran: list[str] = []
    async with scripted(BAD_CALL, GOOD, wire=wire) as (model, server):
        result, events = await run(guarded(model, no_any(project, interruptMode=mode), ran))
    assert ran == ["echo ': any ' > a.ts"]
    assert triggered(events) == []
    assert len(server.exchanges) == 2
    assert [reminders(server), interrupts(server)] == [1, 0]
    assert "t0" in json.dumps(bodies(server)[1]["messages"][2:])
    check_requests(server)
    assert sum("<system-reminder" in prompt for prompt in prompts(result.all_messages())) == 1


@WIRES
@pytest.mark.parametrize("mode", ["never", "tool-only"])
async def test_a_final_answer_that_matches_is_reminded_of_in_the_next_turn(
    project: Project, wire: str, mode: str
) -> None:
    # T-12, T-14: once, also when the conversation was saved and another agent goes on with it
    async with scripted(BAD, GOOD, GOOD, wire=wire) as (model, server):
        rules = no_any(project, f'interrupt_mode = "{mode}"')
        first, events = await run(guarded(model, rules))
        assert triggered(events) == []
        assert first.output == "let a: any = 1"
        second, _ = await run(guarded(model, no_any(project)), "more", message_history=reopened(first.all_messages()))
        assert [reminders(server), interrupts(server)] == [1, 0]
        last = reopened(second.all_messages())
        await run(guarded(model, no_any(project)), "and more", message_history=last)
        assert [reminders(server), interrupts(server)] == [1, 0]  # the one that stands in the history
    check_requests(server)


@pytest.mark.parametrize(("mode", "stops"), [("prose-only", 1), ("tool-only", 0), ("never", 0), ("always", 1)])
async def test_the_mode_of_a_rule_decides_for_text(project: Project, mode: str, stops: int) -> None:
    # T-12: the rule's own mode wins over the setting
    async with scripted(BAD, GOOD) as (model, _):
        _, events = await run(guarded(model, no_any(project, 'interrupt_mode = "never"', interruptMode=mode)))
    assert len(triggered(events)) == stops


@pytest.mark.parametrize(("mode", "stops"), [("prose-only", 0), ("tool-only", 1), ("never", 0), ("always", 1)])
async def test_the_mode_of_the_settings_decides_for_tools(project: Project, mode: str, stops: int) -> None:
    # T-12
    async with scripted(BAD_CALL, GOOD) as (model, _):
        _, events = await run(guarded(model, no_any(project, f'interrupt_mode = "{mode}"')))
    assert len(triggered(events)) == stops


async def test_a_reminder_and_an_interrupt_of_one_rule_do_not_both_come(project: Project) -> None:
    # T-11, T-12: it fired, and `once` is once
    async with scripted(BAD_CALL, BAD) as (model, server):
        result, events = await run(guarded(model, no_any(project, interruptMode="prose-only")))
    assert triggered(events) == []
    assert result.output == "let a: any = 1"
    assert [reminders(server), interrupts(server)] == [1, 0]


async def test_once_holds_in_a_conversation_that_was_saved(project: Project) -> None:
    # T-14: a fresh agent with fresh rules reads what fired from the messages
    async with scripted(BAD, GOOD, BAD) as (model, server):
        first, events = await run(guarded(model, no_any(project)))
        assert triggered(events) == [("no-any",)]
        saved = reopened(first.all_messages())
        second, events = await run(guarded(model, no_any(project)), "more", message_history=saved)
    assert triggered(events) == []
    assert second.output == "let a: any = 1"
    assert len(server.exchanges) == 3
    check_requests(server)


@pytest.mark.parametrize("record", ["text", 3, [1], {"noticed": 1}, {"noticed": [1, None, "no-any", "gone"]}])
async def test_a_history_that_was_edited_does_no_harm(project: Project, record: object) -> None:
    # T-14: metadata of another shape counts as nothing, and a rule that is gone is not reminded of
    history: list[ModelMessage] = [
        ModelRequest.user_text_prompt("go"),
        ModelResponse([], metadata={"xcsh_stream_rules": record}),
    ]
    async with scripted(GOOD) as (model, server):
        result, _ = await run(guarded(model, no_any(project)), message_history=history)
    assert result.output == "done"
    assert reminders(server) == int(isinstance(record, dict) and record["noticed"] != 1)


async def test_matches_of_several_streams_are_one_reminder(project: Project) -> None:
    # T-10, T-12
    reply = Reply((Text(cut("let a: any = 1 ")), *BAD_CALL.pieces))
    async with scripted(reply, GOOD) as (model, server):
        result, _ = await run(guarded(model, no_any(project, interruptMode="never")))
    assert reminders(server) == 1
    assert len(prompts(result.all_messages())) == 2
