"""What a person sees of a conversation, and does with it: over a real session and a scripted model server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from syrupy.assertion import SnapshotAssertion
from tests.llm.wire_models import scripted, until
from tests.session.sessions import calls, says, slow
from tests.support import USER_SETTINGS, Project
from tests.tui.chatting import chat, shown, status_of, typed
from tests.tui.pictures import is_as_pictured
from textual.pilot import Pilot
from textual.widgets import Static

from xcsh.llm.reply import Failure, Reply, Thinking, ToolCall, cut, text
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.tui.app import ChatApp
from xcsh.tui.front_end import FrontEnd
from xcsh.tui.input.prompt_input import PromptInput
from xcsh.tui.opening import Opening
from xcsh.tui.status import Heading
from xcsh.tui.transcript.rule_screen import RuleScreen

MAY_EDIT = {USER_SETTINGS: '[consent]\nallow = ["edit", "write"]\n'}
CART = "".join(f"line {at}\n" for at in range(1, 41))
NO_ANY = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever write any.\n'}
EDIT = calls("edit_file", {"path": "src/cart.ts", "old_text": "line 7\n", "new_text": "total\nsum\n"})


async def answered(pilot: Pilot[None], answer: str, question: str = "go") -> ChatApp:
    """Asks, and waits until the answer is on the screen."""
    app = pilot.app
    assert isinstance(app, ChatApp)
    await typed(pilot, question)
    await until(lambda: app.transcript.last_answer == answer)
    await pilot.pause()
    return app


def as_everywhere(app: ChatApp) -> None:
    """Nothing on the screen that is of this machine or of this moment, or of other parts."""
    app.query_one(PromptInput).display = app.query_one("#status").display = False
    heading = app.query_one(Heading)
    heading._folder, heading._branch = "~/shop", "main"
    heading._write()


def on_screen(app: ChatApp) -> str:
    transcript = app.transcript
    return "\n".join(transcript.render_line(y).text.rstrip() for y in range(transcript.size.height))


async def test_a_change_of_a_file_is_a_line_with_counts_and_unfolds_to_its_diff(
    project: Project, snapshot: SnapshotAssertion
) -> None:
    # S-14
    tree = {**MAY_EDIT, "src/cart.ts": CART}
    first = Reply((text("I change it."), *EDIT.pieces))
    async with chat(project, first, says("See src/cart.ts:7."), tree=tree) as (app, pilot, _):
        await answered(pilot, "See src/cart.ts:7.")
        assert "▸ edit src/cart.ts  +2 −1" in on_screen(app)
        assert "line 7" not in on_screen(app)
        await pilot.press("shift+tab")
        assert "Enter: unfold" in on_screen(app)
        await pilot.press("enter")
        await pilot.pause()
        lines = on_screen(app).splitlines()
        at = lines.index("  src/cart.ts:4")
        assert lines[at + 4 : at + 7] == ["  − line 7", "  + total", "  + sum"]
        as_everywhere(app)
        await pilot.pause()
        assert is_as_pictured(app, snapshot)
        await pilot.press("enter")
        assert "− line 7" not in on_screen(app)


async def test_what_is_typed_in_the_transcript_goes_on_in_the_prompt(project: Project) -> None:
    # S-25
    async with chat(project, says("hello")) as (app, pilot, _):
        await answered(pilot, "hello")
        await pilot.press("shift+tab")
        assert app.focused is app.transcript
        await pilot.press("o", "k")
        assert app.focused is app.prompt
        assert app.prompt.text == "ok"
        await pilot.press("shift+tab", "escape")
        assert app.focused is app.prompt


async def test_thinking_is_a_line_with_its_size_and_one_key_unfolds_all(
    project: Project, snapshot: SnapshotAssertion
) -> None:
    # S-11, S-14
    reply = Reply((Thinking(cut("The cart has items; each has a price. " * 10)), text("Done.")))
    async with chat(project, reply, Reply((Thinking(cut("Once more.")), text("Again."))), size=(80, 24)) as (
        app,
        pilot,
        _,
    ):
        await answered(pilot, "Done.")
        assert "▸ thought for ~95 tokens" in on_screen(app)
        assert "each has a price" not in on_screen(app)
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert "▾ thought for ~95 tokens\n  The cart has items; each has a price." in on_screen(app)
        await answered(pilot, "Again.")
        assert "Once more." in on_screen(app)
        as_everywhere(app)
        await pilot.pause()
        assert is_as_pictured(app, snapshot)
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert "Once more." not in on_screen(app)


async def test_a_stream_rule_is_a_notice_that_opens_the_rule_and_what_was_retracted_is_gone(
    project: Project, snapshot: SnapshotAssertion
) -> None:
    # S-24, S-14
    first = Reply((Thinking(cut("I would use any.")), *slow("I write let a: any = 1 here").pieces), 0.01)
    async with chat(project, first, says("let a: A"), tree=NO_ANY, size=(80, 24)) as (app, pilot, _):
        await answered(pilot, "let a: A")
        assert "I write" not in on_screen(app)
        assert "thought" not in on_screen(app)
        assert "⚡    stopped by no-any (.xcsh/rules/no-any.md)" in on_screen(app)
        as_everywhere(app)
        await pilot.pause()
        assert is_as_pictured(app, snapshot)
        await pilot.press("shift+tab")
        assert "Enter: open the rule" in on_screen(app)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, RuleScreen))
        await pilot.pause()
        texts = "\n".join(str(each.content) for each in app.screen.query(Static))
        assert "no-any  ·  STREAM" in texts
        assert ".xcsh/rules/no-any.md" in texts
        assert "Never write any." in texts
        await pilot.press("escape")
        assert app.screen is app.screen_stack[0]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """An editor with a window, and what it was called with."""
    calls = tmp_path / "calls"
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "code"
    program.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(program))
    return lambda: calls.read_text("utf-8") if calls.exists() else ""


async def test_e_opens_a_rule_and_a_click_on_a_place_opens_the_file_in_the_editor(
    project: Project, opened: Callable[[], str]
) -> None:
    # S-23, S-24
    script = (slow("let a: any = 1 here"), says("See src/cart.ts:12 there"))
    async with chat(project, *script, tree={**NO_ANY, "src/cart.ts": CART}) as (app, pilot, _):
        await answered(pilot, "See src/cart.ts:12 there")
        lines = on_screen(app).splitlines()
        row = next(at for at, line in enumerate(lines) if "See src" in line)
        await pilot.click("#transcript", offset=(lines[row].index("src") + 3, row))
        await until(lambda: f"{project.root}/src/cart.ts:12" in opened())
        await pilot.press("shift+tab", "enter")
        await until(lambda: isinstance(app.screen, RuleScreen))
        await pilot.press("e")
        await until(lambda: f"{project.root}/.xcsh/rules/no-any.md" in opened())


async def test_rules_that_come_with_a_file_are_a_notice_and_the_change_that_waited_is_no_failure(
    project: Project, snapshot: SnapshotAssertion
) -> None:
    # S-14, R-44
    rule = {".xcsh/rules/ts.md": "---\nglobs: ['src/**']\n---\nUse tabs."}
    tree = {**MAY_EDIT, **rule, "src/cart.ts": CART}
    async with chat(project, EDIT, EDIT, says("done"), tree=tree, size=(80, 24)) as (app, pilot, _):
        await answered(pilot, "done")
        lines = [line for line in on_screen(app).splitlines() if line]
        assert lines[1:4] == [
            "▸ edit src/cart.ts  held back",
            "📎    ts attached (src/cart.ts); the change waits until the model has read it",
            "▸ edit src/cart.ts  +2 −1",
        ]
        as_everywhere(app)
        await pilot.pause()
        assert is_as_pictured(app, snapshot)


async def test_a_failure_says_what_to_do(project: Project, snapshot: SnapshotAssertion) -> None:
    # S-14
    tree = {**MAY_EDIT, "src/cart.ts": "nothing of it\n"}
    async with chat(project, EDIT, Failure(401, "no key"), tree=tree, size=(80, 24)) as (app, pilot, _):
        await typed(pilot, "go")
        await until(lambda: "HTTP 401" in shown(app))
        await pilot.pause()
        lines = on_screen(app)
        assert "▸ edit src/cart.ts  failed" in lines
        assert "✗     the provider answered HTTP 401 for fake: no key\n      check the provider's key" in lines
        as_everywhere(app)
        await pilot.pause()
        assert is_as_pictured(app, snapshot)


async def test_what_discovery_found_is_one_line(project: Project) -> None:
    #
    tree = {
        ".xcsh/rules/a.md": "---\ncondition: '('\n---\nx",
        ".xcsh/rules/b.md": "---\ncondition: '['\n---\nx",
    }
    async with chat(project, tree=tree) as (app, _, _):
        await until(lambda: "in rule files" in shown(app))
        assert "2 errors" in shown(app)
        assert "/doctor" in shown(app)
        assert len(shown(app).splitlines()) == 1


async def test_the_end_is_followed_and_who_scrolls_up_stays_where_they_are_until_they_send(project: Project) -> None:
    # S-25
    long = "\n\n".join(f"paragraph {at}" for at in range(60))
    more = Reply((Thinking(("Well.",)), text("\n\n".join(f"more {at}" for at in range(60)))))
    async with chat(project, says(long), more, size=(80, 24)) as (app, pilot, _):
        await answered(pilot, long)
        assert "paragraph 59" in on_screen(app)
        await pilot.press("pageup", "pageup")
        await pilot.wait_for_animation()
        before = on_screen(app)
        assert "paragraph 59" not in before
        await app.say("\n".join(f"said {at}" for at in range(60)))
        await pilot.pause()
        assert on_screen(app) == before
        assert "↓ more" in status_of(app)
        await typed(pilot, "more")
        await until(lambda: "more 59" in app.transcript.last_answer)
        await pilot.pause()
        assert "more 59" in on_screen(app)
        assert "↓ more" not in status_of(app)


async def test_what_is_marked_is_copied_by_the_key_that_else_ends_the_turn(project: Project) -> None:
    # S-25
    async with chat(project, says("one two three\n\nfour five")) as (app, pilot, _):
        await answered(pilot, "one two three\n\nfour five")
        row = next(at for at, line in enumerate(on_screen(app).splitlines()) if "one two" in line)
        await pilot.mouse_down("#transcript", offset=(11, row))
        await pilot.hover("#transcript", offset=(10, row + 2))
        await pilot.mouse_up("#transcript", offset=(10, row + 2))
        await pilot.pause()
        await pilot.press("ctrl+c")
        assert app.clipboard.splitlines() == ["two three", "", "      four"]
        assert app.is_running


async def test_earlier_messages_are_shown_and_another_session_takes_their_place(project: Project) -> None:
    # S-13, S-22
    history = [ModelRequest([UserPromptPart("a question")]), ModelResponse([TextPart("an **old** answer")])]
    async with scripted() as (model, _):

        @asynccontextmanager
        async def open_session(opening: Opening | None, _: FrontEnd) -> AsyncGenerator[AgentSession]:
            earlier = history if opening is None else ()
            async with await create_agent_session(model, project.root, home=project.home, history=earlier) as session:
                yield session

        app = ChatApp(open_session)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: "an **old** answer" in shown(app))
            await pilot.pause()
            assert [line for line in on_screen(app).splitlines() if line] == ["you   a question", "model an old answer"]
            await app.conversation.reopen(Opening())
            await until(lambda: "old" not in shown(app))
            app.action_leave()


async def test_a_width_of_its_own_and_colours_of_its_own_change_no_word(project: Project) -> None:
    # S-20
    async with chat(project, says("word " * 60), size=(120, 30)) as (app, pilot, _):
        await answered(pilot, "word " * 60)
        wide = on_screen(app).split()
        await pilot.resize_terminal(60, 30)
        app.theme = "textual-light"
        await pilot.pause()
        await pilot.pause()
        assert on_screen(app).split() == wide


async def test_nothing_of_a_model_or_a_tool_drives_the_terminal_or_is_read_as_markup(project: Project) -> None:
    # S-14
    nasty = "\x1b]0;title\x07 [red]x[/red] \u202eabc"
    write = ToolCall("c1", "write_file", cut(json.dumps({"path": "a.txt", "content": nasty})))
    async with chat(project, Reply((text(nasty), write)), says("ok"), tree=MAY_EDIT) as (app, pilot, _):
        await answered(pilot, "ok", nasty)
        await pilot.press("ctrl+o")
        await pilot.pause()
        text_shown = on_screen(app)
        assert text_shown.count("\\x1b]0;title\\x07 [red]x[/red] \\u202eabc") == 3
        assert all(character.isprintable() or character == "\n" for character in text_shown)
