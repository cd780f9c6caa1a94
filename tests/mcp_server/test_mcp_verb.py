"""`xcsh mcp` as a process, over pipes and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import fastmcp
import httpx2
import pytest
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.llm.wire_models import until
from tests.support import Project
from tests.warm import WarmProcess, WarmPrograms

from xcsh.cli.verbs.mcp import token_of
from xcsh.mcp.serving import PATH

TREE = {".xcsh/rules/kind.md": "---\nalwaysApply: true\n---\nBe kind.\n"}


def environment_of(project: Project) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"], "HOME": os.fspath(project.home), "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip


@pytest.fixture
def parameters(project: Project) -> StdioServerParameters:
    project.write(TREE)
    arguments = ["-m", "xcsh", "-C", os.fspath(project.root), "mcp"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment_of(project))


async def test_a_save_is_told_and_a_broken_one_keeps_what_was_there(
    project: Project, parameters: StdioServerParameters
) -> None:
    # C-32
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(message.method)

    async def texts(client: Client) -> dict[str, str]:
        listed = (await client.list_resources()).resources
        read = [(await client.read_resource(str(each.uri))).contents[0] for each in listed]
        return {each.name: content.text for each, content in zip(listed, read, strict=True)}  # pyright: ignore[reportAttributeAccessIssue]

    async with Client(parameters, mode="legacy", message_handler=hear) as client:
        assert await texts(client) == {"kind": "Be kind."}
        project.write({".xcsh/rules/new.md": "---\ndescription: new\n---\nNew.\n"})
        await until(lambda: "notifications/resources/list_changed" in heard)
        assert await texts(client) == {"kind": "Be kind.", "new": "New."}
        project.write({".xcsh/rules/new.md": "---\ndescription: [\n---\n"})
        project.write({".xcsh/rules/kind.md": "---\nalwaysApply: true\n---\nBe kinder.\n"})
        await until(lambda: "notifications/resources/updated" in heard)
        assert await texts(client) == {"kind": "Be kinder.", "new": "New."}


async def test_another_client_is_served_over_the_same_pipes(parameters: StdioServerParameters) -> None:
    # fastmcp's client, in the newer era and the older one
    for mode in ("auto", "legacy"):
        transport = StdioTransport(parameters.command, list(parameters.args), env=parameters.env, keep_alive=False)
        async with fastmcp.Client(transport, mode=mode) as client:
            (rule,) = await client.list_resources()
            (content,) = await client.read_resource(str(rule.uri))
            assert (str(rule.uri), content.text) == ("rule://kind", "Be kind.")  # pyright: ignore[reportAttributeAccessIssue]
            assert "review" in [prompt.name for prompt in await client.list_prompts()]
            prompt = await client.get_prompt("review", {"arguments": "src & more"})
            assert "src & more" in str(prompt.messages[0].content)
            answer = await client.call_tool("rules_for", {"path": "src/a.ts"})
            assert "Be kind." in str(answer.content)
            with pytest.raises(ToolError, match="did you mean kind"):
                await client.call_tool("explain", {"name": "kin"})


NONSENSE = [
    b"no JSON", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": 1, "method": 7}', b"\xff\xfe\x00",
    b'{"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": {"x": 1}}}', b"[" * 100_000,
    b'{"jsonrpc": "2.0", "id": 3, "method": "nothing/of/the/kind"}', b'{"a":' * 100_000, b"x" * 3_000_000, b"",
    b'{"jsonrpc": "2.0", "id": 4, "result": {}}', b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
    b'{"jsonrpc": "2.0", "id": [], "method": "ping"}', b'{"jsonrpc": "2.0", "id": {"x": 1}, "result": 1}',
    b'{"jsonrpc": "2.0", "id": 0, "error": "boom"}', b'{"jsonrpc": "2.0", "id": true, "result": null}',
    b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": [1]}', b'{"jsonrpc": "1.0", "id": 6, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', b'[{"jsonrpc": "2.0", "id": 7, "method": "ping"}]',
    b'{"jsonrpc": "2.0", "method": "notifications/initialized", "params": 7}',
]  # fmt: skip
HELLO = {
    "jsonrpc": "2.0", "id": "hello", "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
METHODS = (
    "ping", "resources/list", "resources/read", "resources/templates/list", "resources/subscribe", "prompts/list",
    "prompts/get", "completion/complete", "tools/list", "tools/call", "logging/setLevel", "x/y", "",
)  # fmt: skip
PARAMS: tuple[Any, ...] = (
    None, [], 7, "x", {"name": "\ud800"}, {}, {"uri": 7}, {"uri": "x" * 100_000}, {"name": 7}, {"name": "review", "arguments": {"arguments": 7}},
    {"name": "rules_for", "arguments": {"path": "\x00"}}, {"name": "rules_for", "arguments": {"path": "/" * 10_000}},
    {"name": "explain", "arguments": {"name": "x" * 200_000}}, {"name": "doctor", "arguments": {"x": 1}},
    {"ref": 7, "argument": 8}, {"cursor": "nonsense"}, {"_meta": 7}, {"_meta": {"progressToken": []}},
    {"ref": {"type": "ref/resource", "uri": "rule://{+name}"}, "argument": {"name": "name", "value": "x" * 100_000}},
)  # fmt: skip


def started(warm: WarmPrograms, project: Project) -> WarmProcess:
    project.write(TREE)
    return warm.start(
        "-m", "xcsh", "-C", project.root, "mcp", env=environment_of(project), imports=("xcsh.mcp.serving",),
        stdin=subprocess.PIPE,
    )  # fmt: skip


def test_a_hostile_client_neither_ends_the_server_nor_makes_it_print_anything_else(
    project: Project, warm: WarmPrograms
) -> None:
    process = started(warm, project)
    wire, out = process.stdin, process.stdout
    assert wire
    assert out
    writer = threading.Thread(target=lambda: (wire.write(b"".join(line + b"\n" for line in lines)), wire.flush()))
    calls = {f"{method} {number}": (method, params) for method in METHODS for number, params in enumerate(PARAMS)}
    lines = [*NONSENSE, json.dumps(HELLO).encode(), *NONSENSE]
    for call_id, (method, params) in calls.items():
        call = {"jsonrpc": "2.0", "id": call_id, "method": method}
        lines.append(json.dumps(call if params is None else {**call, "params": params}).encode())
    writer.start()
    left = {"hello", *calls}
    while left:
        answer = json.loads(out.readline())  # every line is one of the protocol
        assert answer["jsonrpc"] == "2.0"
        left.discard(answer.get("id"))
        if answer.get("id") == "hello":
            assert answer["result"]["serverInfo"]["name"] == "xcsh"
        assert answer.get("error", {}).get("code") not in (-32603, 0), answer  # no mistake of ours
    writer.join()
    ended = process.ended()
    assert ended.returncode == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in ended.stdout.splitlines())
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("end", ["its output is closed", "an interrupt", "a signal to end"])
def test_a_client_that_goes_any_way_ends_the_server_quietly(end: str, project: Project, warm: WarmPrograms) -> None:
    process = started(warm, project)
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(HELLO).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    if end == "its output is closed":
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n' * 2)
    else:
        process.send_signal(signal.SIGINT if end == "an interrupt" else signal.SIGTERM)
        process.wait()  # its input is open still
    ended = process.ended()
    assert (ended.returncode, ended.stderr) == (0, "")


@asynccontextmanager
async def over_http(project: Project) -> AsyncGenerator[tuple[str, str]]:
    """A server over HTTP: its URL and the token that it says."""
    project.write(TREE)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "xcsh", "-C", os.fspath(project.root), "mcp", "--http", "0",
        env=environment_of(project), stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr
        async with asyncio.timeout(90):
            said = (await process.stderr.readline()).decode()
        url = re.search(rf"http://127\.0\.0\.1:\d+{PATH}", said)
        made = re.search(r"token is (\S+)", said)
        assert url
        assert made
        yield url[0], made[1]
    finally:
        process.terminate()
        out, _ = await process.communicate()
    assert out == b""


async def test_over_http_only_who_has_the_token_is_served(project: Project) -> None:
    async with over_http(project) as (url, token):
        async with httpx2.AsyncClient(trust_env=False) as anybody:
            assert (await anybody.post(url, json={})).status_code == 401
            wrong = {"Authorization": "Bearer nonsense"}
            assert (await anybody.post(url, json={}, headers=wrong)).status_code == 401
            page = {"Authorization": f"Bearer {token}", "Origin": "https://evil.example", "Host": "evil.example"}
            assert (await anybody.post(url, json={}, headers=page)).status_code in (403, 421)
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(trust_env=False, headers=headers, timeout=30) as known,
            Client(streamable_http_client(url, http_client=known)) as client,
        ):
            (rule,) = (await client.list_resources()).resources
            assert str(rule.uri) == "rule://kind"

        def direct(**options: Any) -> httpx2.AsyncClient:
            return httpx2.AsyncClient(**{**options, "trust_env": False, "timeout": 30})

        transport = StreamableHttpTransport(url, headers=headers, httpx_client_factory=direct)
        async with fastmcp.Client(transport) as another:
            (rule,) = await another.list_resources()
            assert (await another.read_resource(str(rule.uri)))[0].text == "Be kind."  # pyright: ignore[reportAttributeAccessIssue]


def test_the_token_may_be_given_and_is_not_said_then() -> None:
    assert token_of({"XCSH_MCP_TOKEN": " given "}) == ("given", "")
    made, said = token_of({"XCSH_MCP_TOKEN": ""})
    assert len(made) > 40
    assert made in said
