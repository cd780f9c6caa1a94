"""Hostile MCP servers: whatever one does, the session goes on, the terminal stays clean, and no process is left."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path

import pytest
from tests.fakes.mcp_program import ODD_NAMES
from tests.llm.wire_models import bodies, last_text, tool_names
from tests.session.mcp.mcp_projects import (
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
    talking,
)
from tests.session.sessions import says
from tests.support import Project

from xcsh.session.mcp.log import LIMIT

__all__ = ["pids"]


# S-12: a failing server is told, and harms nobody
async def test_servers_that_hang_flood_talk_nonsense_or_die_do_not_keep_another_from_working(
    project: Project, pids: Pids, capfd: pytest.CaptureFixture[str]
) -> None:
    modes = ("hangs", "garbage", "flood", "dies", "chatty", "leaves-children")
    servers = {mode: program(pids, mode) for mode in modes}
    missing = {"command": "/no/such/program"}
    closed = {"url": "http://127.0.0.1:9/mcp"}
    project.write({USER_FILE: named(**servers, missing=missing, closed=closed, fake=program(pids))})
    script = (calls("mcp__fake__echo", text="hi"), calls("mcp__chatty__echo", "c2", text="too"), says("done"))
    allow = WHOLE | {f"mcp__{name}" for name in (*modes, "missing", "closed")}
    async with talking(project, *script, allow=allow, seconds=5) as talk:
        assert (await talk.session.prompt("go")).text == "done"
        assert "echo hi" in last_text(bodies(talk.server)[1])
        assert "echo too" in last_text(bodies(talk.server)[2])
        said = {message.partition("'")[2].partition("'")[0]: message for _, message in findings(talk)}
        assert sorted(said) == ["closed", "dies", "flood", "garbage", "hangs", "missing"]
        assert {code for code, _ in findings(talk)} == {"mcp-server-failed"}
        assert said["hangs"].endswith("it did not answer within 5 seconds")
        assert said["dies"].endswith("its program ended with exit code 1")
        assert said["garbage"].endswith("lines of its output are no messages of MCP")
        assert said["flood"].endswith("it wrote a line of more than 16,777,216 bytes")
        assert "No such file or directory" in said["missing"]
    assert len(pids.started) == len(modes) + 1
    assert capfd.readouterr() == ("", "")


# S-12: "a server that dies in mid-session is reported and its tools fail with words"
async def test_a_server_that_dies_is_reported_once_and_its_tools_say_so(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=program(pids))})
    script = (calls("mcp__fake__die"), says("oh"), calls("mcp__fake__echo", "c2", text="x"), says("well"))
    async with talking(project, *script, allow=WHOLE) as talk:
        assert (await talk.session.prompt("go")).text == "oh"
        assert "Connection closed" in last_text(bodies(talk.server)[1])
        assert (await talk.session.prompt("go on")).text == "well"
        expected = "The MCP server 'fake' is gone: its program ended with exit code 7."
        assert expected in last_text(bodies(talk.server)[3])
        assert tool_names(bodies(talk.server)[2]) == tool_names(bodies(talk.server)[0])  # the prompt's prefix stays
        reported = "the MCP server 'fake' has ended: its program ended with exit code 7"
        assert findings(talk) == [("mcp-server-failed", reported)]


# S-12: ten thousand tools
async def test_of_very_many_tools_the_first_are_offered_and_the_rest_is_counted(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=program(pids, "many"))})
    async with talking(project, calls("mcp__fake__tool99"), says("done"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
        assert sum(name.startswith("mcp__") for name in tool_names(bodies(talk.server)[0])) == 100
        assert "called tool99" in last_text(bodies(talk.server)[1])
        ((code, message),) = findings(talk)
        assert code == "mcp-limit"
        assert message.startswith("9,900 of 10,000 tools of the MCP server 'fake' are left out")


# S-12: names and descriptions are other people's text
async def test_odd_names_become_names_that_every_model_takes_and_reach_the_tools_all_the_same(
    project: Project, pids: Pids
) -> None:
    project.write({USER_FILE: named(**{"f a\x1bk.é": program(pids, "odd")})})
    script = (calls("mcp__f_a_k__with_space"), says("done"))
    async with talking(project, *script, allow=frozenset({"mcp__f_a_k"})) as talk:
        await talk.session.prompt("go")
        names = [name for name in tool_names(bodies(talk.server)[0]) if name.startswith("mcp__")]
        assert len(names) == len(set(names)) == len(ODD_NAMES) + 2
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
        assert "called with space" in last_text(bodies(talk.server)[1])
        described = {tool["function"]["name"]: tool["function"] for tool in bodies(talk.server)[0]["tools"]}
        assert described["mcp__f_a_k__search"]["description"] == "[2J]0;titleSearch the web"
        assert len(described["mcp__f_a_k__long"]["description"]) < 2_100
        assert "\x1b" not in json.dumps(described, ensure_ascii=False)
        assert [prompt.name for prompt in talk.session.context.servers.prompts] == ["f_a_k:../x"]


# S-12: "stderr of servers goes to a log file, never to the terminal"
async def test_what_a_server_writes_to_standard_error_is_in_its_log_of_limited_size(
    project: Project, pids: Pids, capfd: pytest.CaptureFixture[str]
) -> None:
    project.write({USER_FILE: named(fake=program(pids, "loud"))})
    async with talking(project, says("one"), allow=WHOLE) as talk:
        await talk.session.prompt("go")
    log = Path(project.home, ".local/state/xcsh/mcp/fake.log")
    written = log.read_bytes()  # noqa: ASYNC240 - the session has ended
    assert written.startswith(b"\x1b[2Jthis is my log\n")
    assert LIMIT < len(written) < LIMIT + 100
    assert os.stat(log).st_mode & 0o777 == 0o600
    assert capfd.readouterr() == ("", "")


# S-12: what an unanswered question holds up ends with the session
async def test_a_session_can_be_closed_while_the_user_is_asked_whether_to_start_a_server(
    project: Project, pids: Pids
) -> None:
    asked = asyncio.Event()

    async def ask(_: object) -> None:
        asked.set()
        await asyncio.sleep(600)

    project.write({".mcp.json": named(fake=program(pids))})
    async with talking(project, says("never"), consent=asking(ask)) as talk:
        turn = asyncio.create_task(talk.session.prompt("go"))
        await asked.wait()
        await talk.session.close()
        await asyncio.wait({turn})
    assert pids.started == []


# S-12: nothing of the project decides how the framework's client behaves
async def test_the_projects_env_file_is_not_read_by_the_framework(
    project: Project, pids: Pids, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write({USER_FILE: named(fake=program(pids)), ".env": "FASTMCP_LOG_LEVEL=nonsense\n"})
    monkeypatch.chdir(project.root)
    program_text = (
        "import os, xcsh.session.mcp.connection as s; s.import_framework(); import fastmcp; "
        "print(fastmcp.settings.log_level, fastmcp.settings.log_enabled, [n for n in os.environ if 'FASTMCP' in n])"
    )
    running = await asyncio.create_subprocess_exec(
        os.sys.executable, "-c", program_text, stdout=asyncio.subprocess.PIPE, env=os.environ
    )
    out, _ = await running.communicate()
    assert out.decode().strip() == "INFO False []"


async def test_an_unused_user_is_never_asked(project: Project, pids: Pids) -> None:
    user = User()
    project.write({USER_FILE: named(fake=program(pids, disabled=True))})
    async with talking(project, says("one"), consent=asking(user)) as talk:
        await talk.session.prompt("go")
    assert user.asked == []
    assert pids.started == []


# S-12: who waits for a server can be interrupted
async def test_a_turn_that_waits_for_a_server_that_hangs_can_be_aborted(project: Project, pids: Pids) -> None:
    project.write({USER_FILE: named(fake=program(pids, "hangs"))})
    async with talking(project, says("never"), allow=WHOLE, seconds=600) as talk:
        turn = asyncio.create_task(talk.session.prompt("go"))
        await eventually(lambda: bool(pids.started))
        await talk.session.abort()
        assert (await turn).outcome == "aborted"
        assert bodies(talk.server) == []
        assert len(pids.alive()) >= 1  # it may still come; it ends with the session
