"""The terminal application over a real session and a scripted model server."""

from __future__ import annotations

import asyncio

from tests.llm.wire_models import bodies, until
from tests.session.sessions import says, slow
from tests.support import Project
from tests.tui.chatting import chat, shown, status_of, typed
from textual.widgets import OptionList, Static

from xcsh.llm.reply import Delay, Reply, text
from xcsh.tui.dialogs.choice import ChoiceDialog
from xcsh.tui.dialogs.consent import ConsentDialog
from xcsh.tui.front_end import Choice
from xcsh.tui.transcript.transcript import Transcript
from xcsh.tui.waiting import Waiting


async def test_what_is_typed_is_sent_and_the_answer_streams_as_markdown(project: Project) -> None:
    # S-20, S-14
    async with chat(project, says("It is **one**.")) as (app, pilot, server):
        await typed(pilot, "what is it?")
        await until(lambda: app.query_one(Transcript).last_answer != "")
        await pilot.pause()
        assert "you  what is it?" in shown(app)
        assert "It is **one**." in shown(app)
        assert len(server.exchanges) == 1


async def test_a_stream_rule_shows_as_a_notice_and_what_was_retracted_is_gone(project: Project) -> None:
    # S-24
    rule = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.'}
    async with chat(project, slow("I write let a: any = 1 here"), says("let a: A"), tree=rule) as (app, pilot, _):
        await typed(pilot, "declare a")
        await until(lambda: app.query_one(Transcript).last_answer == "let a: A")
        await pilot.pause()
        assert "⚡ stopped by no-any (.xcsh/rules/no-any.md)" in shown(app)
        assert "I write" not in shown(app)


async def test_commands_complete_as_they_are_typed(project: Project) -> None:
    # C-30, S-20
    tree = {".xcsh/commands/review.md": "---\ndescription: Reviews a file\n---\nReview $1."}
    async with chat(project, says("ok"), tree=tree) as (app, pilot, server):
        await pilot.press("/", "r", "e", "v")
        await pilot.pause()
        popup = app.query_one("#popup", OptionList)
        assert popup.has_class("-open")
        assert popup.get_option_at_index(0).id == "/review"
        await pilot.press("tab")
        assert app.prompt.text == "/review "
        await pilot.press("a", "enter")
        await until(lambda: len(server.exchanges) == 1)
        assert bodies(server)[0]["messages"][-1]["content"] == "Review a."


async def test_escape_interrupts_and_what_is_queued_waits_to_be_edited(project: Project) -> None:
    # S-25
    endless = Reply((text("the beginning of an answer"), Delay(60.0), text("never")))
    async with chat(project, endless) as (app, pilot, server):
        await typed(pilot, "go")
        await until(lambda: bool(server.exchanges) and server.exchanges[0].sent > 2)
        await typed(pilot, "later", "alt+enter")
        await until(lambda: "● writing · 1 waiting: F3 · Esc interrupt" in status_of(app))
        await pilot.press("escape")
        await until(lambda: server.exchanges[0].closed_at is not None)
        await until(lambda: "interrupted" in shown(app))
        assert "1 waiting" in status_of(app)
        assert "⧗ later  after the turn" in str(app.query_one(Waiting).content)
        await pilot.press("f3")
        for _ in ("which", "edit it"):
            await until(lambda: isinstance(app.screen, ChoiceDialog))
            await pilot.press("enter")
            await pilot.pause()
        await until(lambda: app.prompt.text == "later")


async def test_consent_shows_the_exact_command_and_no_runs_nothing(project: Project) -> None:
    # S-12
    from tests.session.test_command_grants import TOUCH

    async with chat(project, TOUCH, says("not done")) as (app, pilot, _):
        await typed(pilot, "touch it")
        await until(lambda: isinstance(app.screen, ConsentDialog) and app.screen.armed)
        texts = [str(item.content) for item in app.screen.query(Static)]
        assert "touch made" in texts
        await pilot.press("n")
        await until(lambda: app.query_one(Transcript).last_answer == "not done")
        assert not (project.root / "made").exists()


async def test_the_built_ins_are_never_sent(project: Project) -> None:
    # S-21
    tree = {".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nUse tabs."}
    async with chat(project, tree=tree) as (app, pilot, server):
        for command in ("/help", "/rules", "/doctor", "/undo", "/reload"):
            await typed(pilot, command)
            await pilot.pause()
        await until(lambda: "1 rule and " in shown(app))
        assert "house" in shown(app)
        assert "nothing can be taken back" in shown(app)
        assert server.exchanges == []


async def test_ctrl_c_puts_a_draft_aside_before_it_leaves(project: Project) -> None:
    # S-25
    async with chat(project) as (app, pilot, _):
        app.prompt.put("a long draft")
        await pilot.press("ctrl+c")
        assert app.prompt.text == ""
        assert app.conversation.session is not None
        await pilot.press("up")
        assert app.prompt.text == "a long draft"
        app.prompt.put("")
        await pilot.press("ctrl+c")
        await until(lambda: not app.is_running)


async def test_nothing_opens_over_a_question(project: Project) -> None:
    # S-12
    async with chat(project) as (app, pilot, _):
        asked = asyncio.ensure_future(app.choose("Which?", [Choice("a", "A")]))
        await until(lambda: len(app.screen_stack) > 1)
        question = app.screen
        await pilot.press("f2", "f3")
        assert app.screen is question
        await pilot.press("escape")
        assert await asked is None
