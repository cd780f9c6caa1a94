"""Stream rules on tools that change files, in an agent that has them."""

from __future__ import annotations

import json

import pytest
from pydantic_ai import Agent
from tests.agent.stream_rules.guarded import ANY, WIRES, interrupts, rule, rules_of, run, triggered
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import scripted
from tests.support import Project

from xcsh.agent import RulesTriggeredEvent
from xcsh.llm.reply import Reply, ToolCall, cut, text

GOOD = Reply((text("done"),))
REMOVES = {"old_text": "let a: any = 1", "new_text": "let a: number = 1"}
INTRODUCES = {"old_text": "let a: number = 1", "new_text": "let a: any = 1"}


def editor(model: object, rules: object, ran: list[str]) -> Agent[None, str]:
    """An agent whose tools change files, but only write down that they were called."""
    agent: Agent[None, str] = Agent(model, capabilities=[rules])  # type: ignore[arg-type]

    @agent.tool_plain
    def edit_file(path: str, old_text: str, new_text: str) -> str:
        ran.append(path)
        return "ok"

    @agent.tool_plain
    def write_file(path: str, content: str) -> str:
        ran.append(path)
        return "ok"

    return agent


def arguments(fields: dict[str, str], path: str, *, path_last: bool) -> str:
    """The argument JSON, with the path before or after the texts."""
    return json.dumps({**fields, "path": path} if path_last else {"path": path, **fields})


@WIRES
@pytest.mark.parametrize("path_last", [True, False])
async def test_taking_out_what_a_rule_forbids_is_no_offence(project: Project, wire: str, *, path_last: bool) -> None:
    # T-3a: the condition sees what the call introduces, never what it removes
    call = ToolCall("t0", "edit_file", cut(arguments(REMOVES, "a.ts", path_last=path_last)))
    ran: list[str] = []
    async with scripted(Reply((call,)), GOOD, wire=wire) as (model, server):
        _, events = await run(editor(model, rules_of(project, no_any=rule()), ran))
    assert triggered(events) == []
    assert ran == ["a.ts"]
    check_requests(server)


@WIRES
@pytest.mark.parametrize("path_last", [True, False])
@pytest.mark.parametrize(
    ("tool", "fields"), [("edit_file", INTRODUCES), ("write_file", {"content": "let a: any = 1\n"})]
)
async def test_bringing_it_in_is(
    project: Project, wire: str, *, path_last: bool, tool: str, fields: dict[str, str]
) -> None:
    # T-3a, T-15: whichever of path and text streams first
    call = ToolCall("t0", tool, cut(arguments(fields, "a.ts", path_last=path_last)))
    ran: list[str] = []
    async with scripted(Reply((call,)), GOOD, wire=wire) as (model, server):
        result, events = await run(editor(model, rules_of(project, no_any=rule()), ran))
    assert triggered(events) == [("no-any",)]
    assert ran == []
    assert result.output == "done"
    assert interrupts(server) == 1
    check_requests(server)


@WIRES
@pytest.mark.parametrize(("path", "fires"), [("src/a.ts", True), ("src/a.md", False)])
@pytest.mark.parametrize("path_last", [True, False])
async def test_globs_hold_a_match_until_the_path_is_known(
    project: Project, wire: str, path: str, *, fires: bool, path_last: bool
) -> None:
    # T-5
    call = ToolCall("t0", "write_file", cut(arguments({"content": "let a: any = 1\n"}, path, path_last=path_last)))
    ran: list[str] = []
    rules = rules_of(project, no_any=rule(ANY, globs='"*.ts"'))
    async with scripted(Reply((call,)), GOOD, wire=wire) as (model, server):
        _, events = await run(editor(model, rules, ran))
    assert ran == ([] if fires else [path])
    matches = [match for event in events if isinstance(event, RulesTriggeredEvent) for match in event.matches]
    assert [(match["tool"], match["path"]) for match in matches] == ([("write", path)] if fires else [])
    check_requests(server)


@WIRES
async def test_what_is_written_is_seen_as_text_not_as_json(project: Project, wire: str) -> None:
    # T-3a: escapes of the argument JSON are decoded, also where a delta cuts one in two
    body = json.dumps({"path": "a.ts", "content": 'const s = "x"\n\teval(s)\n'}).replace("eval", "\\u0065val")
    rules = rules_of(project, no_eval=rule(r'"\n\teval\(', "Never eval."))
    ran: list[str] = []
    async with scripted(Reply((ToolCall("t0", "write_file", cut(body, 3)),)), GOOD, wire=wire) as (model, server):
        _, events = await run(editor(model, rules, ran))
    assert triggered(events) == [("no-eval",)]
    assert ran == []
    check_requests(server)


@WIRES
async def test_two_calls_in_one_response_have_buffers_of_their_own(project: Project, wire: str) -> None:
    # T-6: the halves of a match in two calls are no match
    halves = (
        ToolCall("t0", "write_file", cut(json.dumps({"path": "a.ts", "content": "let a: a"}))),
        ToolCall("t1", "write_file", cut(json.dumps({"path": "b.ts", "content": "ny = 1"}))),
    )
    ran: list[str] = []
    async with scripted(Reply(halves), GOOD, wire=wire) as (model, server):
        _, events = await run(editor(model, rules_of(project, no_any=rule()), ran))
    assert triggered(events) == []
    assert sorted(ran) == ["a.ts", "b.ts"]
    check_requests(server)
