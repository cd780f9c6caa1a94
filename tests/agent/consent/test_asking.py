"""Consent in a running agent: real files and commands, real HTTP, an `ask` that the test answers."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, CapabilityEvent
from pydantic_ai.capabilities import Toolset
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.toolsets import FunctionToolset
from tests.llm.wire_models import bodies, last_text, scripted, tool_names, until
from tests.support import USER_SETTINGS, Project

from xcsh.agent import build_agent
from xcsh.agent.consent.calls import ORIGIN
from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.events import ConsentAskedEvent, ConsentGivenEvent
from xcsh.agent.consent.patterns import Request, parse_pattern
from xcsh.agent.consent.permissions import Permissions, Policy
from xcsh.agent.consent.request import Always, Answer, ConsentRequest, No, Once, Session
from xcsh.agent.consent.settings import grants, keep_in_settings, permissions_of
from xcsh.llm.reply import Reply, ToolCall, cut, text

TREE = {"src/a.ts": "let a = 1\n", "notes.md": "note\n"}
DONE = Reply((text("Done."),))
WIRES = pytest.mark.parametrize("wire", ["openai", "anthropic"])


def calls(*wanted: tuple[str, dict[str, Any]]) -> Reply:
    return Reply(tuple(ToolCall(f"c{n}", tool, cut(json.dumps(args))) for n, (tool, args) in enumerate(wanted, 1)))


def shell(command: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "shell", {"command": command, **more}


def write(path: str, content: str = "new\n") -> tuple[str, dict[str, Any]]:
    return "write_file", {"path": path, "content": content}


def edit(path: str, old: str, new: str) -> tuple[str, dict[str, Any]]:
    return "edit_file", {"path": path, "old_text": old, "new_text": new}


class User:
    """Answers questions in order, the last answer again and again, and remembers them."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[ConsentRequest] = []
        self.open = 0
        self.most_open = 0

    async def __call__(self, request: ConsentRequest) -> Answer:
        self.asked.append(request)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(0.01)  # long enough for another call to come too early
        self.open -= 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Result:
    def __init__(self, events: list[Any], requests: list[dict[str, Any]], returned: dict[str, ToolReturnPart]) -> None:
        self.events = [event for event in events if isinstance(event, ConsentAskedEvent | ConsentGivenEvent)]
        self.requests = requests
        self.returned = returned

    def says(self, call_id: str = "c1") -> str:
        return self.returned[call_id].model_response_str()


async def run(
    project: Project,
    user: User | None,
    *replies: Reply,
    settings: str = "",
    allow: Sequence[str] = (),
    wire: str = "openai",
    tools: FunctionToolset[Any] | None = None,
) -> Result:
    """A turn of the agent with the user, or headless without."""
    registry = project({**TREE, **({USER_SETTINGS: settings} if settings else {})})
    permissions = permissions_of(registry, grants(allow), asks=user is not None)
    consent = Consent(permissions, user, keep=keep_in_settings(registry))
    events: list[Any] = []
    async with asyncio.timeout(60), scripted(*replies, DONE, wire=wire) as (model, server):
        agent = build_agent(
            registry, model, str(project.root), consent=consent, capabilities=[Toolset(tools)] if tools else []
        )
        async with agent.run_stream_events("go") as stream:
            events = [event async for event in stream]
    messages = events[-1].result.all_messages()
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    return Result(events, bodies(server), {part.tool_call_id: part for part in parts})


@WIRES
async def test_a_command_runs_when_the_user_says_yes_and_the_next_is_asked_about_again(
    project: Project, wire: str
) -> None:
    # S-12: once
    user = User(Once())
    result = await run(project, user, calls(shell("echo hi > made")), calls(shell("echo hi > made")), wire=wire)
    assert project.path("made").read_text() == "hi\n"
    assert [request.command for request in user.asked] == ["echo hi > made"] * 2
    assert user.asked[0].why == "it runs a command, which may do anything that you may do"
    assert (user.asked[0].tool, user.asked[0].origin, user.asked[0].patterns) == ("shell", "the model", ())
    assert result.returned["c1"].outcome == "success"


@WIRES
async def test_a_no_reaches_the_model_in_words_and_nothing_happens(project: Project, wire: str) -> None:
    # S-12: no
    user = User(No("use pnpm"), No())
    result = await run(project, user, calls(shell("touch made"), write(".xcsh/rules/r.md")), wire=wire)
    assert not project.path("made").exists()
    assert "The user said no: use pnpm" in json.dumps(result.requests[1])
    assert result.says() == "The user said no: use pnpm"
    assert result.returned["c1"].outcome == "denied"


async def test_a_no_to_a_change_of_a_file_is_a_denied_call_too(project: Project) -> None:
    # S-12: no
    project.path(".xcsh/rules").mkdir(parents=True)
    result = await run(project, User(No()), calls(write(".xcsh/rules/r.md")))
    assert not project.path(".xcsh/rules/r.md").exists()
    assert result.says().startswith("The user said no. Do not try the same in another way")
    assert result.returned["c1"].outcome == "denied"


async def test_session_for_the_first_of_parallel_calls_holds_for_those_that_wait(project: Project) -> None:
    # S-12: for the session
    user = User(Session())
    result = await run(project, user, calls(*[shell("echo x; echo y")] * 3), calls(shell("echo x; echo y")))
    assert len(user.asked) == 1
    assert all("x\ny" in result.says(f"c{n}") for n in (1, 2, 3))


async def test_session_with_a_pattern_holds_for_what_the_pattern_matches(project: Project) -> None:
    # S-12: for the session
    user = User(Session("shell(touch:*)"), No())
    await run(project, user, calls(shell("touch a"), shell("touch b"), shell("touch c; touch d")))
    assert [request.command for request in user.asked] == ["touch a", "touch c; touch d"]
    assert project.path("b").exists()
    assert not project.path("d").exists()
    assert not project.path("~/.xcsh/agent/settings.toml").exists()


@WIRES
async def test_parallel_calls_are_asked_about_one_after_the_other_in_their_order(project: Project, wire: str) -> None:
    # S-12
    user = User(Once())
    project.write({".xcsh/a": "", ".xcsh/b": ""})
    wanted = [write(".xcsh/a"), shell("echo 1"), write(".xcsh/b"), edit("src/a.ts", "1", "2"), shell("echo 2")]
    result = await run(project, user, calls(*wanted), settings='consent.edits = "ask"\n', wire=wire)
    assert [request.command or request.path for request in user.asked] == [
        ".xcsh/a", "echo 1", ".xcsh/b", "src/a.ts", "echo 2"
    ]  # fmt: skip
    assert user.most_open == 1
    assert [request.call_id for request in user.asked] == ["c1", "c2", "c3", "c4", "c5"]
    assert all(part.outcome == "success" for part in result.returned.values())


async def test_parallel_changes_of_one_file_do_not_wait_for_each_other_for_ever(project: Project) -> None:
    # S-12
    user = User(Once())
    wanted = [edit("src/a.ts", "let", "var"), edit("src/a.ts", "a =", "b ="), edit("src/a.ts", "1", "2")]
    await run(project, user, calls(*wanted), settings='consent.edits = "ask"\n')
    assert project.path("src/a.ts").read_text() == "var b = 2\n"
    assert [request.diff.splitlines()[-1] for request in user.asked] == ["+var a = 1", "+var b = 1", "+var b = 2"]


async def test_edits_inside_the_folder_are_not_asked_about_unless_the_user_wants_it(project: Project) -> None:
    # S-12: consent.edits
    user = User(No())
    await run(project, user, calls(write("src/b.ts"), edit("src/a.ts", "1", "2")))
    assert user.asked == []
    assert project.path("src/b.ts").exists()
    await run(project, user, calls(edit("src/a.ts", "1", "3")), settings='consent.edits = "ask"\n')
    (request,) = user.asked
    assert request.diff.splitlines() == ["--- a/src/a.ts", "+++ b/src/a.ts", "@@ -1 +1 @@", "-let a = 1", "+let a = 3"]
    assert (request.tool, request.path, request.why) == ("edit_file", "src/a.ts", "it changes a file")
    assert request.patterns == ("edit_file(src/a.ts)", "edit_file(src/**)")
    assert project.path("src/a.ts").read_text() == "let a = 1\n"


async def test_session_for_a_change_holds_for_the_file(project: Project) -> None:
    # S-12: for the session
    user = User(Session(), No())
    steps = [calls(edit("src/a.ts", "1", "2")), calls(edit("src/a.ts", "2", "3")), calls(write("src/b.ts"))]
    await run(project, user, *steps, settings='consent.edits = "ask"\n')
    assert [request.path for request in user.asked] == ["src/a.ts", "src/b.ts"]
    assert project.path("src/a.ts").read_text() == "let a = 3\n"
    assert not project.path("src/b.ts").exists()


@pytest.mark.parametrize(
    "path", [".xcsh/settings.toml", ".claude/commands/x.md", ".mcp.json", "AGENTS.md", "src/CLAUDE.md", ".Cursor/x"]
)
async def test_what_steers_the_tools_is_always_asked_about(project: Project, path: str) -> None:
    # S-12
    project.path(path).parent.mkdir(parents=True, exist_ok=True)
    user = User(No())
    broad = 'consent.allow = ["write_file", "write_file(**)"]\n'
    await run(project, user, calls(write(path)), settings=broad)
    (request,) = user.asked
    name = path.split("/")[0 if path.startswith(".") else -1]
    assert request.why == f"it changes what steers the tools: {name}"
    assert not project.path(path).exists()


async def test_a_link_to_what_steers_the_tools_is_asked_about_by_both_names(project: Project) -> None:
    # S-12
    project.write({".xcsh/settings.toml": ""})
    project.link("innocent.md", ".xcsh/settings.toml")
    user = User(No())
    await run(project, user, calls(write("innocent.md")))
    (request,) = user.asked
    assert request.path == "innocent.md"
    assert request.notes == ("innocent.md is a link to .xcsh/settings.toml",)
    assert request.patterns == ()
    assert project.path(".xcsh/settings.toml").read_text() == ""


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        *((folder, "settings.toml") for folder in ("~/.xcsh/agent", ".xcsh", ".git/hooks", "~/.config/nushell")),
        ("~/Library", "LaunchAgents/x.plist"),
    ],
)
async def test_in_a_folder_by_which_a_file_steers_the_tools_it_is_asked_about(
    project: Project, folder: str, path: str
) -> None:
    # S-12: the user's settings, of all files
    project.write({f"{folder}/{path}": ""})
    registry = project.discover()
    user = User(No())
    consent = Consent(permissions_of(registry, asks=True), user)
    async with scripted(calls(write(path, 'consent.allow = ["shell"]')), DONE) as (model, _):
        await build_agent(registry, model, str(project.path(folder)), consent=consent).run("go")
    (request,) = user.asked
    assert request.path == f"{folder.removeprefix('~/')}/{path}"
    assert request.why.startswith("it changes what steers the tools")
    assert project.path(f"{folder}/{path}").read_text() == ""


async def test_a_file_outside_the_folder_is_out_of_reach_of_the_tools_and_nobody_is_asked(
    project: Project, tmp_path: Path
) -> None:
    # S-12: effects outside the working folder
    user = User(Once())
    outside = tmp_path / "outside"
    outside.write_text("s3cret")
    project.link("way-out", outside)
    wanted = [write(str(outside)), write("../../outside"), write("way-out"), ("read_file", {"path": str(outside)})]
    result = await run(project, user, *(calls(one) for one in wanted))
    assert outside.read_text() == "s3cret"
    assert user.asked == []
    assert "s3cret" not in json.dumps(result.requests)


async def test_always_is_written_to_the_users_settings_and_holds_at_once(project: Project) -> None:
    # S-12: always
    user = User(Always("shell(touch:*)"))
    settings = '# mine\n[consent]\nallow = ["shell(ls)"]  # fine\n'
    await run(project, user, calls(shell("touch a"), shell("touch b")), settings=settings)
    assert len(user.asked) == 1
    assert user.asked[0].patterns == ("shell(touch a)", "shell(touch a:*)")
    after = project.path(USER_SETTINGS).read_text()
    assert tomllib.loads(after) == {"consent": {"allow": ["shell(ls)", "shell(touch:*)"]}}
    assert after.startswith("# mine\n")
    assert after.endswith("# fine\n")
    nobody = await run(project, None, calls(shell("touch c")))
    assert project.path("c").exists()
    assert nobody.returned["c1"].outcome == "success"


async def test_an_always_that_cannot_be_written_holds_for_the_session_and_is_said(project: Project) -> None:
    # S-12: always; somebody edits the file while the question is open

    class Editing(User):
        async def __call__(self, request: ConsentRequest) -> Answer:
            project.write({USER_SETTINGS: "model = \n"})
            return await super().__call__(request)

    user = Editing(Always("shell(touch:*)"))
    result = await run(project, user, calls(shell("touch a"), shell("touch b")))
    assert len(user.asked) == 1
    assert project.path("b").exists()
    assert project.path(USER_SETTINGS).read_text() == "model = \n"
    assert "no TOML, so it is not changed" in result.events[-1].problem


async def test_an_answer_with_a_pattern_that_is_none_counts_once(project: Project) -> None:
    # S-12
    user = User(Always("shell(touch a; ls)"), No())
    result = await run(project, user, calls(shell("touch a; ls")), calls(shell("touch a; ls")))
    assert len(user.asked) == 2
    assert "is not one plain command" in result.events[1].problem
    assert not project.path(USER_SETTINGS).exists()


@WIRES
async def test_cancelling_while_a_question_is_open_withdraws_it_and_leaves_nothing(project: Project, wire: str) -> None:
    # S-12
    registry = project(TREE)
    asked: list[str] = []
    withdrawn: list[str] = []

    async def ask(request: ConsentRequest) -> Answer:
        asked.append(request.command)
        try:
            return await asyncio.Future()
        except asyncio.CancelledError:
            withdrawn.append(request.command)
            raise

    consent = Consent(permissions_of(registry, asks=True), ask)
    async with scripted(calls(shell("touch a"), shell("touch b")), wire=wire) as (model, _):
        agent = build_agent(registry, model, str(project.root), consent=consent)

        async def turn() -> None:
            async with agent.run_stream_events("go") as stream:
                async for _ in stream:
                    pass

        before = asyncio.all_tasks()
        task = asyncio.create_task(turn())
        await until(lambda: bool(asked))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: asyncio.all_tasks() <= before)
    assert asked == withdrawn == ["touch a"]
    assert not project.path("a").exists()
    assert consent._queue == []


async def test_without_anybody_to_ask_it_is_refused_with_one_line_of_how_to_allow_it(project: Project) -> None:
    # S-12: refusal is the default
    result = await run(
        project, None, calls(shell("git status --short > x")), calls(shell("git log -3")), allow=["shell(git status:*)"]
    )
    assert not project.path("x").exists()
    assert result.says() == (
        "Not done: `git log -3`: it runs a command, which may do anything that you may do, and nobody is here to "
        "consent. "
        "To allow it: --allow 'shell(git log -3)'"
    )
    assert last_text(result.requests[1]).endswith(
        "No pattern can allow it, since it is more than one plain command; to allow the whole shell: --allow shell"
    )
    assert result.events == []


async def test_headless_writing_does_not_reach_what_steers_the_tools_but_by_its_name(project: Project) -> None:
    # S-12
    project.path(".xcsh/rules").mkdir(parents=True)
    result = await run(project, None, calls(write(".xcsh/rules/r.md"), write("x.md")), allow=["write"])
    assert not project.path(".xcsh/rules/r.md").exists()
    assert project.path("x.md").exists()
    assert "--allow 'write_file(.xcsh/rules/r.md)'" in result.says()
    await run(project, None, calls(write(".xcsh/rules/r.md")), allow=["write_file(.xcsh/rules/*)"])
    assert project.path(".xcsh/rules/r.md").exists()


async def test_what_the_settings_deny_is_refused_without_asking_whatever_else_allows_it(project: Project) -> None:
    # S-12: consent.deny
    user = User(Once())
    settings = 'consent.allow = ["shell"]\nconsent.deny = ["shell(touch:*)", "write_file(*.lock)"]\n'
    result = await run(
        project, user, calls(shell("cd src && touch made"), write("a.lock"), shell("echo")), settings=settings
    )
    assert user.asked == []
    assert not project.path("src/made").exists()
    assert not project.path("a.lock").exists()
    assert result.says() == (
        "Refused without asking: `shell(touch:*)` is among consent.deny of your settings. Do not try another way."
    )


async def test_questions_and_answers_are_events_with_plain_values(project: Project) -> None:
    # S-12, S-14
    user = User(Once(), No("not now"), Session("shell(ls:*)"))
    result = await run(
        project, user, calls(write("AGENTS.md")), calls(shell("sleep 0", mode="background")), calls(shell("ls -l"))
    )
    kinds = [event.kind for event in result.events]
    assert kinds == ["xcsh.consent_asked", "xcsh.consent_given"] * 3
    given = [event for event in result.events if isinstance(event, ConsentGivenEvent)]
    assert [(event.tool, event.answer, event.pattern, event.reason) for event in given] == [
        ("write_file", "once", "", ""), ("shell", "no", "", "not now"), ("shell", "session", "shell(ls:*)", "")
    ]  # fmt: skip
    asked = [event for event in result.events if isinstance(event, ConsentAskedEvent)]
    assert asked[0].diff.startswith("--- a/AGENTS.md")
    assert asked[1].notes == ("it goes on in the background, after the answer too",)
    assert all(isinstance(event, CapabilityEvent) and event.tool_call_id for event in result.events)


def foreign(ran: list[str], name: str = "publish", origin: str = "") -> FunctionToolset[Any]:
    toolset = FunctionToolset[Any]()

    def tool(where: str) -> str:
        ran.append(where)
        return "published"

    toolset.add_function(tool, name=name, metadata={ORIGIN: origin} if origin else None)
    return toolset


async def test_a_tool_that_is_not_ours_is_asked_about_with_its_arguments_and_where_it_is_from(project: Project) -> None:
    # S-12: whatever untrusted project configuration asks for
    ran: list[str] = []
    user = User(No(), Always("publish"))
    once = calls(("publish", {"where": "prod"}))
    await run(project, user, once, once, once, tools=foreign(ran, origin=".mcp.json of this project"))
    assert ran == ["prod", "prod"]
    assert (user.asked[0].tool, user.asked[0].arguments) == ("publish", '{"where": "prod"}')
    assert (user.asked[0].origin, user.asked[0].patterns) == (".mcp.json of this project", ("publish",))


async def test_session_for_a_tool_that_is_not_ours_holds_for_the_same_arguments(project: Project) -> None:
    # S-12: for the session
    ran: list[str] = []
    user = User(Session(), No())
    wanted = [calls(("publish", {"where": where})) for where in ("test", "test", "prod")]
    await run(project, user, *wanted, tools=foreign(ran))
    assert ran == ["test", "test"]
    assert [request.arguments for request in user.asked] == ['{"where": "test"}', '{"where": "prod"}']


async def test_a_tool_that_is_not_ours_is_not_offered_where_nobody_can_be_asked(project: Project) -> None:
    # S-12
    ran: list[str] = []
    result = await run(project, None, tools=foreign(ran, "pub_lish"))
    assert "pub_lish" not in tool_names(result.requests[0])
    await run(project, None, calls(("pub_lish", {"where": "x"})), tools=foreign(ran, "pub_lish"), allow=["pub_lish"])
    assert ran == ["x"]


@pytest.mark.parametrize("name", ["write_file", "read_file", "grep", "shell", "read_rule"])
async def test_the_name_of_a_harmless_tool_does_not_make_a_foreign_one_harmless(name: str) -> None:
    # S-12
    ran: list[str] = []
    user = User(No())
    given = [parse_pattern(tool) for tool in ("write_file", "edit_file", "shell")]
    consent = Consent(Permissions(given, policy=Policy(asks=True, edits=True)), user)
    async with scripted(calls((name, {"where": "x"})), DONE) as (model, _):
        agent = Agent(model, capabilities=[consent, Toolset(foreign(ran, name))])
        await agent.run("go")
    assert [request.tool for request in user.asked] == [name]
    assert ran == []


async def test_what_is_no_call_of_a_tool_is_asked_about_in_the_same_queue(project: Project) -> None:
    # S-12: whatever untrusted project configuration asks for
    user = User(Once(), No("never heard of it"))
    consent = Consent(Permissions(policy=Policy(asks=True)), user)
    request = Request("mcp_server", "npx -y thing")
    shown = ConsentRequest("mcp_server", "a project asks for it", command="npx -y thing", origin=".mcp.json")
    said = await asyncio.gather(consent.settle(request, shown), consent.settle(request, shown))
    assert said == ["", "The user said no: never heard of it"]
    assert user.most_open == 1
    assert "To allow it" in await Consent(Permissions()).settle(request, shown)


async def test_an_ask_that_fails_runs_nothing(project: Project) -> None:
    # S-12
    async def ask(request: ConsentRequest) -> Answer:
        raise RuntimeError("the front end is gone")

    registry = project(TREE)
    consent = Consent(permissions_of(registry, asks=True), ask)
    async with scripted(calls(shell("touch made"))) as (model, _):
        agent = build_agent(registry, model, str(project.root), consent=consent)
        with pytest.raises(RuntimeError, match="the front end is gone"):
            await agent.run("go")
    assert not project.path("made").exists()
    assert consent._queue == []


async def test_a_folder_that_steers_the_tools_is_asked_about_as_one(project: Project) -> None:
    # S-12: the file tools' changes, of folders too
    user = User(No())
    await run(project, user, calls(("create_directory", {"path": ".claude/commands"})))
    (request,) = user.asked
    assert (request.tool, request.path, request.notes) == ("write_file", ".claude/commands", ("it makes a folder",))
    assert not project.path(".claude").exists()
