"""The prompt in the application: completing, history, pasting, and what each key does."""

from __future__ import annotations

import os

from rich.cells import cell_len
from tests.llm.wire_models import bodies, until
from tests.session.sessions import says
from tests.support import Project
from tests.tui.chatting import chat
from textual.events import Paste
from textual.pilot import Pilot

from xcsh.llm.reply import Delay, Reply, text
from xcsh.tui.app import ChatApp
from xcsh.tui.input.history import append_history, history_file, read_history
from xcsh.tui.input.pasting import Pastes, drawn
from xcsh.tui.input.popup import Popup

REVIEW = {
    ".xcsh/commands/review.md": "---\ndescription: Reviews a file\nargument-hint: '[path]'\n---\nReview $1.",
    ".xcsh/commands/status.md": "Say the status.",
    "src/app.py": "",
    "src/deep/view.py": "",
}


def offered(app: ChatApp) -> list[str | None]:
    popup = app.query_one(Popup)
    return [popup.get_option_at_index(at).id for at in range(popup.option_count)]


async def keys(pilot: Pilot[None], typed: str) -> None:
    names = {"/": "slash", "@": "at", " ": "space", ".": "full_stop", "\\": "backslash", "!": "exclamation_mark"}
    await pilot.press(*(names.get(letter, letter) for letter in typed))
    await pilot.pause()


async def test_enter_completes_what_is_not_whole_and_sends_what_is(project: Project) -> None:
    # C-30, S-20
    async with chat(project, says("ok"), tree=REVIEW) as (app, pilot, server):
        await keys(pilot, "/stat")
        assert offered(app)[0] == "/status"
        await pilot.press("enter")
        assert app.prompt.text == "/status"
        assert not app.query_one(Popup).is_open
        assert server.exchanges == []
        await pilot.press("enter")
        await until(lambda: len(server.exchanges) == 1)
        assert bodies(server)[0]["messages"][-1]["content"] == "Say the status."


async def test_up_and_down_choose_and_escape_closes_the_popup_before_it_interrupts(project: Project) -> None:
    # C-30, S-25
    endless = Reply((text("the beginning of an answer"), Delay(60.0), text("never")))
    async with chat(project, endless, tree=REVIEW) as (app, pilot, server):
        await keys(pilot, "go")
        await pilot.press("enter")
        await until(lambda: bool(server.exchanges))
        await keys(pilot, "/re")
        first = app.query_one(Popup).chosen
        await pilot.press("down")
        second = app.query_one(Popup).chosen
        assert first is not None
        assert second is not None
        assert first != second
        await pilot.press("escape")
        assert not app.query_one(Popup).is_open
        assert app.prompt.text == "/re"
        assert app.conversation.session is not None
        assert app.conversation.session.is_streaming
        await pilot.press("tab", "down", "tab")
        assert app.prompt.text.rstrip() == second.text
        await pilot.press("escape")
        await until(lambda: app.conversation.session is not None and not app.conversation.session.is_streaming)
        assert app.prompt.text.rstrip() == second.text


async def test_files_complete_step_by_step_anywhere_in_the_text_and_undo_takes_it_back(project: Project) -> None:
    # C-30
    async with chat(project, tree=REVIEW) as (app, pilot, _):
        await keys(pilot, "see @sr")
        await until(lambda: "@src/" in offered(app))
        await pilot.press("tab")
        assert app.prompt.text == "see @src/"
        await until(lambda: offered(app)[:2] == ["@src/app.py", "@src/deep/"])
        await pilot.press("tab")
        assert app.prompt.text == "see @src/app.py "
        await pilot.press("ctrl+z")
        assert app.prompt.text == "see @src/"


async def test_a_click_completes(project: Project) -> None:
    # C-30
    async with chat(project, tree=REVIEW) as (app, pilot, _):
        await keys(pilot, "/rev")
        await pilot.click(Popup, offset=(3, 0))
        await pilot.pause()
        assert app.prompt.text == "/review "
        assert app.focused is app.prompt


async def test_a_ghost_shows_the_rest_or_the_hint_and_right_takes_only_the_rest(project: Project) -> None:
    # C-30: "inline hints"
    async with chat(project, tree=REVIEW) as (app, pilot, _):
        await keys(pilot, "/revi")
        assert app.prompt.suggestion == "ew"
        await pilot.press("right")
        await pilot.pause()
        assert app.prompt.text == "/review"
        assert app.prompt.suggestion == " [path]"
        await pilot.press("right")
        assert app.prompt.text == "/review"


async def test_the_history_is_that_of_the_project_and_what_is_typed_comes_back(project: Project) -> None:
    # S-20
    path = history_file(os.environ, os.fspath(project.home), os.fspath(project.root))
    append_history(path, "from last week")
    async with chat(project, says("ok"), says("ok")) as (app, pilot, server):
        await until(lambda: "from last week" in app.prompt.past.texts)
        await keys(pilot, "first")
        await pilot.press("enter")
        app.prompt.put(" secret")
        await pilot.press("enter")
        await until(lambda: len(server.exchanges) == 2)
        await keys(pilot, "dra")
        await pilot.press("up", "up")
        assert app.prompt.text == "from last week"
        await pilot.press("down", "down")
        assert app.prompt.text == "dra"
        await pilot.press("ctrl+r", "w", "e", "e", "enter")
        assert app.prompt.text == "from last week"
        await until(lambda: "first" in read_history(path))
        assert " secret" not in read_history(path)


async def test_lines_are_broken_in_three_ways_and_a_long_paste_is_sent_in_full(project: Project) -> None:
    # S-20
    async with chat(project, says("ok"), says("ok")) as (app, pilot, server):
        app.prompt.pastes = Pastes(most_letters=1_000)  # less than one of those that follow
        await keys(pilot, "a")
        await pilot.press("ctrl+j", "b", "shift+enter", "c", "backslash", "enter")
        pasted = "\r\n".join(f"line {number}" for number in range(214))
        app.prompt.post_message(Paste(pasted))
        await pilot.pause()
        assert app.prompt.text == "a\nb\nc\n[pasted 214 lines]"
        await pilot.press("ctrl+z")
        assert app.prompt.text == "a\nb\nc\n"
        await pilot.press("ctrl+y", "enter")
        await until(lambda: len(server.exchanges) == 1)
        assert bodies(server)[0]["messages"][-1]["content"] == "a\nb\nc\n" + pasted.replace("\r\n", "\n")
        app.prompt.post_message(Paste(pasted.upper()))  # the first one is let go of
        await pilot.press("enter")
        await until(lambda: len(server.exchanges) == 2)
        app.prompt.put("see [pasted 214 lines]")  # as undo brings it back
        await pilot.press("enter")
        assert app.prompt.text == "see [pasted 214 lines]"
        assert len(server.exchanges) == 2


async def test_what_drives_a_terminal_is_sent_and_not_drawn(project: Project) -> None:
    # S-20
    hostile = "a \x9b31m\x1b]0;t\x07\u202eb\x7f\ud800 [red]x[/red]"
    async with chat(project, says("ok")) as (app, pilot, _):
        app.prompt.post_message(Paste(hostile))
        await pilot.pause()
        assert app.prompt.text == hostile
        on_screen = "".join(strip.text for strip in map(app.prompt.render_line, range(app.prompt.size.height)))
        assert on_screen.replace("\u200b", "").startswith("a 31m]0;tb\ufffd [red]x[/red]")
    assert all(cell_len(drawn(letter)) == cell_len(letter) for letter in map(chr, range(0x2100)) if letter != "\t")


async def test_ctrl_d_leaves_only_where_nothing_is_typed(project: Project) -> None:
    async with chat(project) as (app, pilot, _):
        await keys(pilot, "text")
        await pilot.press("home", "ctrl+d")
        assert app.prompt.text == "ext"
        await pilot.press("ctrl+u", "ctrl+k", "ctrl+d")
        await until(lambda: app.conversation.session is None)
