"""One turn of the coding agent: what it offers, what it tells, how it fails. Real HTTP throughout."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.llm.wire_models import bodies, last_text, scripted, system_of, tool_names, until
from tests.support import Project

from xcsh.agent import TurnResult, build_agent, run_turn
from xcsh.agent.consent.settings import grants, permissions_of, told_to_the_model, told_to_the_user
from xcsh.agent.events import (
    MessageCompleted,
    MessageRetracted,
    RulesTriggered,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    TurnEvent,
)
from xcsh.agent.reading import StreamReader
from xcsh.errors import FailedTurnError, UsageError
from xcsh.llm.reply import Delay, Failure, Reply, Text, Thinking, ToolCall, cut, text

TREE = {".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs.", "src/a.ts": "let a = 1\n"}


def calls(tool: str, **arguments: Any) -> Reply:
    return Reply((ToolCall("c1", tool, cut(json.dumps(arguments))),))


def ignore(event: TurnEvent) -> None:
    """A sink for tests that look elsewhere."""


DONE = Reply((text("Done."),))


async def turn(
    project: Project, *script: Reply | Failure, allow: frozenset[str] = frozenset(), wire: str = "openai"
) -> tuple[TurnResult, list[TurnEvent], list[dict[str, Any]]]:
    """The result of a turn over a small project, its events, and the requests."""
    registry = project(TREE)
    events: list[TurnEvent] = []
    async with scripted(*script, wire=wire) as (model, server):
        agent = build_agent(registry, model, str(project.root), allow=allow)
        result = await run_turn(agent, "go", events.append)
    return result, events, bodies(server)


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_text_thinking_and_tools_stream_as_events_in_order(project: Project, wire: str) -> None:
    # S-11, S-14
    first = Reply((Thinking(("Let me ", "look.")), Text(("I ", "look.")), *calls("read_file", path="src/a.ts").pieces))
    result, events, _ = await turn(project, first, DONE, wire=wire)
    kinds = [type(event) for event in events]
    assert [ThinkingDelta("Let me "), ThinkingDelta("look."), TextDelta("I "), TextDelta("look.")] == events[:4]
    assert kinds[4:7] == [MessageCompleted, ToolCalled, ToolReturned]
    assert events[4] == MessageCompleted("I look.")
    assert events[5] == ToolCalled("read_file", {"path": "src/a.ts"}, "c1")
    returned = events[6]
    assert isinstance(returned, ToolReturned)
    assert "let a = 1" in returned.content
    assert not returned.failed
    assert events[-1] == MessageCompleted("Done.")
    assert MessageRetracted() not in events
    assert result.text == "Done."
    assert result.usage.requests == 2


async def test_a_turn_continues_the_history_of_the_one_before(project: Project) -> None:
    # R-56, S-11
    registry = project(TREE)
    async with scripted(DONE, DONE) as (model, server):
        agent = build_agent(registry, model, str(project.root))
        first = await run_turn(agent, "one", ignore)
        await run_turn(agent, "two", ignore, history=first.messages)
    one, two = bodies(server)
    assert system_of(one) == system_of(two)
    assert two["messages"][: len(one["messages"])] == one["messages"]
    assert one["tools"] == two["tools"]


async def test_by_default_only_reading_is_offered_and_the_model_is_told_so(project: Project) -> None:
    # S-12: consent
    _, _, (body,) = await turn(project, DONE)
    assert tool_names(body) == ["grep", "list_files", "read_file"]
    assert "nobody is here to consent: write_file, edit_file, shell" in system_of(body)


@pytest.mark.parametrize(
    ("flag", "offered"),
    [
        ("write", {"create_directory", "write_file", "edit_file"}),
        ("edit", {"edit_file"}),
        ("shell", {"shell"}),
        ("write, shell", {"create_directory", "write_file", "edit_file", "shell"}),
    ],
)
async def test_what_was_allowed_is_offered_and_nothing_else(project: Project, flag: str, offered: set[str]) -> None:
    # S-12: consent
    _, _, (body,) = await turn(project, DONE, allow=grants([flag]))
    assert set(tool_names(body)) == offered | {"grep", "list_files", "read_file"}


@pytest.mark.parametrize(
    "call",
    [
        calls("shell", command="touch made"),
        calls("write_file", path="made", content="x"),
        calls("edit_file", path="src/a.ts", old_text="1", new_text="2"),
    ],
    ids=["shell", "write_file", "edit_file"],
)
async def test_a_call_of_a_tool_that_is_not_offered_does_nothing_and_the_turn_goes_on(
    project: Project, call: Reply
) -> None:
    # S-12: consent
    result, events, requests = await turn(project, call, call, DONE)
    assert result.text == "Done."
    assert "Unknown tool name" in last_text(requests[1])
    assert not project.path("made").exists()
    assert project.path("src/a.ts").read_text() == "let a = 1\n"
    assert all(event.failed for event in events if isinstance(event, ToolReturned))


async def test_an_allowed_write_writes(project: Project) -> None:
    # S-12: consent
    await turn(project, calls("write_file", path="made.txt", content="x"), DONE, allow=grants(["write"]))
    assert project.path("made.txt").read_text() == "x"


async def test_whoever_may_write_may_make_the_folder_for_it(project: Project) -> None:
    # S-12: consent
    script = (calls("create_directory", path="lib/deep"), calls("write_file", path="lib/deep/a.txt", content="x"), DONE)
    await turn(project, *script, allow=grants(["write_file(lib/**)"]))
    assert project.path("lib/deep/a.txt").read_text() == "x"


@pytest.mark.parametrize("folder", ["other", ".xcsh/extensions", "lib/.git", "../beside"])
async def test_a_folder_that_may_not_be_written_to_is_not_made(project: Project, folder: str) -> None:
    # S-12: consent
    allow = grants(["write_file(lib/**)" if folder == "other" else "write"])
    _, events, _ = await turn(project, calls("create_directory", path=folder), DONE, allow=allow)
    assert [event.failed for event in events if isinstance(event, ToolReturned)] == [True]
    assert not (project.root / folder).exists()


async def test_allowing_to_write_does_not_allow_the_shell(project: Project) -> None:
    # S-12: consent
    await turn(project, calls("shell", command="touch made"), DONE, allow=grants(["write"]))
    assert not project.path("made").exists()


async def test_reading_stays_inside_the_project(project: Project, tmp_path: Path) -> None:
    # S-12: consent
    (tmp_path / "secret").write_text("s3cret")
    _, _, requests = await turn(project, calls("read_file", path=str(tmp_path / "secret")), DONE)
    assert "s3cret" not in json.dumps(requests)


@pytest.mark.parametrize(("tool", "arguments"), [("list_files", {}), ("grep", {"pattern": "let a"})])
async def test_files_are_listed_and_searched_without_running_a_command(
    project: Project, tool: str, arguments: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-12: consent
    monkeypatch.setenv("PATH", "")
    _, _, requests = await turn(project, calls(tool, **arguments), DONE)
    assert "src/a.ts" in last_text(requests[1])


def test_an_unknown_word_after_allow_is_an_error_that_lists_the_words() -> None:
    # U-5
    with pytest.raises(UsageError, match="'rm' is no tool") as caught:
        grants(["write,rm"])
    assert caught.value.hint == "choose of: write, edit, shell; or give a pattern: --allow 'shell(git status:*)'"


def test_the_user_is_told_what_is_refused_and_how_to_allow_it(project: Project) -> None:
    # S-12: consent
    registry = project(TREE)

    def told(*words: str) -> str:
        return told_to_the_user(permissions_of(registry, grants(words)))

    assert told() == "the model may not use write_file, edit_file, shell; to let it: --allow write,edit,shell"
    assert told("edit", "shell").endswith("--allow write")
    assert told("write,shell") == told_to_the_model(permissions_of(registry, grants(["write,shell"]))) == ""


async def failure(project: Project, *script: Reply | Failure) -> FailedTurnError:
    with pytest.raises(FailedTurnError) as caught:
        await turn(project, *script)
    return caught.value


@pytest.mark.parametrize(
    ("status", "hint"),
    [(401, "check the provider's key"), (404, "check the name"), (429, "wait a moment"), (400, "try again")],
)
async def test_an_http_error_fails_the_turn_in_one_line_with_what_to_do(
    project: Project, status: int, hint: str
) -> None:
    # U-1, U-5
    error = await failure(project, Failure(status, "The provider says\nno."))
    assert str(error) == f"the provider answered HTTP {status} for fake: The provider says no."
    assert error.hint.startswith(hint)


async def test_a_server_that_cannot_be_reached_fails_the_turn(project: Project) -> None:
    # U-1, U-5
    registry = project(TREE)
    async with scripted() as (model, server):
        await server.__aexit__()
        agent = build_agent(registry, model, str(project.root))
        with pytest.raises(FailedTurnError, match="no answer from fake") as caught:
            await run_turn(agent, "go", ignore)
    assert caught.value.hint.startswith("check that the provider can be reached")


async def test_a_model_that_says_nothing_fails_the_turn(project: Project) -> None:
    # U-1
    error = await failure(project, *[Reply((Text(("",)),))] * 3)
    assert str(error).startswith("the turn ended without an answer")


async def test_a_model_that_never_stops_calling_a_missing_tool_fails_the_turn(project: Project) -> None:
    # U-1
    error = await failure(project, *[calls("shell", command="ls")] * 9)
    assert "\n" not in str(error)
    assert "shell" in str(error)


async def test_cancelling_a_turn_closes_the_connection_at_once(project: Project) -> None:
    # U-1: interrupted
    registry = project(TREE)
    started = asyncio.Event()
    async with scripted(Reply((text("a long answer"), Delay(60), text("never said")))) as (model, server):
        agent = build_agent(registry, model, str(project.root))
        task = asyncio.create_task(run_turn(agent, "go", lambda _: started.set()))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.exchanges[0].closed_at is not None)
    assert server.exchanges[0].sent < server.exchanges[0].planned


def test_a_response_that_another_replaces_before_its_end_is_retracted() -> None:
    # S-14, S-15
    from pydantic_ai.messages import PartDeltaEvent, PartEndEvent, PartStartEvent, TextPart, TextPartDelta

    events: list[TurnEvent] = []
    reader = StreamReader(events.append)
    reader.read(PartStartEvent(index=0, part=TextPart("wrong")))
    reader.read(PartStartEvent(index=0, part=TextPart("")))
    reader.read(PartDeltaEvent(index=0, delta=TextPartDelta("right")))
    reader.read(PartEndEvent(index=0, part=TextPart("right")))
    assert events == [TextDelta("wrong"), MessageRetracted(), TextDelta("right"), MessageCompleted("right")]


async def test_a_stream_rule_takes_back_what_was_shown_and_the_answer_follows_it(project: Project) -> None:
    # T-8, S-14
    registry = project({".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.'})
    events: list[TurnEvent] = []
    script = (Reply((text("let a: any = 1, and more" * 50),)), Reply((text("let a: A = 1"),)))
    async with scripted(*script) as (model, server):
        result = await run_turn(build_agent(registry, model, str(project.root)), "go", events.append)
    assert result.text == "let a: A = 1"
    assert server.exchanges[0].closed_at is not None
    at = next(place for place, event in enumerate(events) if isinstance(event, MessageRetracted))
    triggered = events[at + 1]
    assert isinstance(triggered, RulesTriggered)
    assert triggered[:3] == (("no-any",), (".xcsh/rules/no-any.md",), False)
    assert triggered.texts == (": any",)
    assert "".join(event.text for event in events[:at] if isinstance(event, TextDelta)) == "let a: a"
    assert events[-1] == MessageCompleted("let a: A = 1")
    assert sum(isinstance(event, MessageRetracted) for event in events) == 1
