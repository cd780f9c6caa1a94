"""A conversation whose model cannot be opened: it stays, says what to do, and does all that needs no model."""

from __future__ import annotations

import asyncio

import pytest
from tests.llm.wire_models import until
from tests.support import Project
from tests.tui.built_ins.asked import Front, arguments, recording, talking
from tests.tui.chatting import shown, status_of, typed

from xcsh.cli.opening_sessions import OpeningSessions
from xcsh.session.events import TurnStarted
from xcsh.tui.app import ChatApp
from xcsh.tui.conversation import Conversation
from xcsh.tui.dashboard.screen import Dashboard

RULE = {".xcsh/rules/house.md": "---\nalwaysApply: true\n---\nBe kind.\n"}
NONE = ("--model", " ")  # names none
KEYLESS = ("--model", "anthropic:claude-sonnet-5-5")


@pytest.mark.parametrize(
    ("named", "sentence"), [(NONE, "no model is named, and none was found\n"), (KEYLESS, "the model 'anthropic:claude")]
)
async def test_one_notice_says_what_is_missing_and_a_prompt_repeats_it_and_stays(
    project: Project, named: tuple[str, str], sentence: str
) -> None:
    # S-20, U-1
    async with talking(project, *named, tree=RULE, needs_model=False) as talk:
        front = talk.front
        assert len(front.said) == 1
        assert front.said[0].startswith(sentence)
        assert "ANTHROPIC_API_KEY" in front.said[0]
        assert "/model NAME" in front.said[0]
        assert await talk.type("fix it") == front.said[0]
        assert front.prompt == "fix it"
        assert await talk.type("fix it then") == "no model answers: /model NAME"
        assert front.prompt == "fix it then"
        assert not any(isinstance(event, TurnStarted) for event in front.events)
        assert talk.session.messages == []


async def test_what_was_typed_early_never_takes_the_place_of_the_notice(project: Project) -> None:
    # S-20: a command in Python that is refused, and a text that is no prompt
    opening = OpeningSessions(arguments(project, *NONE), needs_model=False).open
    for early, after in (("fix it", ["no model answers: /model NAME"]), ("!true", None), ("/rules", None)):
        front = Front()
        conversation = Conversation(opening, front, first=early)
        living = asyncio.create_task(conversation.live())
        await conversation.settled()
        assert front.said[0].startswith("no model is named")
        assert sum("no model is named" in said for said in front.said) == 1
        assert after is None or front.said[1:] == after
        conversation.leave()
        await living


async def test_what_needs_no_model_works_and_model_goes_on_with_one(project: Project) -> None:
    # S-20, S-22
    async with talking(project, *KEYLESS, tree=RULE, needs_model=False, replies=["It is fixed."]) as talk:
        assert "house" in await talk.type("/rules")
        assert await talk.type("/doctor")
        assert "needs a key" in await talk.type("/model anthropic:claude-sonnet-5-5")
        assert await talk.type("/model --save") == talk.front.said[0]
        await talk.type("/model", None)
        assert talk.front.asked[-1][0] == "Which model? none answers now"
        first = talk.session.id
        await talk.conversation.submit("/new")
        await until(lambda: talk.conversation.session is not None and talk.session.id != first)
        name = f"replay:{recording(project, 'It is fixed.')}"
        await talk.conversation.settled()
        assert await talk.type(f"/model {name}") == f"{name} answers from now on"
        await talk.type("fix it")
        assert talk.front.last_answer == "It is fixed."


@pytest.mark.parametrize("name", ["replay:missing.jsonl", "nope"])
async def test_a_name_that_opens_nothing_is_said_and_the_conversation_stays(project: Project, name: str) -> None:
    # S-20, U-1
    async with talking(project, "--model", name, needs_model=False) as talk:
        assert name.removeprefix("replay:") in talk.front.said[0]
        assert "/model NAME" in talk.front.said[0]
        assert talk.conversation.failure is None


async def test_a_session_that_has_got_a_model_keeps_it_in_the_next(project: Project) -> None:
    # S-22
    async with talking(project, *NONE, needs_model=False) as talk:
        name = f"replay:{recording(project, 'ok')}"
        await talk.type(f"/model {name}")
        first = talk.session.id
        await talk.conversation.submit("/new")
        await until(lambda: talk.conversation.session is not None and talk.session.id != first)
        assert talk.session.model_name == name
        assert talk.session.model.problem is None


async def test_who_needs_a_model_is_told_that_there_is_none(project: Project) -> None:
    # U-1: `-p`, a pipe, an editor
    async with talking(project, *NONE) as talk:
        assert str(talk.conversation.failure).startswith("no model is named")
        assert talk.front.sessions == []


async def test_the_application_stays_open_and_shows_the_dashboard(project: Project) -> None:
    # S-20, S-23
    project.write(RULE)
    app = ChatApp(OpeningSessions(arguments(project, *NONE), needs_model=False).open, first="fix it")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: app.prompt.text == "fix it")
        await until(lambda: "no model is named" in shown(app))
        assert shown(app).count("no model is named") == 1
        assert "Enter send" in status_of(app)
        await typed(pilot, "/doctor")
        await pilot.press("f2")
        await until(lambda: isinstance(app.screen, Dashboard))
        assert app.failure is None
        app.conversation.leave()
