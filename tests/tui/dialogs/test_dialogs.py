"""The dialogs: a choice that is narrowed as it is typed, and consent that no stray key gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.llm.wire_models import until
from tests.session.sessions import says
from tests.session.test_command_grants import TOUCH
from tests.support import USER_SETTINGS, Project
from tests.tui.chatting import chat, shown, status_of, typed
from tests.tui.pictures import is_as_pictured
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from xcsh.agent.consent.request import Always, Answer, ConsentRequest, No, Once, Session
from xcsh.tui.dialogs.asking import Dialogs
from xcsh.tui.dialogs.choice import ChoiceDialog
from xcsh.tui.dialogs.consent import ConsentDialog
from xcsh.tui.dialogs.shown_request import lines_label, shown_request
from xcsh.tui.front_end import Choice
from xcsh.tui.status import Heading

COMMAND = ConsentRequest(
    "shell",
    "it runs a command, which may do anything that you may do",
    command="git push origin main && echo 'done\x1b[2J'",
    notes=("it goes on in the background, after the answer too",),
    patterns=("shell(git push origin main)", "shell(git push:*)"),
)
DIFF = ConsentRequest(
    "edit_file",
    "it changes what steers the tools: AGENTS.md",
    path="AGENTS.md",
    diff="--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1,3 +1,3 @@\n # Rules\n-Never push.\n--- a line of dashes\n+Push [bold]often[/bold].\n same\n",
    patterns=("edit_file(AGENTS.md)",),
)
FRUIT = [
    Choice(name, name, f"a kind of {kind}") for name, kind in (("apple", "pome"), ("pear", "pome"), ("plum", "stone"))
]
MANY = [*FRUIT, *(Choice(f"n{number}", f"number {number}") for number in range(20))]


class Desk(App[None]):
    """An application with nothing but dialogs."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.dialogs = Dialogs(self)


@asynccontextmanager
async def desk(size: tuple[int, int] = (80, 24)) -> AsyncGenerator[tuple[Desk, Pilot[None]]]:
    app = Desk()
    async with app.run_test(size=size) as pilot:
        yield app, pilot


async def _consent(app: Desk, pilot: Pilot[None], request: ConsentRequest, *keys: str) -> Answer | None:
    answer = asyncio.ensure_future(app.dialogs.answer(ConsentDialog(request)))
    await until(lambda: isinstance(app.screen, ConsentDialog) and app.screen.armed)
    await pilot.press(*keys)
    return await answer


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys count as soon as the dialog is there."""
    monkeypatch.setattr(ConsentDialog, "PAUSE", 0.001)


@pytest.mark.usefixtures("at_once")
async def test_each_answer_has_its_key(project: Project) -> None:
    # S-12
    async with desk() as (app, pilot):
        assert await _consent(app, pilot, COMMAND, "y") == Once()
        assert await _consent(app, pilot, COMMAND, "s") == Session("shell(git push origin main)")
        assert await _consent(app, pilot, COMMAND, "a", "enter") == Always("shell(git push origin main)")
        assert await _consent(app, pilot, COMMAND, "a", "down", "enter") == Always("shell(git push:*)")
        assert await _consent(app, pilot, DIFF, "a") == Always("edit_file(AGENTS.md)")
        assert await _consent(app, pilot, COMMAND, "n") == No()
        assert await _consent(app, pilot, COMMAND, "escape") == No()
        assert await _consent(app, pilot, COMMAND, "a", "escape", "escape") == No()
        assert await _consent(app, pilot, COMMAND, "r", *"any", "enter") == No("any")
        assert await _consent(app, pilot, COMMAND._replace(patterns=()), "a", "y") == Once()
        assert await _consent(app, pilot, COMMAND, "enter", "space", "n") == No()
        assert await _consent(app, pilot, COMMAND._replace(once=True), "a", "s", "y") == Once()


@pytest.mark.usefixtures("at_once")
async def test_each_answer_has_its_button(project: Project) -> None:
    # S-12
    expected = {"once": Once(), "session": Session("shell(git push origin main)"), "no": No()}
    async with desk() as (app, pilot):
        for name, answer in expected.items():
            asked = asyncio.ensure_future(app.dialogs.answer(ConsentDialog(COMMAND)))
            await until(lambda: isinstance(app.screen, ConsentDialog) and app.screen.armed)
            await pilot.pause()
            await pilot.click(f"#{name}")
            assert await asked == answer


async def test_whoever_was_typing_when_the_question_came_has_answered_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-12
    monkeypatch.setattr(ConsentDialog, "PAUSE", 3600.0)
    async with desk() as (app, pilot):
        asked = asyncio.ensure_future(app.dialogs.answer(ConsentDialog(COMMAND)))
        await until(lambda: isinstance(app.screen, ConsentDialog))
        await pilot.press(*"yes, say ok", "enter")
        assert not asked.done()
        await pilot.click("#once")
        assert not asked.done()
        await pilot.press("escape")
        assert await asked == No()


async def test_a_question_waits_until_the_one_before_it_is_answered(project: Project) -> None:
    # S-12
    async with desk() as (app, pilot):
        first = asyncio.ensure_future(app.dialogs.answer(ChoiceDialog("first", FRUIT)))
        second = asyncio.ensure_future(app.dialogs.answer(ConsentDialog(COMMAND)))
        await until(lambda: isinstance(app.screen, ChoiceDialog))
        await pilot.pause()
        await pilot.press("down", "enter")
        assert await first == "pear"
        await until(lambda: isinstance(app.screen, ConsentDialog))
        second.cancel()
        await until(lambda: not isinstance(app.screen, ConsentDialog))


async def test_what_is_typed_shortens_the_list(project: Project) -> None:
    # S-21
    async with desk() as (app, pilot):
        asked = asyncio.ensure_future(app.dialogs.answer(ChoiceDialog("Which?", MANY)))
        await until(lambda: isinstance(app.screen, ChoiceDialog))
        await pilot.press(*"pome e")
        assert app.screen.query_one(OptionList).option_count == 2
        assert "2 of 23 choices" in str(app.screen.query_one(".keys", Static).content)
        await pilot.press("down", "enter")
        assert await asked == "pear"
        asked = asyncio.ensure_future(app.dialogs.answer(ChoiceDialog("Which?", MANY)))
        await until(lambda: isinstance(app.screen, ChoiceDialog))
        await pilot.press(*"nothing like it", "enter")
        assert not asked.done()
        await pilot.press("escape")
        assert await asked is None


def test_nothing_of_what_is_consented_to_is_left_out_without_a_word() -> None:
    # S-12
    text = shown_request(COMMAND).plain
    assert text == "git push origin main && echo 'done\\x1b[2J'"
    long = COMMAND._replace(command="\n".join(f"echo {number}" for number in range(5_000)))
    assert shown_request(long).plain.endswith("… 1,000 more lines, not shown: say no, and look at it")
    assert lines_label(long) == "5,000 lines"
    diff = shown_request(DIFF)
    assert diff.plain == DIFF.diff.rstrip("\n")
    styles = {diff.plain[span.start : span.end]: str(span.style) for span in diff.spans}
    assert styles["--- a line of dashes"] == "$text-error"
    assert styles["+Push [bold]often[/bold]."] == "$text-success"
    arguments = COMMAND._replace(command="", tool="mcp__x__y", arguments='{"a": [1], "b": "ü\\n"}')
    assert '"b": "ü\\n"' in shown_request(arguments).plain
    assert shown_request(arguments._replace(arguments="no json")).plain == "no json"


@pytest.mark.usefixtures("at_once")
async def test_control_c_says_no_and_ends_the_turn(project: Project) -> None:
    # S-12, S-25
    async with chat(project, TOUCH, says("not reached")) as (app, pilot, _):
        await typed(pilot, "touch it")
        await until(lambda: isinstance(app.screen, ConsentDialog))
        assert status_of(app) == "● waiting for your answer"
        await pilot.press("ctrl+c")
        await until(lambda: "interrupted" in shown(app))
        assert "waiting for your answer" not in status_of(app)
        assert not (project.root / "made").exists()
        assert not isinstance(app.screen, ConsentDialog)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("request_", [COMMAND, DIFF], ids=["command", "diff"])
async def test_picture_of_consent(request_: ConsentRequest, snapshot: SnapshotAssertion) -> None:
    # S-12
    async with desk() as (app, pilot):
        asked = asyncio.ensure_future(app.dialogs.answer(ConsentDialog(request_)))
        await until(lambda: isinstance(app.screen, ConsentDialog) and app.screen.armed)
        await pilot.pause()
        assert is_as_pictured(app, snapshot)
        await pilot.press("escape")
        await asked


@pytest.mark.usefixtures("at_once")
async def test_the_answers_are_on_the_screen_however_long_the_question(project: Project) -> None:
    # S-12
    long = DIFF._replace(diff=DIFF.diff + "+more\n" * 100, notes=("one note", "another note"), why="because " * 30)
    async with desk((80, 24)) as (app, pilot):
        asked = asyncio.ensure_future(app.dialogs.answer(ConsentDialog(long)))
        await until(lambda: isinstance(app.screen, ConsentDialog) and app.screen.armed)
        await pilot.pause()
        for name in ("once", "session", "always", "no"):
            assert app.screen.region.contains_region(app.screen.query_one(f"#{name}").region)
        assert app.screen.region.contains_region(app.screen.query_one(".keys").region)
        assert app.screen.query_one("#shown").border_subtitle == "108 lines"
        await pilot.press("end")
        await until(lambda: app.screen.query_one("#shown").scroll_y > 50)
        await pilot.press("n")
        assert await asked == No()


async def test_picture_of_a_choice(snapshot: SnapshotAssertion) -> None:
    # S-21
    async with desk() as (app, pilot):
        about = "what is to be read\nbefore anything is chosen"
        asked = asyncio.ensure_future(app.dialogs.answer(ChoiceDialog("Which of these?", FRUIT, about)))
        await until(lambda: isinstance(app.screen, ChoiceDialog))
        await pilot.pause()
        assert is_as_pictured(app, snapshot)
        await pilot.press("escape")
        await asked


async def test_picture_of_the_settings(project: Project, snapshot: SnapshotAssertion) -> None:
    # S-21
    tree = {USER_SETTINGS: "[ttsr]\nrepeat_gap = 7\n"}
    async with chat(project, tree=tree) as (app, pilot, _):
        await typed(pilot, "/settings")
        await until(lambda: isinstance(app.screen, ChoiceDialog))
        await pilot.press(*"ttsr")
        await pilot.pause()
        assert app.screen.query_one(Input).value == "ttsr"
        app.screen_stack[0].query_one(Heading).display = False  # it names the folder
        await pilot.pause()
        assert is_as_pictured(app, snapshot)
        await pilot.press("escape")


async def test_picture_of_the_help(project: Project, snapshot: SnapshotAssertion) -> None:
    # S-21
    tree = {".xcsh/commands/review.md": "---\ndescription: Reviews a file\n---\nReview $1."}
    async with chat(project, tree=tree, size=(100, 50)) as (app, pilot, _):
        await typed(pilot, "/help")
        await until(lambda: "the dashboard of rules" in shown(app))
        app.query_one(Heading).display = False
        await pilot.pause()
        assert is_as_pictured(app, snapshot)
