"""The events of stream rules as others see them: interfaces, files, other processes."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from pydantic import TypeAdapter
from pydantic_ai.messages import AgentStreamEvent, ModelResponse, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage
from tests.agent.stream_rules.guarded import MODES, guarded, no_any, reopened, rule, run
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.agent import ResponseRetractedEvent, RulesTriggeredEvent, StreamRules
from xcsh.agent.stream_rules.carrying import packed, unpacked
from xcsh.agent.stream_rules.guarded_model import GuardedModel
from xcsh.agent.stream_rules.response_watch import ResponseInterruptedError
from xcsh.guard.stream_guard import Match, StreamGuard
from xcsh.llm.reply import Reply, ToolCall, text

BAD = Reply((text("let a: any = 1"),))
GOOD = Reply((text("done"),))
ONE_RULE = {".xcsh/rules/no-any.md": rule()}
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
    assert told["texts"] == [": any"]


@pytest.mark.parametrize(
    ("condition", "shown"), [(r"a[^]*1", "a: any\n\t = 1"), ("x+y", "x" * 79 + "…"), ("*.ts", "src/a.ts")]
)
async def test_what_matched_is_shown_on_one_short_line(project: Project, condition: str, shown: str) -> None:
    # T-8
    arguments = {"content": f"let a: any\n\t = 1 {'x' * 200}y", "path": "src/a.ts"}
    call = ToolCall("c", "save_page", (json.dumps(arguments),))
    project.write({".xcsh/rules/r.md": rule(condition)})
    async with scripted(Reply((call,)), GOOD) as (model, _):
        rules = StreamRules.discover(project.root, home=project.home, tools={"save_page": "write"})
        _, events = await run(guarded(model, rules))
    [event] = [event for event in events if isinstance(event, RulesTriggeredEvent)]
    assert event.texts == (" ".join(shown.split()),)


async def test_every_event_of_a_run_with_an_interrupt_can_be_written_down(project: Project) -> None:
    # T-8
    async with scripted(BAD, GOOD) as (model, _):
        _, events = await run(guarded(model, no_any(project)))
    for event in events[:-1]:
        assert ADAPTER.validate_json(ADAPTER.dump_json(event)).event_kind == event.event_kind  # type: ignore[attr-defined]


def test_an_interrupt_outlives_pickling_with_all_that_it_says() -> None:
    # T-18: it may cross processes
    match = Match("no-any", ": any", 5, 11, "text")
    error = ResponseInterruptedError((match,), ModelResponse([TextPart("let a: any")]))
    copied = pickle.loads(pickle.dumps(error))
    assert copied.matches == (match,)
    assert copied.response == error.response
    assert str(copied) == str(error)


def test_an_interrupt_is_carried_as_a_response_through_json() -> None:
    # T-18: an engine that keeps the results of its steps as JSON loses nothing of it
    match = Match("no-any", ": any", 5, 11, "text")
    written = ModelResponse([TextPart("let a: any")], usage=RequestUsage(input_tokens=3))
    carried = packed([match], written)
    assert carried.parts == []  # whoever is shown the response sees nothing of it
    assert carried.usage == written.usage
    [loaded] = reopened([carried])
    assert isinstance(loaded, ModelResponse)
    interrupt = unpacked(loaded)
    assert interrupt is not None
    assert interrupt.matches == (match,)
    assert interrupt.response == written
    assert interrupt.counted
    assert unpacked(written) is None


async def test_a_request_in_one_piece_carries_its_interrupt_too(project: Project) -> None:
    # T-18
    model = FunctionModel(lambda *_: ModelResponse([TextPart("let a: any = 1")]))
    guard = StreamGuard(entry.rule for entry in project(ONE_RULE).active)
    response = await GuardedModel(model, guard.sibling, durable=True).request([], None, ModelRequestParameters())
    interrupt = unpacked(response)
    assert interrupt is not None
    assert [found.rule for found in interrupt.matches] == ["no-any"]


@pytest.mark.parametrize("path", ["a.ts", ""])
def test_an_interrupt_names_each_rule_once(path: str) -> None:
    # T-10
    matches = (
        Match("a", "x", 0, 1, "tool", "edit", path),
        Match("b", "y", 0, 1, "text"),
        Match("a", "z", 1, 2, "text"),
    )
    assert "stream rule a, b;" in str(ResponseInterruptedError(matches, ModelResponse([])))
