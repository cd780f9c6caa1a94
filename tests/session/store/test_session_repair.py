"""What can be sent after a crash, as the strictest servers of both wires see it."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolReturnPart
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import ANTHROPIC, OPENAI, bodies, scripted, text_of
from tests.session.store.conversations import WHEN, as_json, asked, called, returned, said, thought

from xcsh.llm.reply import Reply, text
from xcsh.session.store import valid_history

WHOLE: list[ModelMessage] = [
    asked("look at a and b"), called("a", "b"), returned("a", "b"), called("c"), returned("c"), said("Done."),
]  # fmt: skip
ENDS: dict[str, list[ModelMessage]] = {
    "after an answer": WHOLE,
    "calls without results": WHOLE[:2],
    "one result of two": [*WHOLE[:2], returned("a")],
    "results without an answer": WHOLE[:3],
    "a second call": WHOLE[:4],
    "a call whose arguments were cut off": [WHOLE[0], called("a", args='{"path": "a.')],
    "an earlier call that was never answered": [WHOLE[0], called("a"), asked("and b?"), said("Yes.")],
    "a result without its call": [WHOLE[0], said("Hm."), returned("z"), said("So.")],
    "the same id twice": [*WHOLE, asked("again"), called("a")],
    "a response that had not begun": [*WHOLE, asked("more"), called("d"), returned("d"), ModelResponse(parts=[])],
    "only thinking": [*WHOLE, asked("more"), called("d"), returned("d"), thought("I could", signature="s")],
    "an empty text": [*WHOLE, asked("more"), called("d"), returned("d"), said(" ")],
    "a suspended response": [WHOLE[0], said("Wait", state="suspended")],
    "suspended with a call": [WHOLE[0], ModelResponse(parts=called("a").parts, state="suspended", timestamp=WHEN)],
    "an interrupted request": [*WHOLE[:2], ModelRequest(parts=returned("a").parts, state="interrupted")],
    "nothing": [],
}


# S-13
@pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize("end", list(ENDS))
async def test_a_history_that_ended_anywhere_goes_on_with_a_new_prompt(end: str, wire: str) -> None:
    history = valid_history(ENDS[end])
    async with scripted(Reply((text("Fine."),)), wire=wire) as (model, server):
        result = await Agent(model).run("go on", message_history=history)
    assert result.output == "Fine."
    check_requests(server)
    assert text_of(bodies(server)[0]["messages"][-1]).endswith("go on")


# S-13
@pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize("end", ["calls without results", "one result of two", "results without an answer"])
async def test_a_history_that_waits_for_the_model_goes_on_without_a_prompt(end: str, wire: str) -> None:
    async with scripted(Reply((text("Fine."),)), wire=wire) as (model, server):
        result = await Agent(model).run(message_history=valid_history(ENDS[end]))
    assert result.output == "Fine."
    check_requests(server)


@pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
async def test_a_prompt_that_was_not_answered_is_sent_by_a_run_without_a_new_one(wire: str) -> None:
    history = valid_history([*WHOLE, asked("more"), thought("I could")])
    assert as_json(history) == as_json([*WHOLE, asked("more")])
    async with scripted(Reply((text("Fine."),)), wire=wire) as (model, server):
        await Agent(model).run(message_history=history)
    check_requests(server)


def test_what_is_in_order_stays_the_very_same_objects() -> None:
    assert all(after is before for after, before in zip(valid_history(WHOLE), WHOLE, strict=True))


@pytest.mark.parametrize("end", list(ENDS))
def test_repairing_twice_changes_nothing(end: str) -> None:
    once = valid_history(ENDS[end])
    assert as_json(valid_history(once)) == as_json(once)


def test_a_closed_call_says_that_it_was_interrupted() -> None:
    last = valid_history([*WHOLE[:2], returned("a")])[-1]
    (first, second) = last.parts
    assert isinstance(first, ToolReturnPart)
    assert isinstance(second, ToolReturnPart)
    assert (first.outcome, second.outcome, second.tool_call_id) == ("success", "interrupted", "b")


def test_no_text_of_an_answer_is_lost() -> None:
    history = valid_history([WHOLE[0], said("Half an ans", state="interrupted")])
    assert history[-1].parts == [TextPart("Half an ans")]
