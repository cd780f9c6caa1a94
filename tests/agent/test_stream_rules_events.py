"""The events of stream rules as others see them: interfaces, files, other processes."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from pydantic import TypeAdapter
from pydantic_ai.messages import AgentStreamEvent, ModelResponse, TextPart
from tests.agent.guarded import MODES, guarded, no_any, run
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.agent import ResponseRetractedEvent, RulesTriggeredEvent
from xcsh.agent.response_watch import ResponseInterruptedError
from xcsh.guard.stream_guard import Match
from xcsh.llm.reply import Reply, text

BAD = Reply((text("let a: any = 1"),))
GOOD = Reply((text("done"),))
ADAPTER: TypeAdapter[Any] = TypeAdapter(AgentStreamEvent)


@MODES
async def test_the_events_are_plain_values_and_outlive_json(project: Project, mode: str) -> None:
    # T-8: `ttsr_triggered` says which rules, where they matched and what becomes of the text
    async with scripted(BAD, GOOD) as (model, _):
        _, events = await run(guarded(model, no_any(project, f'context_mode = "{mode}"')))
    ours = [event for event in events if isinstance(event, ResponseRetractedEvent | RulesTriggeredEvent)]
    assert len(ours) == (1 if mode == "keep" else 2)
    for event in ours:
        assert ADAPTER.validate_json(ADAPTER.dump_json(event)) == event
        assert event.capability_id == "stream-rules"
    told = json.loads(ADAPTER.dump_json(ours[-1]))
    assert told["kind"] == "xcsh.ttsr_triggered"
    assert told["rules"] == ["no-any"]
    assert told["kept"] is (mode == "keep")
    [match] = told["matches"]
    assert match["condition"] == r": any\s"
    assert (match["source"], match["start"], match["end"]) == ("text", 5, 11)


async def test_every_event_of_a_run_with_an_interrupt_can_be_written_down(project: Project) -> None:
    # T-8
    async with scripted(BAD, GOOD) as (model, _):
        _, events = await run(guarded(model, no_any(project)))
    for event in events[:-1]:
        assert ADAPTER.validate_json(ADAPTER.dump_json(event)).event_kind == event.event_kind  # type: ignore[attr-defined]


def test_an_interrupt_outlives_pickling_with_all_that_it_says() -> None:
    # T-18: engines of durable execution carry it out of the step that the request was made in
    match = Match("no-any", ": any", 5, 11, "text")
    error = ResponseInterruptedError((match,), ModelResponse([TextPart("let a: any")]))
    copied = pickle.loads(pickle.dumps(error))
    assert copied.matches == (match,)
    assert copied.response == error.response
    assert str(copied) == str(error)


@pytest.mark.parametrize("path", ["a.ts", ""])
def test_an_interrupt_names_each_rule_once(path: str) -> None:
    # T-10
    matches = (
        Match("a", "x", 0, 1, "tool", "edit", path),
        Match("b", "y", 0, 1, "text"),
        Match("a", "z", 1, 2, "text"),
    )
    assert "stream rule a, b;" in str(ResponseInterruptedError(matches, ModelResponse([])))
