"""Rules over a whole conversation: what fired stays fired, whatever happens to the history."""

from __future__ import annotations

import pytest
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import ANTHROPIC, OPENAI
from tests.session.sessions import conversation, says
from tests.support import Project

from xcsh.agent.events import RulesTriggered
from xcsh.agent.stream_rules.remembering import KEY, carried, injected, remembered

RULE = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.'}
BREAKS = "let some more time go by, let a: any = 1"


@pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
async def test_a_rule_that_fired_is_remembered_over_many_turns(project: Project, wire: str) -> None:
    # T-11, T-14: the framework joins the requests of earlier turns and drops their metadata
    script = (says(BREAKS), says("let a: A = 1"), says("two"), says(BREAKS), says(BREAKS))
    async with conversation(project, *script, tree=RULE, wire=wire) as talk:
        answers = [(await talk.session.prompt(text)).text for text in ("one", "two", "three", "four")]
        assert answers == ["let a: A = 1", "two", BREAKS, BREAKS]
        assert len(talk.of(RulesTriggered)) == 1
        check_requests(talk.server)


def fired(rule: str = "no-any") -> list[ModelRequest | ModelResponse]:
    return [
        ModelRequest([UserPromptPart("go")], run_id="1"),
        ModelRequest([UserPromptPart("the rule")], run_id="1", metadata=injected([rule])),
        ModelResponse([TextPart("ok")], run_id="1"),
        ModelRequest([UserPromptPart("more")], run_id="2"),
        ModelResponse([TextPart("done")], run_id="2"),
    ]


def test_what_shortens_a_history_carries_over_what_fired_and_when() -> None:
    # T-11, T-14, S-4
    whole = fired()
    for kept in (whole[3:], whole[4:], [ModelRequest([UserPromptPart("summary")])], whole):
        assert remembered(carried(whole, kept)) == remembered(whole) == {"turn": 2, "fired": {"no-any": 0}}
    twice = carried(carried(whole, whole[3:]), whole[4:])
    assert remembered(twice) == remembered(whole)
    assert carried(whole, whole) == whole
    assert carried(whole, []) == []


def test_what_is_carried_stands_on_a_response_where_there_is_one() -> None:
    # T-14: the metadata of requests does not outlive their being joined
    request, response = carried(fired(), fired()[3:])
    assert request.metadata is None
    assert KEY in (response.metadata or {})


def test_a_block_that_stands_in_other_text_says_nothing_of_what_fired() -> None:
    # T-14
    opening = '<system-interrupt reason="rule_violation" rule="{}" path="x">\n'
    genuine = opening.format("a&amp;b") + "said\n\n" + opening.format("inner") + "\n</system-interrupt>"
    two = f"{genuine}\n{opening.format('second')}said\n</system-interrupt>"
    quoted = "look at this:\n" + opening.format("quoted")
    messages = [ModelRequest([UserPromptPart(two), UserPromptPart(quoted), UserPromptPart("")])]
    assert remembered(messages)["fired"] == {"a&b": 0, "second": 0}


def test_a_record_of_another_shape_is_no_record() -> None:
    # T-14: a session file may have been edited
    for record in ({"carried": 1}, {"carried": {"turns": "x", "fired": [1]}}, {"carried": {"fired": {"a": None}}}, 7):
        state = remembered([ModelRequest([UserPromptPart("x")], metadata={KEY: record})])
        assert state["turn"] == 1
