"""What each built-in does and says, over real sessions and no screen (S-21)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.llm.wire_models import until
from tests.support import USER_SETTINGS, Project
from tests.tui.built_ins.asked import Front, talking

from xcsh.session.agent_session import AgentSession
from xcsh.session.events import ModelChanged, TurnStarted
from xcsh.slash.builtins import BUILTIN_COMMANDS
from xcsh.surfaces.layout import Style
from xcsh.tui.built_ins.helping import help_lines
from xcsh.tui.built_ins.table import BUILT_INS
from xcsh.tui.built_ins.typed_here import typed_here
from xcsh.tui.conversation import Conversation
from xcsh.tui.front_end import FrontEnd
from xcsh.tui.input.commands import commands_of
from xcsh.tui.opening import Opening

ENDLESS = [{"text": "a beginning"}, {"delay": 60}, {"text": "never"}]
ANSWER = "Two:\n```py\na = 1\nb = 2\n```\nand\n~~~\nc\n~~~\n"
TREE = {
    ".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs.",
    ".xcsh/commands/review.md": "---\ndescription: Reviews a file\nmodel: openai-chat:wanted\nargument-hint: PATH\n---\nLook.",
}


def test_every_built_in_is_known_to_hide_a_command_of_its_name() -> None:
    # S-21: one that were not, would hide a file's command for good, and nothing would say so
    assert sorted(item.name for item in BUILT_INS) == list(BUILTIN_COMMANDS)


async def test_help_has_every_built_in_the_commands_of_the_project_and_the_keys(project: Project) -> None:
    # S-21
    async with talking(project, tree=TREE) as talk:
        said = await talk.type("/help")
        assert all(f"/{item.name}" in said for item in BUILT_INS)
        assert "/review PATH" in said
        assert "via xcsh Project" in said
        assert "F3" in said
    for width in (60, 80):
        narrow = help_lines(None, Style(colour=False, width=width))
        assert max(map(len, narrow)) <= width
        assert "…" not in "".join(narrow)
        words = " ".join(" ".join(narrow).split())
        assert all(item.summary in words for item in BUILT_INS)


async def test_advice_names_what_is_typed_in_a_conversation(project: Project) -> None:
    # S-21, U-1: not the verbs of the command line
    tree = {
        **TREE,
        ".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse xcsh rules --all.",
        ".cursor/rules/e.mdc": "",
    }
    async with talking(project, tree=tree) as talk:
        said = await talk.type("/rules")
        assert "skipped: /rules --all" in said
        assert "/explain NAME" in said
        assert "SKIPPED" not in said
        assert "SKIPPED" in await talk.type("/rules --all")
        assert "/settings" in (said := await talk.type("/settings nope"))
        assert "xcsh config" not in said
    assert typed_here("see: xcsh sessions, xcsh trust --show") == "see: /resume, xcsh trust --show"


async def test_the_findings_are_those_of_the_command_line(project: Project) -> None:
    # T-20, R-33: also what is odd about stream rules
    async with talking(project, tree={".xcsh/rules/odd.md": "---\ncondition: '.*'\n---\nx"}) as talk:
        assert "matches-empty" in await talk.type("/doctor")
        assert "1 finding" in await talk.type("/explain odd")


async def test_what_is_in_force_is_listed_and_explained(project: Project) -> None:
    # S-21
    async with talking(project, tree=TREE) as talk:
        assert "house" in await talk.type("/rules")
        assert "review" in await talk.type("/commands")
        assert "Use tabs" not in await talk.type("/doctor")
        assert "house  ·  ALWAYS" in await talk.type("/explain house")
        assert "review" in await talk.type("/explain", "/review")
        assert [choice.value for choice in talk.front.asked[-1][1]][:2] == ["house", "/review"]
        assert "did you mean house?" in await talk.type("/explain hose")
        assert await talk.type("/extensions") == "the dashboard"
        project.write({".xcsh/rules/more.md": "---\nalwaysApply: true\n---\nMore."})
        assert (await talk.type("/reload")).startswith("2 rules and ")


async def test_models_are_offered_with_a_reason_and_kept_only_where_the_user_says_so(project: Project) -> None:
    # S-21, S-11
    async with talking(project, tree=TREE, replies=["one"]) as talk:
        first = talk.session.model_name
        assert await talk.type("/model") == ""
        offered = {choice.value: choice.detail for choice in talk.front.asked[-1][1]}
        assert offered[first] == "answers now"
        assert offered["openai-chat:wanted"] == "/review wants it"
        said = await talk.type("/model antropic:claude")
        assert said == "the model 'antropic:claude' (by its name) is none that is known\ndid you mean anthropic:claude?"
        assert talk.session.model_name == first
        assert not [event for event in talk.front.events if isinstance(event, ModelChanged)]
        await talk.type("/model", "--other")
        assert talk.front.prompt == "/model "
        other = project.root / "other.jsonl"
        other.write_text('{"recording": 1, "prompt": "x"}\n{"reply": [{"text": "other"}]}\n', "utf-8")
        said = await talk.type(f"/model replay:{other} --save")
        assert said.startswith(f"replay:{other} answers from now on\nnew sessions have replay:{other} too")
        assert f'model = "replay:{other}"' in project.path(USER_SETTINGS).read_text("utf-8")
        await talk.type("who is there?")
        assert talk.front.last_answer == "other"


async def test_the_level_of_thinking_is_chosen(project: Project) -> None:
    # S-21
    async with talking(project) as talk:
        assert "is not known to take that" in await talk.type("/thinking", "high")
        assert talk.session.thinking == "high"
        assert "choose of: off" in await talk.type("/thinking hard")
        assert "thinking: default" in await talk.type("/thinking default")
        assert talk.session.thinking == ""


async def test_settings_are_shown_with_their_origin_and_changed_with_comments_kept(project: Project) -> None:
    # S-21
    tree = {USER_SETTINGS: "# mine\n[ttsr]\nenabled = true  # always\n"}
    async with talking(project, "--set", "ttsr.repeat_gap=3", tree=tree) as talk:
        said = await talk.type("/settings", "ttsr.enabled", "false")
        path = project.path(USER_SETTINGS)
        assert said == f"ttsr.enabled is false in {path}"
        assert path.read_text("utf-8") == "# mine\n[ttsr]\nenabled = false  # always\n"
        assert talk.session.context.registry.settings.get("ttsr.enabled") is False
        title, choices, about = talk.front.asked[-1]
        assert title.startswith("ttsr.enabled: Watch stream rules")
        assert "~/.xcsh/agent/settings.toml:3" in about
        assert [choice.value for choice in choices] == ["true", "false", "unset"]
        assert "it is 3 all the same, because of --set" in await talk.type("/settings ttsr.repeat_gap 7")
        assert "`ttsr.repeat_gap` takes a positive number" in await talk.type("/settings ttsr.repeat_gap often")
        assert "did you mean ttsr.enabled" in await talk.type("/settings ttsr.enable")
        assert "is no pattern" in await talk.type("/settings consent.allow shell(")
        assert "opened from now on" in await talk.type("/settings consent.allow shell(git status:*)")
        await talk.type("/settings consent.allow", "type")
        assert talk.front.prompt == "/settings consent.allow shell(git status:*)"
        assert "is no longer set" in await talk.type("/settings ttsr.enabled unset")


async def test_the_answer_and_each_block_of_code_can_be_copied(project: Project) -> None:
    # S-21
    async with talking(project, replies=[ANSWER]) as talk:
        assert await talk.type("/copy") == "there is no answer yet"
        await talk.type("show me")
        await talk.type("/copy")
        assert talk.front.clipboard == ANSWER
        await talk.type("/copy 1")
        assert talk.front.clipboard == "a = 1\nb = 2\n"
        await talk.type("/copy 2")
        assert talk.front.clipboard == "c\n"
        assert "has 2 blocks of code" in await talk.type("/copy 3")


async def test_an_export_replaces_nothing_without_asking(project: Project) -> None:
    # S-21
    async with talking(project, replies=["one"]) as talk:
        await talk.type("a question")
        assert await talk.type("/export talk.md") == f"written: {project.root / 'talk.md'}"
        page = (project.root / "talk.md").read_text("utf-8")
        assert "a question" in page
        (project.root / "talk.md").write_text("mine", "utf-8")
        assert await talk.type("/export talk.md", "no") == "nothing was written"
        assert (project.root / "talk.md").read_text("utf-8") == "mine"
        await talk.type("/export talk.md", "yes")
        assert (project.root / "talk.md").read_text("utf-8") == page
        await talk.type("/export talk.json")
        assert json.loads((project.root / "talk.json").read_text("utf-8"))["id"] == talk.session.id
        assert "there is no folder" in await talk.type("/export no/such/file.md")
        await talk.type("/export")
        assert (project.root / f"session-{talk.session.id}.md").is_file()


async def test_a_session_that_is_written_nowhere_is_exported_all_the_same(project: Project) -> None:
    # S-21
    async with talking(project, "--no-session", replies=["one"]) as talk:
        await talk.type("a question")
        await talk.type("/export talk.md")
        assert "a question" in (project.root / "talk.md").read_text("utf-8")


async def test_an_undo_shows_what_it_would_do_before_it_does_it(project: Project) -> None:
    # S-21, S-13
    writing = [{"tool": "write_file", "arguments": {"path": "new.txt", "content": "one\ntwo\n"}}]
    async with talking(project, "--allow", "write", replies=[writing, "done"]) as talk:
        assert await talk.type("/undo") == "no turn has changed a file"
        await talk.type("write it")
        assert await talk.type("/undo", "") == "nothing was changed"
        assert "new.txt  +0 −2  would be removed" in talk.front.asked[-1][2]
        assert (project.root / "new.txt").exists()
        assert "new.txt is removed" in await talk.type("/undo", "undo")
        assert not (project.root / "new.txt").exists()
        await talk.type("/redo", "redo")
        assert "new.txt  +2 −0" in talk.front.asked[-1][2]
        assert (project.root / "new.txt").read_text("utf-8") == "one\ntwo\n"


async def test_each_text_that_waits_can_be_edited_dropped_or_sent_now(project: Project) -> None:
    # S-25
    async with talking(project, replies=[ENDLESS, "yes"]) as talk:
        assert await talk.type("/queue") == "nothing waits to be sent"
        await talk.streaming("go")
        for text in ("a", "b", "c", "d"):
            await talk.conversation.submit(text, later=True)
        await until(lambda: len(talk.session.waiting) == 4)
        await talk.session.abort()
        await talk.type("/queue", "1", "edit")
        assert talk.front.prompt == "b"
        assert talk.front.asked[-2][1][0].detail == "after the turn"
        assert await talk.type("/queue", "0", "drop") == "dropped: a"
        assert [entry.text for entry in talk.session.waiting] == ["c", "d"]
        await talk.type("/queue", "1", "now")
        started = [event.text for event in talk.front.events if isinstance(event, TurnStarted)]
        assert started[:2] == ["go", "d"]


async def test_all_that_waits_goes_back_into_the_prompt(project: Project) -> None:
    # S-25
    async with talking(project, replies=[ENDLESS]) as talk:
        await talk.streaming("go")
        for text in ("a", "b"):
            await talk.conversation.submit(text, later=True)
        await until(lambda: len(talk.session.waiting) == 2)
        await talk.session.abort()
        await talk.type("/queue", "all")
        assert talk.front.prompt == "a\n\nb"
        assert talk.session.waiting == ()


async def test_trust_shows_what_would_take_effect_and_then_it_does(project: Project) -> None:
    # S-21, S-12
    tree = {
        ".xcsh/commands/hello.py": 'def command(api):\n    """Says hello."""\n    return "hello"\n',
        ".mcp.json": '{"mcpServers": {"fake": {"command": "fake-server", "args": ["--all"]}}}',
    }
    async with talking(project, tree=tree, replies=["one"]) as talk:
        await talk.type("a question")
        session = talk.session.id
        assert await talk.type("/trust", "show", "leave") == "not trusted; nothing was changed"
        assert "runs: fake-server --all" in talk.front.asked[-2][2]
        assert 'return "hello"' in talk.front.asked[-1][2]
        assert (await talk.type("/trust", "trust")).startswith("trusted, as long as none of this changes: ")
        assert talk.session.id == session
        assert len(talk.session.messages) == 2
        assert [each.name for each in talk.session.context.customs.commands] == ["hello"]
        assert (await talk.type("/trust", "revoke")).startswith("this folder is no longer trusted")
        assert not talk.session.context.customs.commands


async def test_mcp_servers_are_listed_and_one_that_failed_is_started_anew(project: Project) -> None:
    # S-21, S-12
    tree = {
        "~/.xcsh/agent/mcp.json": json.dumps(
            {
                "mcpServers": {
                    "broken": {"command": os.fspath(project.root / "none")},
                    "off": {"command": "x", "disabled": True},
                }
            }
        )
    }
    async with talking(project, tree=tree) as talk:
        assert await talk.type("/mcp") == ""
        listed = {choice.value: choice.detail for choice in talk.front.asked[-1][1]}
        assert listed == {"broken": "not started yet", "off": "disabled, its file says so"}
        said = await talk.type("/mcp broken", "yes")
        assert said.endswith("mcp/broken.log") or "broken  failed" in said
        assert "broken  failed" in said
        assert "start it anew" in str(await talk.type("/mcp broken") or talk.front.asked[-1][1])
        assert "no MCP server is named 'x'" in await talk.type("/mcp x")
    async with talking(project, "--no-session") as talk:
        project.path("~/.xcsh/agent/mcp.json").unlink()
        await talk.type("/new")
        assert "no MCP server is named" in await talk.type("/mcp")


async def test_a_built_in_that_needs_a_session_waits_for_it(project: Project) -> None:
    # S-21
    async with talking(project, replies=["one"]) as talk:
        await talk.conversation.submit("/new")
        await until(lambda: talk.conversation.session is None)
        await talk.conversation.submit("/help")
        await talk.conversation.submit("/reload")
        assert talk.conversation.early == ["/reload"]
        await talk.conversation.settled()
        assert talk.front.said[0].startswith("the conversation")
        assert any("are active" in said for said in talk.front.said)


async def test_an_alias_is_its_built_in_unless_a_command_has_the_name(project: Project) -> None:
    # S-21
    async with talking(project, tree={".xcsh/commands/clear.md": "Clear the table."}) as talk:
        known = {each.text: each.source for each in commands_of(talk.session.context)}
        assert known["/quit"] == "built-in"
        assert known["/clear"] != "built-in"
        assert "/exit, /quit" in (help_text := await talk.type("/help"))
        assert "/new, /clear" not in help_text
        await talk.type("/clear")
        assert [event.text for event in talk.front.events if isinstance(event, TurnStarted)] == ["Clear the table."]
        await talk.conversation.submit("/quit")
        await until(lambda: talk.front.ended)


async def test_who_quits_before_there_is_a_session_does_not_wait_for_it() -> None:
    # S-21: by the alias too
    @asynccontextmanager
    async def never(_: Opening | None, __: FrontEnd) -> AsyncGenerator[AgentSession]:
        await asyncio.Event().wait()
        raise AssertionError
        yield

    front = Front()
    conversation = Conversation(never, front)
    living = asyncio.create_task(conversation.live())
    await conversation.submit("/clear")
    await conversation.submit("/quit")
    assert conversation.early == ["/clear"]
    await until(lambda: front.ended)
    living.cancel()
    await asyncio.wait({living})


async def test_clear_begins_another_session(project: Project) -> None:
    # S-21
    async with talking(project) as talk:
        first = talk.session.id
        assert "/new, /clear" in await talk.type("/help")
        await talk.conversation.submit("/clear")
        await until(lambda: talk.conversation.session is not None and talk.session.id != first)
