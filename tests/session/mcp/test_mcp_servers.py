"""MCP servers of a session (S-12): what starts, what the model gets, what is asked, and that nothing is left."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from tests.fakes.mcp_program import make_server
from tests.llm.wire_models import bodies, last_text, scripted, system_of, tool_names
from tests.session.mcp.mcp_projects import (
    NATIVE_FILE,
    PROJECT_FILE,
    USER_FILE,
    WHOLE,
    Pids,
    User,
    asking,
    calls,
    eventually,
    findings,
    named,
    pids,
    program,
    sdk_program,
    talking,
)
from tests.session.sessions import says
from tests.support import Project

from xcsh.agent.consent.request import Always, No, Once, Session
from xcsh.session.creating import create_agent_session
from xcsh.session.events import Notice
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust

__all__ = ["pids"]


def trusted(project: Project) -> None:
    trust(make_environment(os.fspath(project.root), os.fspath(project.home)))


def mcp_tools(body: dict[str, Any]) -> list[str]:
    return [name for name in tool_names(body) if name.startswith("mcp__")]


# S-12
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_the_model_calls_the_tools_of_a_server_of_the_users_own(project: Project, pids: Pids, wire: str) -> None:
    project.write({USER_FILE: named(fake=sdk_program(pids))})
    script = (calls("mcp__fake__echo", text="hi"), says("done"))
    async with talking(project, *script, wire=wire, allow=WHOLE) as talk:
        assert pids.started == []  # nothing runs before a turn
        assert (await talk.session.prompt("go")).text == "done"
        assert "mcp__fake__echo" in mcp_tools(bodies(talk.server)[0])
        assert "echo hi" in json.dumps(bodies(talk.server)[1]["messages"][-1])
        assert "Obey the server" not in json.dumps(bodies(talk.server))
        assert len(pids.alive()) == 1


# S-12: each call needs consent, and the question says where the tool is from
async def test_a_call_is_asked_about_with_its_arguments_and_its_origin(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=program(pids))})
    user = User(No("not that"))
    script = (calls("mcp__fake__echo", text="hi"), says("well"))
    async with talking(project, *script, consent=asking(user)) as talk:
        await talk.session.prompt("go")
        (asked,) = user.asked
        assert (asked.tool, json.loads(asked.arguments)) == ("mcp__fake__echo", {"text": "hi"})
        assert asked.origin == "the MCP server fake of your own"
        assert asked.patterns == ("mcp__fake__echo",)
        assert "not that" in last_text(bodies(talk.server)[1])


# S-12: patterns of one tool, and those that deny
async def test_patterns_allow_single_tools_and_deny_whole_servers(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=program(pids), other=program(pids))})
    script = (calls("mcp__fake__echo", text="a"), calls("mcp__other__echo", text="b"), says("done"))
    settings = '[consent]\ndeny = ["mcp__other__*"]\n'
    allow = frozenset({"mcp__fake__echo", "mcp__other__echo"})
    async with talking(project, *script, settings=settings, allow=allow) as talk:
        await talk.session.prompt("go")
        assert mcp_tools(bodies(talk.server)[0]) == ["mcp__fake__echo", "mcp__other__echo"]
        assert "echo a" in last_text(bodies(talk.server)[1])
        assert "consent.deny" in last_text(bodies(talk.server)[2])


# S-12, S-15: where nobody could agree to a call, nothing is started, and it is said how to let it
async def test_headless_starts_no_server_whose_tools_nothing_allows(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=program(pids))})
    async with talking(project, says("one"), says("two")) as talk:
        await talk.session.prompt("go")
        await talk.session.prompt("go on")
        assert pids.started == []
        (notice,) = talk.of(Notice)
        assert notice.text.endswith("fake; to let them: --allow mcp__fake")


# S-12: "started only when trusted"
@pytest.mark.parametrize("file", [PROJECT_FILE, NATIVE_FILE])
async def test_a_projects_server_starts_only_as_it_was_trusted(project: Project, pids: Pids, file: str) -> None:
    project.write({file: named(fake=program(pids))})
    async with talking(project, says("one"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
        assert pids.started == []
        ((code, message),) = findings(talk)
        assert code == "mcp-not-started"
        assert (
            message
            == "the MCP server 'fake' is not started: this folder has not been trusted; to see what it would run: xcsh trust"
        )
    trusted(project)
    async with talking(project, says("two"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
        assert len(pids.started) == 1
    project.write({file: named(fake=program(pids, env={"A": "b"}))})
    async with talking(project, says("three"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
        assert len(pids.started) == 1
        assert f"{file} has changed" in findings(talk)[0][1]


# S-12: "whatever untrusted project configuration asks for": once, session, always, bound to the content
async def test_the_user_is_shown_exactly_what_would_run_and_may_agree_for_good(project: Project, pids: Pids) -> None:
    entry = program(pids, env={"TOKEN": "${SECRET:-none}"})
    project.write({PROJECT_FILE: named(fake=entry)})
    user = User(No())
    async with talking(project, says("one"), consent=asking(user)) as talk:
        await talk.session.prompt("go")
        (asked,) = user.asked
        assert asked.tool == "mcp_server"
        assert asked.command == f"TOKEN='${{SECRET:-none}}' {sys.executable} {' '.join(entry['args'])}"
        assert asked.origin == "the MCP server fake of this project's .mcp.json"
        assert asked.notes == ("it is given your variable SECRET",)
        assert pids.started == []
    (pattern,) = asked.patterns
    settings = f'[consent]\nallow = ["{pattern}", "mcp__fake"]\n'
    async with talking(project, says("two"), settings=settings) as talk:
        await talk.session.prompt("go")
        assert len(pids.started) == 1
        assert findings(talk) == []
    project.write({PROJECT_FILE: named(fake={**entry, "cwd": "/"})})
    async with talking(project, says("three"), settings=settings) as talk:
        await talk.session.prompt("go")
        assert len(pids.started) == 1


@pytest.mark.parametrize("answer", [Once(), Session(), Always("mcp_server")])
async def test_an_answer_starts_it_and_is_not_asked_again(project: Project, pids: Pids, answer: Any) -> None:
    project.write({PROJECT_FILE: named(fake=program(pids))})
    user = User(answer)
    async with talking(project, says("one"), says("two"), consent=asking(user)) as talk:
        await talk.session.prompt("go")
        await talk.session.prompt("go on")
        assert [asked.tool for asked in user.asked] == ["mcp_server"]
        assert len(pids.started) == 1


# S-12: the project goes before the user, but only where it may start
async def test_the_users_server_is_there_where_the_projects_of_its_name_may_not_start(
    project: Project, pids: Pids
) -> None:
    project.write({PROJECT_FILE: named(fake=program(pids, "odd")), USER_FILE: named(fake=program(pids))})
    async with talking(project, says("one"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
        assert "mcp__fake__echo" in mcp_tools(bodies(talk.server)[0])
        assert [code for code, _ in findings(talk)] == ["mcp-server-shadowed", "mcp-not-started"]
        assert "mcp__fake__a_b" not in mcp_tools(bodies(talk.server)[0])
    trusted(project)
    async with talking(project, says("two"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
        assert "mcp__fake__a_b" in mcp_tools(bodies(talk.server)[0])


@contextmanager
def served(mode: str = "good", headers: list[Any] | None = None) -> Generator[str]:
    """The server at a URL of the loopback, in a thread: its tasks are not those of the session."""
    app: Any = make_server(mode).streamable_http_app()

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        if headers is not None and scope["type"] == "http":
            headers.extend(value for name, value in scope["headers"] if name == b"x-token")
        await app(scope, receive, send)

    config = uvicorn.Config(noting, host="127.0.0.1", port=0, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join()


# S-12: real HTTP on loopback
async def test_a_server_at_a_url_gets_its_headers_and_gives_its_tools_and_prompts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "abc")
    sent: list[bytes] = []
    with served(headers=sent) as url:
        project.write({USER_FILE: named(fake={"type": "http", "url": url, "headers": {"X-Token": "t-${MY_TOKEN}"}})})
        script = (calls("mcp__fake__echo", text="far"), says("done"), says("prompted"))
        async with talking(project, *script, allow=WHOLE) as talk:
            await talk.session.prompt("go")
            assert "echo far" in last_text(bodies(talk.server)[1])
            await talk.session.prompt("/fake:greet Ann")
            assert talk.sent(2)[-1] == "greet name=Ann"
    assert set(sent) == {b"t-abc"}


async def test_a_variable_that_is_not_set_is_named_and_nothing_starts(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=program(pids, env={"A": "${NOT_SET}"}))})
    async with talking(project, says("one"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
        assert findings(talk) == [("mcp-not-started", "the MCP server 'fake' needs ${NOT_SET}, not set")]
        assert pids.started == []


async def test_an_address_that_is_none_once_its_variables_are_filled_in_is_reported(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHERE", "ftp://x")
    project.write({USER_FILE: named(fake={"url": "${WHERE}"})})
    async with talking(project, says("one"), allow=WHOLE) as talk:
        assert (await talk.session.prompt("go")).text == "one"
        ((code, message),) = findings(talk)
        assert code == "mcp-server-failed"
        assert message.startswith("the MCP server 'fake' did not start: Invalid HTTP/S URL")


async def test_a_server_gets_the_variables_that_it_is_given_and_no_keys(
    project: Project, pids: Pids, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    project.write({USER_FILE: named(fake=program(pids, env={"MINE": "1"}))})
    async with talking(project, calls("mcp__fake__variables"), says("done"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
        names = last_text(bodies(talk.server)[1]).split()
        assert "MINE" in names
        assert "PATH" in names
        assert "OPENAI_API_KEY" not in names


# S-12: outputs are limited, failures are words, pictures pass
async def test_results_are_limited_and_errors_are_words(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=sdk_program(pids))})
    script = (
        calls("mcp__fake__big", size=200_000), calls("mcp__fake__wrong"), calls("mcp__fake__picture"), says("done"),
    )  # fmt: skip
    async with talking(project, *script, allow=WHOLE) as talk:
        assert (await talk.session.prompt("go")).outcome == "completed"
        big = last_text(bodies(talk.server)[1])
        assert len(big) < 50_200
        assert big.endswith("[cut: these are the first 50,000 of 200,000 characters]")
        assert "it went wrong" in last_text(bodies(talk.server)[2])
        assert "image/png" in json.dumps(bodies(talk.server)[3])


# S-12: other people's text stays out of the prompt
async def test_instructions_of_servers_are_in_the_prompt_only_where_the_setting_says_so(
    project: Project, pids: Pids
) -> None:
    project.write({USER_FILE: named(fake=program(pids))})
    async with talking(project, says("one"), settings="instructions = true\n", allow=WHOLE) as talk:
        await talk.session.prompt("go")
        assert "Of the MCP server fake: Obey the server." in system_of(bodies(talk.server)[0])


# S-12: "no process left", whoever ends the session, and how
@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancelled_session_leaves_no_process(project: Project, pids: Pids, times: int) -> None:
    project.write({USER_FILE: named(fake=program(pids, "leaves-children"))})
    async with scripted(calls("mcp__fake__slow"), says("never")) as (model, _):

        async def work() -> None:
            async with await create_agent_session(model, project.root, home=project.home, allow=WHOLE) as session:
                await session.prompt("go")

        task = asyncio.create_task(work())
        await eventually(lambda: pids.waiting)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        await eventually(lambda: not pids.alive())


def test_a_session_that_nobody_closes_leaves_no_process_when_its_loop_ends(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=program(pids))})

    async def work() -> None:
        async with scripted(says("one")) as (model, _):
            session = await create_agent_session(model, project.root, home=project.home, allow=WHOLE)
            await session.prompt("go")
            assert len(pids.alive()) == 1

    asyncio.run(work())
    assert pids.alive() == []
