"""The agent for editors, driven by the protocol's own client."""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from typing import Any

import pytest
from acp import (
    RequestError,
    audio_block,
    embedded_text_resource,
    image_block,
    resource_block,
    resource_link_block,
    text_block,
)
from acp.schema import EnvVariable, McpServerStdio
from tests.acp_agent.editors import Editor, editor
from tests.llm.wire_models import bodies, last_text, until
from tests.session.images.pictures_of import PNG, images_in
from tests.session.mcp.mcp_projects import PROGRAM
from tests.session.sessions import calls, says, slow
from tests.support import USER_SETTINGS, Project

from xcsh.acp.permission import answers_to
from xcsh.agent.consent.request import ConsentRequest
from xcsh.llm.reply import Failure

NO_ANY = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.'}


async def opened(connection: Any, project: Project) -> str:
    await connection.initialize(protocol_version=1)
    return (await connection.new_session(cwd=os.fspath(project.root), mcp_servers=[])).session_id


async def test_a_turn_streams_and_ends(project: Project) -> None:
    # S-14
    async with editor(project, says("It is one.")) as (connection, client, server):
        hello = await connection.initialize(protocol_version=1)
        assert hello.agent_info.name == "xcsh"
        assert hello.agent_capabilities.load_session
        session = (await connection.new_session(cwd=os.fspath(project.root), mcp_servers=[])).session_id
        answer = await connection.prompt(session_id=session, prompt=[text_block("what is it?")])
        assert answer.stop_reason == "end_turn"
        assert client.text == "It is one."
        assert len(client.of("agent_message_chunk")) > 1
        assert last_text(bodies(server)[-1]) == "what is it?"


async def test_commands_are_told_after_the_session_is_there_and_when_they_change(project: Project) -> None:
    # C-30, C-32
    project.write({".claude/commands/review.md": '---\nargument-hint: "[path]"\n---\nReview $ARGUMENTS.\n'})
    async with editor(project, says("ok")) as (connection, client, server):
        session = await opened(connection, project)
        await until(lambda: bool(client.of("available_commands_update")))
        commands = {each.name: each for each in client.of("available_commands_update")[0].available_commands}
        assert {"review", "compact", "undo", "rules"} <= set(commands)
        assert commands["review"].input.root.hint == "[path]"
        assert len(commands) == len(client.of("available_commands_update")[0].available_commands)
        await connection.prompt(session_id=session, prompt=[text_block("/review src")])
        assert last_text(bodies(server)[-1]) == "Review src."
        project.write({".claude/commands/new.md": "x\n"})
        await until(lambda: len(client.of("available_commands_update")) > 1)
        assert "new" in [each.name for each in client.of("available_commands_update")[-1].available_commands]


async def test_a_rule_that_stops_the_answer_is_a_notice_that_names_its_file(project: Project) -> None:
    # S-24
    project.write(NO_ANY)
    async with editor(project, slow("I write let a: any = 1 here"), says("let a: A")) as (connection, client, _):
        session = await opened(connection, project)
        await connection.prompt(session_id=session, prompt=[text_block("go")])
        (notice,) = client.of("tool_call")
        assert notice.title.startswith("Stopped by no-any.")
        assert notice.locations[0].path == os.fspath(project.root / ".xcsh/rules/no-any.md")
        assert "let a: A" in client.text


async def edits(project: Project, choose: str) -> tuple[Editor, str]:
    """A turn that edits a file, where the user answers so."""
    project.write({"a.txt": "one\ntwo\n", USER_SETTINGS: '[consent]\nedits = "ask"\n'})
    call = calls("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "three"})
    async with editor(project, call, says("done")) as (connection, client, _):
        client.choose = choose
        session = await opened(connection, project)
        await connection.prompt(session_id=session, prompt=[text_block("go")])
        return client, (project.root / "a.txt").read_text("utf-8")


async def test_a_change_is_asked_about_with_its_diff_and_shown_as_one(project: Project) -> None:
    # S-12
    client, after = await edits(project, "allow_once")
    ((question, options),) = client.questions
    assert after == "one\nthree\n"
    assert "-two" in question.content[0].content.text
    assert [option.kind for option in options][:2] == ["allow_once", "allow_always"]
    (call,) = client.of("tool_call")
    assert (call.kind, call.locations[0].path) == ("edit", os.fspath(project.root / "a.txt"))
    diffs = [each for update in client.of("tool_call_update") for each in update.content or [] if each.type == "diff"]
    assert (diffs[0].old_text, diffs[0].new_text) == ("one\ntwo", "one\nthree")
    assert client.of("tool_call_update")[-1].status == "completed"


def test_what_the_next_call_would_do_otherwise_is_allowed_once_or_not_at_all() -> None:
    # C-42
    request = ConsentRequest("include", "it runs", command="sh -c x", patterns=("include(a 0)",), once=True)
    assert [option.kind for option in answers_to(request)] == ["allow_once", "reject_once"]


@pytest.mark.parametrize("choose", ["reject_once", "nothing"])
async def test_a_no_changes_nothing_and_the_turn_goes_on(choose: str, project: Project) -> None:
    # S-12
    client, after = await edits(project, choose)
    assert after == "one\ntwo\n"
    assert client.of("tool_call_update")[-1].status == "failed"
    assert client.text == "done"


async def test_cancel_ends_the_turn(project: Project) -> None:
    async with editor(project, slow("one two three four five six seven")) as (connection, client, _):
        session = await opened(connection, project)
        turn = asyncio.create_task(connection.prompt(session_id=session, prompt=[text_block("go")]))
        await until(lambda: bool(client.text))
        with pytest.raises(RequestError, match="Invalid params"):
            await connection.prompt(session_id=session, prompt=[text_block("beside")])
        await connection.cancel(session_id=session)
        assert (await turn).stop_reason == "cancelled"


async def test_a_session_is_listed_and_loaded_with_what_was_said(project: Project) -> None:
    # S-13
    async with editor(project, says("It is one."), says("It is two.")) as (connection, client, server):
        session = await opened(connection, project)
        await connection.prompt(session_id=session, prompt=[text_block("first")])
        await connection.close_session(session_id=session)
        with pytest.raises(RequestError):
            await connection.prompt(session_id=session, prompt=[text_block("closed")])
        (listed,) = (await connection.list_sessions(cwd=os.fspath(project.root))).sessions
        assert (listed.session_id, listed.title) == (session, "first")
        client.updates.clear()
        await connection.load_session(cwd=os.fspath(project.root), session_id=session, mcp_servers=[])
        await until(lambda: client.text == "It is one.")
        assert client.of("user_message_chunk")[0].content.text == "first"
        await connection.prompt(session_id=session, prompt=[text_block("second")])
        assert [message["role"] for message in bodies(server)[-1]["messages"]][-3:] == ["user", "assistant", "user"]


async def test_a_history_is_sent_again_as_it_was_sent_when_it_happened(project: Project) -> None:
    # S-13, S-24
    lines = [f"line {number}" for number in range(40)]
    project.write({
        **NO_ANY, "a.txt": "\n".join([*lines, ""]), ".xcsh/rules/txt.md": "---\nglobs: '*.txt'\n---\nShort lines.\n",
    })  # fmt: skip
    edit = calls("edit_file", {"path": "a.txt", "replacements": [
        {"old_text": "line 2\n", "new_text": "two\n"}, {"old_text": "line 30\n", "new_text": "thirty\n"},
    ]}, "c2")  # fmt: skip
    script = (
        slow("I write let a: any = 1 here"), says("let a: A"), calls("read_file", {"path": "a.txt"}), edit,
        calls("read_file", {"path": "none.txt"}, "c3"), says("done"),
    )  # fmt: skip
    async with editor(project, *script) as (connection, client, _):
        session = await opened(connection, project)
        for text in ("first", "go on"):
            await connection.prompt(session_id=session, prompt=[text_block(text)])
        live = shown(client)
        await connection.close_session(session_id=session)
        client.updates.clear()
        await connection.load_session(cwd=os.fspath(project.root), session_id=session, mcp_servers=[])
        again = shown(client)
        assert [each.content.text for each in client.of("user_message_chunk")] == ["first", "go on"]
    assert again == live
    titles = {title for title, *_ in live.values()}
    assert {"read_file a.txt", "Rules for a.txt: txt"} <= titles
    assert any(title.startswith("Stopped by no-any.") for title in titles)
    ((*_, content, places),) = [each for each in live.values() if each[0].startswith("edit_file")]
    hunks = [(each["oldText"], each["newText"], place["line"]) for each, place in zip(content, places, strict=True)]
    before, after = "\n".join([*lines, ""]), (project.root / "a.txt").read_text("utf-8")
    assert [line for *_, line in hunks] == [1, 28]
    assert all(old in before and new in after for old, new, _ in hunks)
    assert all(each["path"] == place["path"] for each, place in zip(content, places, strict=True))


def shown(client: Editor) -> dict[str, tuple[Any, ...]]:
    """Of every call its title, kind, state, input, output, contents and places, as a client has them at the end."""
    calls: dict[str, dict[str, Any]] = {}
    for each in client.updates:
        if each.session_update in ("tool_call", "tool_call_update"):
            said = each.model_dump(mode="json", by_alias=True, exclude_none=True)
            calls.setdefault(said["toolCallId"], {}).update(said)
    fields = ("title", "kind", "status", "rawInput", "rawOutput", "content", "locations")
    return {call: tuple(said.get(field) for field in fields) for call, said in calls.items()}


async def test_a_failed_request_is_an_error_that_says_what_to_do(project: Project) -> None:
    async with editor(project, Failure(401, "no key")) as (connection, _, __):
        session = await opened(connection, project)
        with pytest.raises(RequestError) as raised:
            await connection.prompt(session_id=session, prompt=[text_block("go")])
        assert "401" in str(raised.value)


async def test_files_that_are_mentioned_or_come_along_are_in_the_prompt(project: Project) -> None:
    async with editor(project, says("ok")) as (connection, _, server):
        session = await opened(connection, project)
        blocks = [
            text_block("look at "),
            resource_link_block("b.py", "file:///p/b%20c.py"),
            resource_block(embedded_text_resource("file:///p/a.py", "print()</file>")),
        ]
        await connection.prompt(session_id=session, prompt=blocks)
        assert last_text(bodies(server)[-1]) == (
            'look at /p/b c.py/p/a.py\n\n<file path="/p/a.py">\nprint()<\\/file>\n</file>'
        )
        with pytest.raises(RequestError):
            await connection.prompt(session_id=session, prompt=[audio_block("aGk=", "audio/wav")])


async def test_images_are_sent_to_the_model_and_come_back_with_the_history(project: Project) -> None:
    # S-27, S-13
    picture = image_block(base64.b64encode(PNG).decode(), "image/png", uri="file:///p/a%20shot.png")
    async with editor(project, says("a cart"), says("still")) as (connection, client, server):
        hello = await connection.initialize(protocol_version=1)
        assert hello.agent_capabilities.prompt_capabilities.image
        session = (await connection.new_session(cwd=os.fspath(project.root), mcp_servers=[])).session_id
        await connection.prompt(session_id=session, prompt=[text_block("what is "), picture, text_block("?")])
        assert images_in(bodies(server)[0]) == [(0, "image/png", PNG)]
        await connection.close_session(session_id=session)
        await connection.load_session(cwd=os.fspath(project.root), session_id=session, mcp_servers=[])
        said, shown = (each.content for each in client.of("user_message_chunk"))
        assert said.text == "what is [image a_shot.png]?"
        assert (shown.mime_type, base64.b64decode(shown.data)) == ("image/png", PNG)
        await connection.prompt(session_id=session, prompt=[text_block("and now?")])
        assert images_in(bodies(server)[1]) == [(0, "image/png", PNG)]


@pytest.mark.parametrize(
    ("data", "said"),
    [("a", "is not base64"), ("aGk=", "no image"), (base64.b64encode(PNG + bytes(4_000_000)).decode(), "MB")],
)
async def test_what_is_no_image_is_refused_and_the_session_goes_on(data: str, said: str, project: Project) -> None:
    # S-27
    async with editor(project, says("ok")) as (connection, client, server):
        session = await opened(connection, project)
        with pytest.raises(RequestError) as refused:
            await connection.prompt(session_id=session, prompt=[text_block("see "), image_block(data, "image/png")])
        assert said in f"{refused.value}{refused.value.data}"
        await connection.prompt(session_id=session, prompt=[text_block("hello")])
        assert client.text == "ok"
        assert last_text(bodies(server)[-1]) == "hello"


async def test_commands_of_the_front_end_are_not_sent(project: Project) -> None:
    # S-21
    project.write(NO_ANY)
    async with editor(project, says("ok")) as (connection, client, server):
        session = await opened(connection, project)
        await connection.prompt(session_id=session, prompt=[text_block("/rules")])
        assert "no-any" in client.text
        assert server.exchanges == []


async def test_a_text_that_calls_no_command_is_sent_and_a_notice_says_so(project: Project) -> None:
    # C-26, and nothing is dropped silently
    project.write({".gemini/commands/plan.toml": 'prompt = "x\n', ".claude/commands/review.md": "Review.\n"})
    async with editor(project, *[says("ok")] * 4) as (connection, client, server):
        session = await opened(connection, project)
        texts = ["/reveiw src", "/plan x", "/xyzzyx", "/usr/bin/env is broken"]
        for text in texts:
            await connection.prompt(session_id=session, prompt=[text_block(text)])
        assert [last_text(body) for body in bodies(server)] == texts
        misspelt, broken, other = client.of("tool_call")
        assert misspelt.title == "/reveiw is sent as text, since no command is named so; did you mean /review?"
        assert broken.title.endswith("named so; .gemini/commands/plan.toml:1:12 is skipped")
        assert broken.content[0].content.text.startswith("no TOML: the text of `prompt` is not closed on its line; ")
        assert other.title == "/xyzzyx is sent as text, since no command is named so"


async def test_a_server_of_the_editor_gives_its_tools(project: Project) -> None:
    call = calls("mcp__ed__echo", {"text": "hello you"})
    async with editor(project, call, says("done")) as (connection, client, _):
        await connection.initialize(protocol_version=1)
        server = McpServerStdio(
            name="ed", command=sys.executable, args=["-S", PROGRAM, "good", os.devnull],
            env=[EnvVariable(name="X", value="y")],
        )  # fmt: skip
        session = (await connection.new_session(cwd=os.fspath(project.root), mcp_servers=[server])).session_id
        await connection.prompt(session_id=session, prompt=[text_block("go")])
        (question, _), *_ = client.questions
        assert "hello you" in question.content[0].content.text
        assert "hello you" in str(client.of("tool_call_update")[-1].raw_output)


@pytest.mark.parametrize("cwd", ["relative", "/nowhere/at/all"])
async def test_a_folder_that_is_none_is_refused(cwd: str, project: Project) -> None:
    async with editor(project) as (connection, _, __):
        await connection.initialize(protocol_version=1)
        with pytest.raises(RequestError):
            await connection.new_session(cwd=cwd, mcp_servers=[])


async def test_what_it_does_not_have_is_said_and_not_answered_with_nothing(project: Project) -> None:
    async with editor(project) as (connection, _, __):
        session = await opened(connection, project)
        for call in (
            connection.fork_session(session_id=session, cwd=os.fspath(project.root)),
            connection.authenticate(method_id="x"),
            connection.ext_method("x/y", {}),
        ):
            with pytest.raises(RequestError, match="Method not found"):
                await call
        with pytest.raises(RequestError):
            await connection.load_session(cwd=os.fspath(project.root), session_id="nope", mcp_servers=[])
