"""The conversation by lines, from a pipe, over a real session and a scripted model server."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.llm.wire_models import bodies, scripted, text_of
from tests.session.images.pictures_of import PNG, images_in
from tests.session.sessions import says, slow
from tests.session.test_command_grants import TOUCH
from tests.support import Project, Tree

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.settings import permissions_of
from xcsh.llm.reply import Failure, Reply
from xcsh.llm.sse_server import FakeModelServer
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.surfaces.layout import Style
from xcsh.tui.front_end import FrontEnd
from xcsh.tui.opening import Opening
from xcsh.tui.plain.running import PlainMode

RULE: Tree = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.'}


async def plain(
    project: Project, typed: str, *script: Reply | Failure, tree: Tree | None = None
) -> tuple[str, FakeModelServer]:
    """What is written where these lines are piped in."""
    project.write(tree or {})
    out = io.StringIO()
    async with scripted(*script) as (model, server):

        @asynccontextmanager
        async def open_session(_: Opening | None, front: FrontEnd) -> AsyncGenerator[AgentSession]:
            session = await create_agent_session(
                model,
                os.fspath(project.root),
                home=os.fspath(project.home),
                consent=lambda registry: Consent(permissions_of(registry, asks=True), front.ask),
            )
            async with session:
                yield session

        reading, writing = os.pipe()
        os.write(writing, typed.encode())
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as source:
            mode = PlainMode(open_session, source, out, style=Style(colour=False), environ={})
            async with asyncio.timeout(30):
                await mode.run()
    assert mode.failure is None
    written = out.getvalue()
    assert all(line.isprintable() for line in written.split("\n"))
    return written, server


async def test_the_lines_of_a_pipe_are_turns_one_after_the_other(project: Project) -> None:
    # S-26, S-14
    written, server = await plain(project, "first\nsecond\\\nwith a line\n", says("It is **one**."), says("Two."))
    assert "Model: It is **one**.\n" in written
    assert written.index("one") < written.index("Model: Two.")
    asked = [text_of(body["messages"][-1]) for body in bodies(server)]
    assert asked == ["first", "second\nwith a line"]


async def test_what_a_stream_rule_stops_is_taken_back_in_a_sentence(project: Project) -> None:
    # S-24
    written, _ = await plain(project, "declare\n", slow("I write let a: any = 1 here"), says("let a: A"), tree=RULE)
    assert "The answer was stopped by the rule no-any (.xcsh/rules/no-any.md) at: : any." in written
    assert "what it has written so far is taken back" in written
    assert written.rstrip().endswith("Model: let a: A")


async def test_a_question_about_consent_is_a_numbered_list_that_the_next_line_answers(project: Project) -> None:
    # S-12
    written, server = await plain(project, "touch it\nperhaps\n1\n", TOUCH, says("done"))
    assert "Question: the model wants to use shell." in written
    assert "\n    touch made\n" in written
    assert "'perhaps' is no answer." in written
    assert (project.root / "made").exists()
    assert len(server.exchanges) == 2


async def test_no_is_answered_with_its_reason_and_the_end_of_the_input_is_a_no(project: Project) -> None:
    # S-12
    _, server = await plain(project, "touch it\nno, use git\n", TOUCH, says("not done"))
    assert "use git" in text_of(bodies(server)[-1]["messages"][-1])
    await plain(project, "touch it\n", TOUCH, says("not done"))
    assert not (project.root / "made").exists()


async def test_built_ins_are_answered_in_their_place_and_never_sent(project: Project) -> None:
    # S-21
    tree = {".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs."}
    written, server = await plain(project, "/rules\n/help\nhi\n/copy\n/exit\nnever\n", says("hello"), tree=tree)
    assert written.index("house") < written.index("/doctor") < written.index("Model: hello")
    assert "/later TEXT" in written
    assert not any(key in written for key in ("F2", "F3", "PageUp", "Ctrl+O", "Shift+Tab", "Alt+Enter"))
    assert "There is no clipboard here; this is the text:\nhello\n" in written
    assert len(server.exchanges) == 1


async def test_rules_are_listed_switched_off_and_shown_by_words(project: Project) -> None:
    # S-23
    typed = "/extensions\nfind any\noff no-any\nshow no-any\nwhat\noff nothing\non no-any\noff cursor\n\n/rules\n"
    written, _ = await plain(project, typed, tree={**RULE, ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nA."})
    assert "STREAM, " in written
    assert "  no-any, of xcsh, .xcsh/rules/no-any.md: : any " in written
    assert "rule:no-any is off: discovery.disabled in ~/.xcsh/agent/settings.toml:2." in written
    assert "rule:no-any is on: taken out of discovery.disabled" in written
    assert "There is nothing named nothing." in written
    assert written.count("Type: off NAME") == 2
    assert "cursor is off" in written
    assert "cursor/rules" not in written[written.rindex("cursor is off") :]


async def test_an_image_that_a_line_mentions_is_sent_with_it(project: Project) -> None:
    # S-20
    (project.root / "shot.png").write_bytes(PNG)
    written, server = await plain(project, "what is @shot.png?\n", says("a button"))
    assert images_in(bodies(server)[0]) == [(0, "image/png", PNG)]
    assert "Model: a button" in written
