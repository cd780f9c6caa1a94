"""Files that name MCP servers: what is read, what is wrong and where, whose server counts, and what trust is bound to."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from tests.support import Project

from xcsh.agent.consent.patterns import Request, parse_pattern
from xcsh.agent.consent.permissions import Permissions
from xcsh.model.diagnostic import Diagnostic
from xcsh.sources.filesystem import make_environment
from xcsh.sources.mcp.files import McpServers, read_mcp_servers
from xcsh.sources.trust.deciding import trust, trust_state

USER = "~/.xcsh/agent/mcp.json"


def read(project: Project) -> tuple[McpServers, list[Diagnostic]]:
    found: list[Diagnostic] = []
    environment = make_environment(os.fspath(project.root), os.fspath(project.home))
    return read_mcp_servers(environment, found.append), found


def named(**servers: Any) -> str:
    return json.dumps({"mcpServers": servers})


# S-12
def test_the_three_files_are_read_and_the_project_goes_first(project: Project) -> None:
    project.write({
        ".mcp.json": named(a={"command": "shared"}, b={"command": "b"}),
        ".xcsh/mcp.json": named(a={"command": "native"}),
        USER: named(b={"url": "https://b.test/mcp", "headers": {"K": "v"}}, c={"type": "sse", "url": "http://c.test"}),
    })  # fmt: skip
    servers, found = read(project)
    assert [(each.name, each.shown, each.type, each.level) for each in servers.servers] == [
        ("a", "native", "stdio", "project"), ("a", "shared", "stdio", "project"), ("b", "b", "stdio", "project"),
        ("b", "https://b.test/mcp", "http", "user"), ("c", "http://c.test", "sse", "user"),
    ]  # fmt: skip
    assert [item.code for item in found] == ["mcp-server-shadowed"] * 2
    assert "'a' is shadowed by 'a' of" in found[0].message
    assert found[0].related == (os.fspath(project.root / ".xcsh/mcp.json"),)
    assert [servers.may_start(each) for each in servers.servers] == [False, False, False, True, True]


def test_without_a_file_there_is_nothing(project: Project) -> None:
    assert read(project) == (McpServers(), [])


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('{"mcpServers": {\n  "a": {"command": "x"},\n}}', (3, 1), "it is no JSON (expecting property name"),
        ("[]", None, "it is no JSON object"),
        ('{\n "servers": {}}', None, "it has no `mcpServers`"),
        ('{\n "mcpServers": []}', (2, 2), "`mcpServers` is no object"),
        ("[" * 100_000, None, "it is nested too deeply"),
        ("\0", (1, 1), "it holds a NUL byte"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_with_its_place(
    project: Project, text: str, place: tuple[int, int] | None, message: str
) -> None:
    project.write({USER: text})
    servers, (found,) = read(project)
    assert servers.servers == ()
    assert (found.code, found.position) == ("invalid-mcp-file", place)
    assert found.message.startswith(message)


@pytest.mark.parametrize(
    ("entry", "key", "message"),
    [
        ("7", "a", "the server 'a' is no object"),
        ("{}", "a", "the server 'a' has neither `command` nor `url`"),
        ('{"command": "x", "url": "http://x"}', "a", "the server 'a' has both `command` and `url`"),
        ('{"command": ["x"]}', "command", "`command` of the server 'a' is no text"),
        ('{"command": "x", "args": "y"}', "args", "`args` of the server 'a' is no list of texts"),
        ('{"command": "x", "args": [1]}', "args", "`args` of the server 'a' holds something that is no text"),
        ('{"command": "x", "env": {"A": 1}}', "env", "`env` of the server 'a' holds something that is no text"),
        ('{"command": "x\\u0000"}', "command", "`command` of the server 'a' holds a character that it cannot take"),
        ('{"url": "file:///etc"}', "url", "`url` of the server 'a' is no http:// or https:// address"),
        ('{"url": "http://x", "headers": {"A": "b\\nc"}}', "headers",
         "`headers` of the server 'a' holds a character that it cannot take"),
        ('{"type": "ws", "url": "http://x"}', "type", "`type` of the server 'a' is none of: stdio, http"),
        ('{"type": "http", "command": "x"}', "type", "`type` of the server 'a' is 'http', which needs `url`"),
    ],
)  # fmt: skip
def test_an_entry_that_is_wrong_is_left_out_with_its_place_and_the_others_stay(
    project: Project, entry: str, key: str, message: str
) -> None:
    text = f'{{"mcpServers": {{\n  "b": {{"command": "b"}},\n  "a": {entry}}}}}'
    project.write({USER: text})
    servers, (found,) = read(project)
    assert [each.name for each in servers.servers] == ["b"]
    line = text.split("\n")[2]
    assert found.code == "invalid-mcp-server"
    assert found.message.startswith(message)
    assert found.position == (3, line.index(f'"{key}"') + 1)


def test_a_misspelt_key_is_reported_beside_what_is_missing_for_it(project: Project) -> None:
    project.write({USER: named(a={"comand": "y"})})
    assert [item.message for item in read(project)[1]] == [
        "the server 'a' has neither `command` nor `url`",
        "the server 'a' has the unknown key `comand`",
    ]


def test_keys_without_effect_are_reported_and_none_of_them_grants_anything(project: Project) -> None:
    project.write({
        USER: '{"mcpServers": {"a": {"comand": "y", "command": "x", "autoApprove": ["*"], "timeout": 9},\n'
              '"a": {"command": "z"}}}',
    })  # fmt: skip
    servers, found = read(project)
    assert [each.command for each in servers.servers] == ["z"]
    assert [(item.code, item.message) for item in found] == [
        ("unknown-mcp-key", "`a` stands twice in one object; the last one counts"),
    ]
    project.write({USER: named(a={"comand": "y", "command": "x", "autoApprove": ["*"], "timeout": 9})})
    _, found = read(project)
    assert [item.message for item in found] == [
        "the server 'a' has the unknown key `comand`",
        "`autoApprove` of the server 'a' allows nothing: its calls are asked about",
    ]


def test_variables_are_filled_in_as_the_tools_do_and_missing_ones_are_named(project: Project) -> None:
    entry = {"command": "${BIN}/x", "args": ["${A:-b c}", "${E:-d}", "$A"], "env": {"K": "${NO}${NO}"}, "cwd": "${D:-}"}
    project.write({USER: named(a=entry)})
    ((server,), _) = read(project)[0].servers, None
    assert server.variables == ("BIN", "A", "E", "D", "NO")
    filled, missing = server.filled({"BIN": "/bin", "E": "", "A_": "x"})
    assert (filled.command, filled.args, filled.cwd) == ("/bin/x", ("b c", "", "$A"), "")
    assert missing == ("NO",)
    assert server.shown == "K='${NO}${NO}' '${BIN}/x' '${A:-b c}' '${E:-d}' '$A'"


@pytest.mark.parametrize(
    ("name", "slug"), [("git hub", "git_hub"), ("a__b", "a_b"), ("_x_", "x"), ("é", "server"), ("a-b.c", "a-b_c")]
)
def test_names_become_parts_of_the_names_of_tools(project: Project, name: str, slug: str) -> None:
    project.write({USER: named(**{name: {"command": "x"}})})
    assert [each.slug for each in read(project)[0].servers] == [slug]


# S-12: what is trusted is the content of the files
@pytest.mark.parametrize("file", [".mcp.json", ".xcsh/mcp.json"])
def test_trust_is_bound_to_the_files_that_name_servers(project: Project, file: str) -> None:
    environment = make_environment(os.fspath(project.root), os.fspath(project.home))
    project.write({file: named(a={"command": "x"})})
    assert not read(project)[0].trusted
    assert read(project)[0].why == "this folder has not been trusted"
    trust(environment)
    assert read(project)[0].trusted
    project.write({file: named(a={"command": "y"})})
    servers = read(project)[0]
    assert (servers.trusted, servers.why) == (False, f"since this folder was trusted: {file} has changed")
    project.path(file).unlink()
    assert trust_state(environment).reason == f"since this folder was trusted: {file} is gone"


def test_a_link_out_of_the_project_is_not_followed(project: Project) -> None:
    project.write({"~/elsewhere.json": named(a={"command": "x"})})
    project.link(".mcp.json", project.home / "elsewhere.json")
    servers, (found,) = read(project)
    assert servers.servers == ()
    assert found.code == "invalid-mcp-file"
    assert "is a link that leaves the project" in found.message


def test_what_the_user_agreed_to_is_bound_to_the_entry_and_to_the_folder(project: Project) -> None:
    entry = {"command": "x", "args": ["1"], "env": {"A": "b"}, "cwd": "c"}
    found: set[str] = set()
    for place in (".mcp.json", ".xcsh/mcp.json"):
        for changed in ({}, {"command": "y"}, {"args": ["2"]}, {"env": {"A": "c"}}, {"cwd": "d"}):
            project.write({place: named(a={**entry, **changed})})
            found.add(read(project)[0].servers[0].sha256)
            project.path(place).unlink()
    assert len(found) == 10


# S-12: the spelling of other tools
@pytest.mark.parametrize(
    ("pattern", "tool", "allowed"),
    [
        ("mcp__a__b", "mcp__a__b", True),
        ("mcp__a__b", "mcp__a__bc", False),
        ("mcp__a", "mcp__a__b", True),
        ("mcp__a__*", "mcp__a__b", True),
        ("mcp__a", "mcp__ab__c", False),
        ("mcp__a", "mcp__a", True),
        ("mcp__", "mcp__a__b", False),
        ("mcp__a__b", "mcp__a__b__c", False),
    ],
)
def test_a_pattern_names_a_tool_or_all_tools_of_a_server(pattern: str, tool: str, allowed: bool) -> None:  # noqa: FBT001
    request = Request(tool, "{}", foreign=True)
    given = Permissions([parse_pattern(pattern)])
    assert (given.decide(request).verdict == "allow") == allowed
    assert Permissions(deny=[parse_pattern(pattern)]).decide(request).denied == allowed
