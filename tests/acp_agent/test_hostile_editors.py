"""Editors that break the protocol, come out of order, or go away: the agent stays, and nothing is lost."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
from typing import Any

import pytest
from tests.acp_agent.editors import Wire, wire
from tests.llm.wire_models import bodies, last_text, until
from tests.session.images.pictures_of import PNG
from tests.session.sessions import calls, says, slow
from tests.support import USER_SETTINGS, Project

from xcsh.session.images.attached import AttachedImages
from xcsh.session.images.reading import Image
from xcsh.session.message_queue import Kind
from xcsh.session.outbox import Held
from xcsh.session.preparing import Preparing
from xcsh.session.results import PromptResult

HELLO: dict[str, Any] = {"protocolVersion": 1, "clientCapabilities": {}}
PIXELS = base64.b64encode(PNG).decode()
ASKS = '[consent]\nedits = "ask"\n'
EDIT = calls("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "three"})


def text(said: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": said}]


async def opened(pipes: Wire, project: Project, call_id: str = "new") -> str:
    answer = await pipes.ask(call_id, "session/new", cwd=os.fspath(project.root), mcpServers=[])
    return str(answer["result"]["sessionId"])


BROKEN = [
    b"no JSON", b"{", b"[]", b"null", b"7", b'"x"', b"\xff\xfe\x00", b"[" * 100_000, b'{"a":' * 100_000, b"{}", b"",
    b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": {"x": 1}, "result": 1}', b'{"jsonrpc": "2.0", "id": [], "method": "x"}',
    b'{"jsonrpc": "2.0", "id": 90, "method": 7}', b'{"jsonrpc": "2.0", "id": 91, "method": null}',
    b'{"jsonrpc": "2.0", "id": 0, "error": "boom"}', b'{"jsonrpc": "2.0", "id": 0, "error": {}}',
    b'{"jsonrpc": "2.0", "id": 0, "result": {"outcome": 7}}', b'{"jsonrpc": "2.0", "id": true, "result": null}',
    b'{"jsonrpc": "2.0", "method": "session/cancel"}', b'{"jsonrpc": "2.0", "method": "session/cancel", "params": []}',
    b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "nope"}}',
    b'{"jsonrpc": "2.0", "method": "nothing/of/the/kind", "params": 7}',
    b'{"jsonrpc": "2.0", "id": NaN, "method": "session/list", "params": {}}', b'{"jsonrpc": "2.0", "id": 1e999, "method": "session/list"}',
    b'{"jsonrpc": "2.0", "id": 92, "method": "session/new", "params": {"cwd": [-Infinity]}}',
]  # fmt: skip
METHODS = [
    "initialize", "authenticate", "session/new", "session/load", "session/resume", "session/close", "session/list",
    "session/prompt", "session/set_mode", "session/set_config_option", "session/fork", "session/nonsense", "", "_ext/x",
]  # fmt: skip
PARAMS: list[Any] = [
    None, [], 7, "x", {}, {"sessionId": 7}, {"sessionId": "../../etc/passwd", "cwd": "/", "mcpServers": []},
    {"cwd": "\x00", "mcpServers": []}, {"cwd": "/", "mcpServers": [{"name": "x"}]}, {"cwd": 7}, {"protocolVersion": "x"},
    {"cwd": "/tmp", "mcpServers": [{"type": "pigeon", "name": "x", "url": "y", "headers": []}]},
    {"sessionId": "x", "prompt": [{"type": "hologram"}]}, {"sessionId": "\ud800", "prompt": []},
]  # fmt: skip


async def test_whatever_a_line_is_the_agent_answers_the_next_one(project: Project) -> None:
    # S-14
    async with wire(project, says("ok")) as (pipes, _):
        for line in BROKEN:
            pipes.write(line)
        assert (await pipes.ask("hello", "initialize", **HELLO))["result"]["agentInfo"]["name"] == "xcsh"
        codes = {each["error"]["code"] for each in pipes.received if each.get("id") is None and "error" in each}
        assert codes == {-32700, -32600}


async def test_every_request_is_answered_whatever_its_parameters_are(project: Project) -> None:
    async with wire(project, says("ok")) as (pipes, _):
        asked = [f"{number}" for number in range(len(METHODS) * len(PARAMS))]
        for call_id, (method, params) in zip(asked, [(m, p) for m in METHODS for p in PARAMS], strict=True):
            if method == "initialize" or params != {"cwd": "/", "mcpServers": []}:
                pipes.send(id=call_id, method=method, params=params)
        left = set(asked)
        while left:
            left.discard((await pipes.receive()).get("id"))  # type: ignore[arg-type]
        assert (await pipes.ask("after", "initialize", **HELLO))["result"]


async def test_a_line_that_is_too_long_is_refused_and_the_next_one_read(project: Project) -> None:
    async with wire(project, longest=10_000) as (pipes, _):
        for size in (9_000, 10_001, 20_000, 1_000_000):
            pipes.write(b'{"x": "' + b"y" * size + b'"}')
        assert (await pipes.ask("hello", "initialize", **HELLO))["result"]
        refused = [each["error"]["message"] for each in pipes.received if "error" in each]
        assert refused == ["a message has at most 10,000 bytes"] * 3


async def test_a_prompt_is_refused_while_another_runs_and_one_without_text_always(project: Project) -> None:
    async with wire(project, slow("one two three"), says("ok")) as (pipes, server):
        session = await opened(pipes, project)
        for call_id in ("first", "second", "third"):  # all before the first has begun
            pipes.send(id=call_id, method="session/prompt", params={"sessionId": session, "prompt": text(call_id)})
        answers = {}
        while len(answers) < 3:
            message = await pipes.receive()
            if "id" in message and "method" not in message:
                answers[message["id"]] = message
        assert answers["first"]["result"] == {"stopReason": "end_turn"}
        assert "a turn runs already" in answers["second"]["error"]["data"]["reason"]
        assert "error" in answers["third"]
        for nothing in ([], text(""), text(" \n")):
            answer = await pipes.ask("empty", "session/prompt", sessionId=session, prompt=nothing)
            assert answer["error"]["data"]["reason"] == "the prompt is empty"
        assert [last_text(body) for body in bodies(server)] == ["first"]


async def test_a_lone_surrogate_in_a_prompt_is_no_end(project: Project) -> None:
    async with wire(project, says("ok"), says("ok")) as (pipes, _):
        session = await opened(pipes, project)
        odd = await pipes.ask("odd", "session/prompt", sessionId=session, prompt=text("a\ud800b"))
        assert "result" in odd or "error" in odd
        after = await pipes.ask("after", "session/prompt", sessionId=session, prompt=text("fine"))
        assert after["result"] == {"stopReason": "end_turn"}


async def test_an_address_that_is_none_stands_in_the_prompt_as_it_is(project: Project) -> None:
    async with wire(project, says("ok")) as (pipes, server):
        session = await opened(pipes, project)
        blocks = [
            {"type": "resource_link", "name": "x", "uri": "http://[x"},
            {"type": "resource", "resource": {"uri": "//[slug]/page.tsx", "text": "y"}},
            {"type": "image", "data": PIXELS, "mimeType": "image/png", "uri": "file://[x/y.png"},
        ]
        done = await pipes.ask("turn", "session/prompt", sessionId=session, prompt=blocks)
        assert done["result"] == {"stopReason": "end_turn"}
        assert "http://[x//[slug]/page.tsx" in json.dumps(bodies(server)[-1])


@pytest.mark.parametrize("when", ["at once", "in the answer"])
async def test_a_cancel_ends_the_turn_however_far_it_is(when: str, project: Project) -> None:
    async with wire(project, slow("one two three four five six seven eight"), says("ok")) as (pipes, _):
        session = await opened(pipes, project)
        pipes.send(method="session/cancel", params={"sessionId": session})  # of nothing
        pipes.send(id="turn", method="session/prompt", params={"sessionId": session, "prompt": text("go")})
        if when == "in the answer":
            await until_said(pipes)
        pipes.send(method="session/cancel", params={"sessionId": session})
        pipes.send(method="session/cancel", params={"sessionId": session})
        assert (await pipes.answer("turn"))["result"] == {"stopReason": "cancelled"}
        after = await pipes.ask("after", "session/prompt", sessionId=session, prompt=text("go on"))
        assert "result" in after


async def test_a_cancel_while_an_image_is_kept_lets_no_turn_begin(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-27
    keeping, kept = asyncio.Event(), asyncio.Event()
    attach = AttachedImages.attach

    async def slowly(self: AttachedImages, image: Image) -> str:
        keeping.set()
        await kept.wait()
        return await attach(self, image)

    monkeypatch.setattr(AttachedImages, "attach", slowly)
    project.write({"a.txt": "one\ntwo\n"})
    async with wire(project, EDIT, says("done")) as (pipes, server):
        session = await opened(pipes, project)
        blocks = [*text("go"), {"type": "image", "data": PIXELS, "mimeType": "image/png"}]
        pipes.send(id="turn", method="session/prompt", params={"sessionId": session, "prompt": blocks})
        await keeping.wait()
        pipes.send(method="session/cancel", params={"sessionId": session})
        assert "result" in await pipes.ask("behind", "session/list")
        kept.set()
        assert (await pipes.answer("turn"))["result"] == {"stopReason": "cancelled"}
        assert server.exchanges == []
        assert (project.root / "a.txt").read_text("utf-8") == "one\ntwo\n"


async def test_a_cancel_between_a_command_and_its_turn_ends_the_turn(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    expanded, sent = asyncio.Event(), asyncio.Event()
    entry = Preparing.entry

    async def slowly(self: Preparing, kind: Kind, text: str, *, expand: bool) -> Held | PromptResult:
        made = await entry(self, kind, text, expand=expand)
        expanded.set()
        await sent.wait()
        return made

    monkeypatch.setattr(Preparing, "entry", slowly)
    project.write({"a.txt": "one\ntwo\n", ".claude/commands/fix.md": "Fix it.\n"})
    async with wire(project, EDIT, says("done")) as (pipes, _):
        session = await opened(pipes, project)
        pipes.send(id="turn", method="session/prompt", params={"sessionId": session, "prompt": text("/fix")})
        await expanded.wait()
        pipes.send(method="session/cancel", params={"sessionId": session})
        assert "result" in await pipes.ask("behind", "session/list")
        sent.set()
        assert (await pipes.answer("turn"))["result"] == {"stopReason": "cancelled"}
        assert (project.root / "a.txt").read_text("utf-8") == "one\ntwo\n"


@pytest.mark.parametrize("how", ["cancelled", "unanswered", "error", "nonsense", "unknown option"])
async def test_a_question_without_a_proper_answer_is_a_no(how: str, project: Project) -> None:
    # S-12
    project.write({"a.txt": "one\ntwo\n", USER_SETTINGS: ASKS})
    async with wire(project, EDIT, says("done"), says("ok")) as (pipes, _):
        session = await opened(pipes, project)
        pipes.send(id="turn", method="session/prompt", params={"sessionId": session, "prompt": text("go")})
        while (question := await pipes.receive()).get("method") != "session/request_permission":
            pass
        beside = await pipes.ask("beside", "session/prompt", sessionId=session, prompt=text("beside"))
        assert "a turn runs already" in beside["error"]["data"]["reason"]
        if how in ("cancelled", "unanswered"):
            pipes.send(method="session/cancel", params={"sessionId": session})
        if how == "cancelled":
            pipes.send(id=question["id"], result={"outcome": {"outcome": "cancelled"}})
        elif how == "error":
            pipes.send(id=question["id"], error={"code": -32601, "message": "Method not found"})
        elif how == "nonsense":
            pipes.send(id=question["id"], result={"outcome": 7})
        elif how == "unknown option":
            pipes.send(id=question["id"], result={"outcome": {"outcome": "selected", "optionId": "always:x"}})
        ended = (await pipes.answer("turn"))["result"]["stopReason"]
        assert ended == ("cancelled" if how in ("cancelled", "unanswered") else "end_turn")
        assert (project.root / "a.txt").read_text("utf-8") == "one\ntwo\n"
        assert "result" in await pipes.ask("after", "session/prompt", sessionId=session, prompt=text("go on"))


async def test_two_sessions_at_once_do_not_mix(project: Project) -> None:
    # the model's server answers in the order of the requests, so each session says what it was first to ask
    async with wire(project, slow("alpha " * 8), slow("beta " * 8)) as (pipes, server):
        first, second = await opened(pipes, project, "1"), await opened(pipes, project, "2")
        pipes.send(id="a", method="session/prompt", params={"sessionId": first, "prompt": text("a")})
        await until(lambda: bool(server.exchanges))
        pipes.send(id="b", method="session/prompt", params={"sessionId": second, "prompt": text("b")})
        ended: set[object] = set()
        while not ended >= {"a", "b"}:
            ended.add((await pipes.receive()).get("id"))
        said: dict[str, str] = {first: "", second: ""}
        for message in pipes.received:
            if message.get("method") == "session/update":
                update = message["params"]["update"]
                if update["sessionUpdate"] == "agent_message_chunk":
                    said[message["params"]["sessionId"]] += update["content"]["text"]
        assert (set(said[first].split()), set(said[second].split())) == ({"alpha"}, {"beta"})


async def test_what_was_said_is_sent_again_before_a_load_is_answered(project: Project) -> None:
    # S-13
    async with wire(project, says("It is one.")) as (pipes, _):
        session = await opened(pipes, project)
        await pipes.ask("turn", "session/prompt", sessionId=session, prompt=text("first"))
        pipes.received.clear()
        await pipes.ask("load", "session/load", sessionId=session, cwd=os.fspath(project.root), mcpServers=[])
        assert [each["content"]["text"] for each in pipes.updates("user_message_chunk")] == ["first"]
        assert "".join(each["content"]["text"] for each in pipes.updates("agent_message_chunk")) == "It is one."
        pipes.received.clear()
        await pipes.ask("resume", "session/resume", sessionId=session, cwd=os.fspath(project.root), mcpServers=[])
        assert pipes.updates("user_message_chunk") == []


async def test_a_session_that_another_agent_has_open_is_refused(project: Project) -> None:
    # S-13
    async with wire(project, says("It is one.")) as (pipes, _):
        session = await opened(pipes, project)
        await pipes.ask("turn", "session/prompt", sessionId=session, prompt=text("first"))
        async with wire(project) as (other, __):
            answer = await other.ask(
                "load", "session/load", sessionId=session, cwd=os.fspath(project.root), mcpServers=[]
            )
            assert session in answer["error"]["message"]
            assert answer["error"]["data"]["hint"]
        assert "result" in await pipes.ask("close", "session/close", sessionId=session)


async def test_a_client_that_goes_in_the_middle_of_a_turn_leaves_a_session_that_goes_on(project: Project) -> None:
    # S-13
    async with wire(project, slow("one two three four five six seven eight")) as (pipes, _):
        session = await opened(pipes, project)
        pipes.send(id="turn", method="session/prompt", params={"sessionId": session, "prompt": text("first")})
        await until_said(pipes)
    async with wire(project, says("It is two.")) as (pipes, server):
        await pipes.ask("load", "session/load", sessionId=session, cwd=os.fspath(project.root), mcpServers=[])
        done = await pipes.ask("turn", "session/prompt", sessionId=session, prompt=text("second"))
        assert done["result"] == {"stopReason": "end_turn"}
        assert "first" in json.dumps(bodies(server)[-1])


async def test_a_client_that_never_reads_does_not_keep_the_agent_from_leaving(project: Project) -> None:
    async with wire(project, says("x " * 50_000)) as (pipes, _):
        pipes.send(id="new", method="session/new", params={"cwd": os.fspath(project.root), "mcpServers": []})
        session = str((await pipes.answer("new"))["result"]["sessionId"])
        pipes.reader._transport.pause_reading()  # type: ignore[attr-defined]
        pipes.send(id="turn", method="session/prompt", params={"sessionId": session, "prompt": text("go")})
        await until(lambda: pipes.held_back() > 0)  # the pipe is full; then the client is gone for good


async def test_a_folder_that_is_gone_ends_a_turn_and_not_the_agent(project: Project) -> None:
    folder = project.root / "sub"
    folder.mkdir()
    async with wire(project, says("ok"), says("ok")) as (pipes, _):
        answer = await pipes.ask("new", "session/new", cwd=os.fspath(folder), mcpServers=[])
        shutil.rmtree(folder)
        session = answer["result"]["sessionId"]
        answer = await pipes.ask("turn", "session/prompt", sessionId=session, prompt=text("go"))
        assert "result" in answer or answer["error"]["message"]
        answer = await pipes.ask("again", "session/new", cwd=os.fspath(folder), mcpServers=[])
        assert "is no folder" in answer["error"]["data"]["reason"]
        assert "result" in await pipes.ask("other", "session/new", cwd=os.fspath(project.root), mcpServers=[])


async def until_said(pipes: Wire) -> None:
    while not pipes.updates("agent_message_chunk"):
        await pipes.receive()


async def test_a_client_that_goes_while_a_command_runs_leaves_no_process_behind(project: Project) -> None:
    written = project.root / "pid"
    command = calls("shell", {"command": f"echo $$ > {written}; exec sleep 600"})
    async with wire(project, command) as (pipes, _):
        session = await opened(pipes, project)
        pipes.send(id="turn", method="session/prompt", params={"sessionId": session, "prompt": text("go")})
        while (question := await pipes.receive()).get("method") != "session/request_permission":
            pass
        pipes.send(id=question["id"], result={"outcome": {"outcome": "selected", "optionId": "once"}})
        await until(lambda: written.is_file() and written.read_text("utf-8").endswith("\n"))
    pid = int(written.read_text("utf-8"))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_client_that_goes_while_a_question_is_open_has_agreed_to_nothing(project: Project) -> None:
    # S-12
    project.write({"a.txt": "one\ntwo\n", USER_SETTINGS: ASKS})
    async with wire(project, EDIT, says("done")) as (pipes, _):
        session = await opened(pipes, project)
        pipes.send(id="turn", method="session/prompt", params={"sessionId": session, "prompt": text("go")})
        while (await pipes.receive()).get("method") != "session/request_permission":
            pass
    assert (project.root / "a.txt").read_text("utf-8") == "one\ntwo\n"


@pytest.mark.parametrize("meta", ["_meta", "field_meta"])
async def test_what_a_client_adds_to_its_parameters_changes_no_argument(meta: str, project: Project) -> None:
    elsewhere = project.root / "elsewhere"
    elsewhere.mkdir()
    async with wire(project, says("ok")) as (pipes, _):
        added = {meta: {"self": 1, "cwd": os.fspath(elsewhere), "session_id": "x", "traceparent": "00-ab"}}
        cwd = os.fspath(project.root)
        session = (await pipes.ask("new", "session/new", cwd=cwd, mcpServers=[], **added))["result"]["sessionId"]
        done = await pipes.ask("turn", "session/prompt", sessionId=session, prompt=text("go"), **added)
        assert done["result"] == {"stopReason": "end_turn"}
        (listed,) = (await pipes.ask("list", "session/list", **added))["result"]["sessions"]
        assert listed["cwd"] == cwd
