"""Every front end shows every finding, whichever part of the program has it."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable

import pytest
from acp import text_block
from mcp import Client
from mcp.types import TextContent
from tests.acp_agent.editors import editor
from tests.support import USER_SETTINGS, Project
from tests.tui.built_ins.asked import talking

from xcsh.agent.consent.settings import permissions_of
from xcsh.cli.main import main
from xcsh.diagnosis import with_every_finding
from xcsh.errors import UsageError
from xcsh.extensions.custom import CustomCommands
from xcsh.extensions.loading import Extensions
from xcsh.mcp.server import RulesServer
from xcsh.pipeline import discover
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.session.prompt_pipeline import PromptContext
from xcsh.sources.filesystem import make_environment
from xcsh.sources.settings.given import with_given
from xcsh.surfaces.layout import shown_path
from xcsh.tui.dashboard.snapshot import take

TREE = {
    # of discovery: rules, settings, commands, skills, links
    ".cursor/rules/broken.mdc": "---\ndescription: Use when: adding\n---\nBody.",
    ".xcsh/rules/hidden.md": "---\nalwaysApply: true\n---\na\u202eb",
    ".xcsh/rules/empty.md": "---\ndescription: D\n---\n",
    USER_SETTINGS: "discovery.recusive = true\nconsent.allow = ['shell(ls; rm x)']\n",
    ".claude/commands/unclosed.md": "{{#if args}}Go.",
    ".agents/skills/maps/SKILL.md": "---\nname: My Skill\n---\nDraw.",
    # of the guard
    ".xcsh/rules/all.md": "---\ncondition: '.*'\n---\nStop.",
    ".xcsh/rules/tool.md": "---\ncondition: 'foo[0-9]+'\nscope: tool:edti\n---\nStop.",
    # of code in Python
    "~/.xcsh/agent/commands/wrong.py": "def run(:\n",
    "~/.xcsh/agent/commands/resume.py": "def run(context, args): ...\n",
    "~/.xcsh/agent/extensions/binary.py": "#" * 1_048_577,
    ".xcsh/extensions/untrusted.py": "",
    # of servers
    ".mcp.json": '{"mcpServers": {\n"a": {"command": "x", "colour": "red"},\n"b": {}}}',
    "~/.xcsh/agent/mcp.json": "[",
}


FOUND = {
    ("frontmatter-repaired", ".cursor/rules/broken.mdc:2:14"),
    ("bidi-control", ".xcsh/rules/hidden.md:4:2"),
    ("text-held-back", ".xcsh/rules/hidden.md:4:2"),
    ("empty-rule", ".xcsh/rules/empty.md:4:1"),
    ("unknown-setting", "~/.xcsh/agent/settings.toml:1:1"),
    ("invalid-consent-pattern", "~/.xcsh/agent/settings.toml:2:18"),
    ("unclosed-block", ".claude/commands/unclosed.md:1:1"),
    ("skill-limits", ".agents/skills/maps/SKILL.md:2:7"),
    ("matches-empty", ".xcsh/rules/all.md:2:12"),
    ("unknown-tool", ".xcsh/rules/tool.md:3:8"),
    ("extension-failed", "~/.xcsh/agent/commands/wrong.py:1:9"),
    ("shadowed-by-builtin", "~/.xcsh/agent/commands/resume.py"),
    ("file-too-large", "~/.xcsh/agent/extensions/binary.py"),
    ("unknown-mcp-key", ".mcp.json:2:23"),
    ("invalid-mcp-server", ".mcp.json:3:1"),
    ("invalid-mcp-file", "~/.xcsh/agent/mcp.json:1:2"),
}
FILES = 13
_HEAD, _PLACE = re.compile(r"^(?:error|warning|information|hint)\[([a-z0-9-]+)\]"), re.compile(r"^  --> (.*)$")


def shown(text: str) -> tuple[list[tuple[str, str]], str]:
    """The findings of a report for people, and its last line."""
    lines = [line for line in text.splitlines() if line.strip("` ")]
    codes = [(index, match[1]) for index, line in enumerate(lines) if (match := _HEAD.match(line))]
    places = [next((match[1] for line in lines[index:] if (match := _PLACE.match(line))), "") for index, _ in codes]
    return [(code, place) for (_, code), place in zip(codes, places, strict=True)], lines[-1]


async def of_the_verb(project: Project, capfd: pytest.CaptureFixture[str]) -> str:
    await asyncio.to_thread(main, ["-C", os.fspath(project.root), "doctor"])
    return capfd.readouterr().out


async def of_the_terminal(project: Project, _: object) -> str:
    async with talking(project) as talk:
        return await talk.type("/doctor")


async def of_the_editor(project: Project, _: object) -> str:
    async with editor(project) as (connection, client, _server):
        await connection.initialize(protocol_version=1)
        session = (await connection.new_session(cwd=os.fspath(project.root), mcp_servers=[])).session_id
        await connection.prompt(session_id=session, prompt=[text_block("/doctor")])
        return client.text


async def of_the_server(project: Project, _: object) -> str:
    async with Client(RulesServer(project.discover()).server) as client:
        (content,) = (await client.call_tool("doctor", {})).content
        assert isinstance(content, TextContent)
        return content.text


@pytest.mark.parametrize("front_end", [of_the_verb, of_the_terminal, of_the_editor, of_the_server])
async def test_every_front_end_shows_the_same_findings(
    front_end: Callable[[Project, pytest.CaptureFixture[str]], Awaitable[str]],
    project: Project, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # R-33, S-21: one of every kind
    monkeypatch.setenv("HOME", os.fspath(project.home))
    project.write(TREE)
    found, total = shown(await front_end(project, capfd))
    assert sorted(found) == sorted(FOUND)
    assert total.endswith(f"{FILES} files")


def test_the_dashboard_has_the_same_findings(project: Project) -> None:
    # S-23
    registry = project(TREE)
    environment = registry.environment
    snapshot = take(PromptContext(registry, Extensions(), CustomCommands(), print))
    places = [(item, ":".join(map(str, item.position or ()))) for item in snapshot.registry.diagnostics]
    found = [(item.code, f"{shown_path(item.path, environment)}:{place}".rstrip(":")) for item, place in places]
    assert sorted(found) == sorted(FOUND)


async def test_what_many_files_have_is_whole_where_it_is_asked_for_and_for_other_programs(project: Project) -> None:
    #
    async with talking(
        project, tree={f".claude/commands/{number}.md": "{{#if args}}Go." for number in range(7)}
    ) as talk:
        assert len(shown(await talk.type("/doctor"))[0]) == 6  # the last is a count
        assert len(shown(await talk.type("/doctor --all"))[0]) == 7
    assert len(shown(await of_the_server(project, None))[0]) == 7


async def test_a_count_that_names_the_doctor_is_the_one_that_it_gives(project: Project) -> None:
    #
    async with talking(project, tree=TREE) as talk:
        assert f"{len(FOUND)} findings: /doctor" in await talk.type("/reload")
        assert "wrong" in await talk.type("/commands --all")
        assert "nothing here is named" not in await talk.type("/explain ~/.xcsh/agent/commands/resume.py")


async def test_an_extension_that_failed_is_among_the_findings_until_it_is_loaded_again(project: Project) -> None:
    # a session runs it, so that only a session knows
    async with talking(project, tree={"~/.xcsh/agent/extensions/broken.py": "1 / 0\n"}) as talk:
        before = shown(await talk.type("/doctor"))
        assert before[0] == [("extension-failed", "~/.xcsh/agent/extensions/broken.py:1:1")]
        await talk.type("/reload")
        assert shown(await talk.type("/doctor")) == before


def test_findings_are_at_the_places_where_a_file_has_them_now(project: Project) -> None:
    # a program that runs for long shows the line as it is
    registry = project({".xcsh/rules/all.md": TREE[".xcsh/rules/all.md"]})
    (before,) = with_every_finding(registry).diagnostics
    project.write({".xcsh/rules/all.md": "---\ndescription: D\ncondition: '.*'\n---\nStop."})
    (after,) = with_every_finding(registry).diagnostics
    assert (before.position, after.position) == ((2, 12), (3, 12))


def test_what_a_session_knows_already_is_there_once(project: Project) -> None:
    #
    registry = project(TREE)
    whole = with_every_finding(registry)
    again = with_every_finding(registry._replace(diagnostics=whole.diagnostics))
    assert again.diagnostics == whole.diagnostics
    assert with_every_finding(whole) == whole
    assert len(set(whole.diagnostics)) == len(whole.diagnostics) == len(FOUND)


def test_a_command_in_python_is_listed_once_however_often_findings_are_asked_for(project: Project) -> None:
    # R-33, S-1
    code = "def run(context, args): ...\n"
    registry = project({"~/.xcsh/agent/commands/hello.py": code, ".xcsh/commands/hello.md": "Hello."})
    whole = with_every_finding(registry)
    assert [entry.command.name for entry in whole.commands.all].count("hello") == 2
    assert with_every_finding(whole) == whole


def test_what_is_no_pattern_is_found_where_it_was_said(project: Project) -> None:
    # S-12, R-33: of what is to be refused it is an error, since nothing begins
    project.write({USER_SETTINGS: "consent.deny = [\n  'shell(git:*)',\n  'shell(ls; rm x)',\n]\n"})
    environment = make_environment(os.fspath(project.root), os.fspath(project.home))
    given = with_given(
        environment, {"XCSH_CONSENT_ALLOW": "shell(ls; a)"}, {"consent.allow": ("shell(ls; b)", "shell(ls)")}
    )
    registry = discover(given, BUILTIN_PROVIDERS)
    found = [item for item in with_every_finding(registry).diagnostics if item.code == "invalid-consent-pattern"]
    path = os.fspath(project.path(USER_SETTINGS))
    assert [(item.severity, item.path, item.position, item.message.partition(": ")[0]) for item in found] == [
        ("warning", "", None, "--set consent.allow"),
        ("warning", "", None, "XCSH_CONSENT_ALLOW"),
        ("error", path, (3, 3), "consent.deny"),
    ]
    with pytest.raises(UsageError, match=f"{re.escape(path)}:3: consent.deny: 'shell"):
        permissions_of(registry)
