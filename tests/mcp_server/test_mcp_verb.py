"""`xcsh mcp` as a process, over pipes and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.llm.wire_models import until
from tests.support import Project

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
        await asyncio.sleep(0.3)  # the watcher begins beside the server
        project.write({".xcsh/rules/new.md": "---\ndescription: new\n---\nNew.\n"})
        await until(lambda: "notifications/resources/list_changed" in heard)
        assert await texts(client) == {"kind": "Be kind.", "new": "New."}
        project.write({".xcsh/rules/new.md": "---\ndescription: [\n---\n"})
        project.write({".xcsh/rules/kind.md": "---\nalwaysApply: true\n---\nBe kinder.\n"})
        await until(lambda: "notifications/resources/updated" in heard)
        assert await texts(client) == {"kind": "Be kinder.", "new": "New."}


async def test_a_hostile_client_neither_ends_the_server_nor_makes_it_print_anything_else(
    project: Project, parameters: StdioServerParameters
) -> None:
    process = await asyncio.create_subprocess_exec(
        parameters.command, *parameters.args, env=parameters.env,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    nonsense = [
        b"no JSON", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": {"x": 1}}}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "nothing/of/the/kind"}', b"\xff\xfe\x00", b"[" * 5000,
        b'{"jsonrpc": "2.0", "id": 4, "result": {}}', b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
    ]  # fmt: skip
    for line in nonsense:
        process.stdin.write(line + b"\n")
    hello = {
        "jsonrpc": "2.0", "id": "hello", "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    process.stdin.write(json.dumps(hello).encode() + b"\n")
    async with asyncio.timeout(30):
        while True:
            line = await process.stdout.readline()
            answer = json.loads(line)  # every line is one of the protocol
            assert answer["jsonrpc"] == "2.0"
            if answer.get("id") == "hello":
                break
        assert answer["result"]["serverInfo"]["name"] == "xcsh"
        process.stdin.close()
        rest, errors = await process.stdout.read(), await process.stderr.read() if process.stderr else b""
        assert await process.wait() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert b"Traceback" not in errors


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
        async with asyncio.timeout(30):
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


def test_the_token_may_be_given_and_is_not_said_then() -> None:
    assert token_of({"XCSH_MCP_TOKEN": " given "}) == ("given", "")
    made, said = token_of({"XCSH_MCP_TOKEN": ""})
    assert len(made) > 40
    assert made in said
