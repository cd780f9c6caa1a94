"""What the frontmatter of a command does to its turn (C-41), and who watches a session (S-14)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from pydantic_ai.models import Model
from tests.llm.wire_models import ANTHROPIC, OPENAI, scripted, until
from tests.session.sessions import KEEP_LITTLE, Conversation, calls, conversation, says, slow
from tests.support import Project, Tree

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.request import Answer, ConsentRequest, No
from xcsh.agent.consent.settings import permissions_of
from xcsh.agent.events import ToolReturned
from xcsh.api import Registry
from xcsh.errors import UsageError
from xcsh.session.events import Notice, SessionEvent, TurnCompleted

WIRES = pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
USERS: Tree = {"~/.claude/commands/go.md": "---\nallowed-tools: Bash(touch *)\n---\nGo on."}
PROJECTS: Tree = {".claude/commands/go.md": "---\nallowed-tools: Bash(touch *)\n---\nGo on."}
TOUCH = calls("shell", {"command": "touch made.txt"})


class Asked:
    """Says no to everything, and remembers what it was."""

    def __init__(self) -> None:
        self.questions: list[str] = []

    def __call__(self, registry: Registry) -> Consent:
        return Consent(permissions_of(registry, asks=True), self.ask)

    async def ask(self, request: ConsentRequest) -> Answer:
        self.questions.append(request.command)
        return No()


async def typed(talk: Conversation, how: str) -> None:
    """Has /go answered in a turn of its own, in one of the ways that there are."""
    if how in ("steer", "follow_up"):
        await getattr(talk.session, how)("/go")
    elif how == "prompt":
        await talk.session.prompt("/go")
    await talk.session.wait_idle()


@WIRES
@pytest.mark.parametrize("how", ["prompt", "steer", "follow_up"])
async def test_tools_of_a_command_are_granted_in_its_turn_and_asked_about_in_the_next(
    project: Project, wire: str, how: str
) -> None:
    # C-41
    asked = Asked()
    script = (TOUCH, says("done"), TOUCH, says("refused"))
    async with conversation(project, *script, tree=USERS, wire=wire, consent=asked) as talk:
        await typed(talk, how)
        assert asked.questions == []
        assert (project.root / "made.txt").exists()
        await talk.session.prompt("again")
        assert asked.questions == ["touch made.txt"]
        assert [event.failed for event in talk.of(ToolReturned)] == [False, True]


@WIRES
async def test_a_command_that_was_queued_has_its_tools_in_its_own_turn(project: Project, wire: str) -> None:
    # C-41, S-2
    asked = Asked()
    script = (slow("a long answer " * 3), TOUCH, says("done"), TOUCH, says("refused"))
    async with conversation(project, *script, tree=USERS, wire=wire, consent=asked) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("first"))
        await talk.streaming()
        await talk.session.follow_up("/go")
        await talk.session.follow_up("then this")
        await turn
        await talk.session.wait_idle()
        assert asked.questions == ["touch made.txt"]
        assert [event.failed for event in talk.of(ToolReturned)] == [False, True]


async def test_a_command_that_was_held_over_a_compaction_has_its_tools(project: Project) -> None:
    # C-41, S-4
    asked = Asked()
    script = (says("one"), says("two"), slow("a summary " * 2), TOUCH, says("done"))
    async with conversation(project, *script, tree={**USERS, **KEEP_LITTLE}, consent=asked) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        compaction = asyncio.ensure_future(talk.session.compact())
        await talk.streaming(3)
        await talk.session.prompt("/go")
        assert await compaction
        await talk.session.wait_idle()
        assert asked.questions == []
        assert [event.failed for event in talk.of(ToolReturned)] == [False]


async def test_a_command_that_steers_a_turn_grants_nothing_to_it_and_says_so(project: Project) -> None:
    # C-41: the turn is not the command's
    asked = Asked()
    script = (slow("a long answer " * 3), TOUCH, says("done"))
    async with conversation(project, *script, tree=USERS, consent=asked) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("first"))
        await talk.streaming()
        await talk.session.steer("/go")
        await turn
        assert asked.questions == ["touch made.txt"]
        assert any("/go" in event.text for event in talk.of(Notice))


@pytest.mark.parametrize("end", ["abort", "close"])
async def test_a_turn_whose_command_is_asked_about_can_be_ended(project: Project, end: str) -> None:
    # C-41, S-25: before anything is sent, and the text is kept
    questions: list[ConsentRequest] = []

    async def never(request: ConsentRequest) -> Answer:
        questions.append(request)
        await asyncio.Event().wait()
        raise AssertionError

    def consent(registry: Registry) -> Consent:
        return Consent(permissions_of(registry, asks=True), never)

    async with conversation(project, says("ok"), tree=PROJECTS, consent=consent) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("/go"))
        await until(lambda: bool(questions))
        await getattr(talk.session, end)()
        assert (await turn).outcome == "aborted"
        assert talk.written() == ["Go on."]
        if end == "abort":
            assert (await talk.session.prompt("on")).text == "ok"


async def test_a_command_of_a_project_grants_nothing_that_the_user_refuses(project: Project) -> None:
    # C-41
    asked = Asked()
    async with conversation(project, TOUCH, says("done"), tree=PROJECTS, consent=asked) as talk:
        await talk.session.prompt("/go")
        assert asked.questions[-1] == "touch made.txt"
        assert not (project.root / "made.txt").exists()


@WIRES
async def test_a_command_has_its_model_for_its_turn(project: Project, wire: str) -> None:
    # C-41
    opened: list[str] = []
    tree = {
        "~/.claude/commands/other.md": "---\nmodel: claude-other\n---\nGo on.",
        "~/.claude/commands/none.md": "---\nmodel: nonsense\n---\nGo on.",
    }
    async with scripted(says("from the other"), wire=wire) as (other, server):

        @asynccontextmanager
        async def open_model(name: str) -> AsyncGenerator[Model]:
            if name == "nonsense":
                raise UsageError("there is no such model", "see: xcsh config")
            opened.append(name)
            yield other
            opened.append("closed")

        script = (says("mine"), says("mine again"))
        async with conversation(project, *script, tree=tree, wire=wire, open_model=open_model) as talk:
            assert (await talk.session.prompt("/other")).text == "from the other"
            assert opened == ["anthropic:claude-other", "closed"]
            assert (await talk.session.prompt("on")).text == "mine"
            assert (await talk.session.prompt("/none")).text == "mine again"
            told = [event.text for event in talk.of(Notice)]
            assert told[0] == "/other is answered by anthropic:claude-other"
            assert told[1].startswith("/none wants the model 'nonsense', and the turn takes the session's")
            assert len(server.exchanges) == 1


async def test_whoever_shows_a_session_cannot_break_it(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    # S-14
    def broken(event: SessionEvent) -> None:
        raise RuntimeError("no")

    async with conversation(project, says("one")) as talk:
        leave = talk.session.subscribe(broken)
        late: list[SessionEvent] = []
        talk.session.subscribe(late.append)
        with caplog.at_level(logging.ERROR, "xcsh.session"):
            assert (await talk.session.prompt("go")).text == "one"
        assert late == talk.events
        assert len(caplog.records) == len(late)
        assert "Traceback" not in caplog.text
        leave()
        leave()


async def test_a_reader_that_is_slow_misses_nothing_and_one_that_leaves_is_forgotten(project: Project) -> None:
    # S-14
    async with conversation(project, says("one " * 20), says("two")) as talk:
        slow_one, gone = talk.session.events(), talk.session.events()
        first = asyncio.ensure_future(anext(slow_one))
        last = asyncio.ensure_future(anext(gone))
        await asyncio.sleep(0)
        await talk.session.prompt("go")
        seen = [await first]
        await last
        await gone.aclose()
        await talk.session.prompt("on")
        while len(seen) < len(talk.events):
            seen.append(await anext(slow_one))
        assert seen == talk.events
        await slow_one.aclose()
        assert len(talk.session._audience) == 1


async def test_two_sessions_of_one_process_do_not_meet(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # S-10
    beside = Project(tmp_path_factory.mktemp("beside"))
    async with (
        conversation(project, slow("the first answers " * 3), says("more"), tree=USERS) as one,
        scripted(slow("the second answers " * 3), wire=ANTHROPIC) as (model, _),
    ):
        from xcsh.session.creating import create_agent_session

        async with await create_agent_session(model, beside.root, home=beside.home) as session:
            two = Conversation(session, one.server)
            await asyncio.gather(one.session.prompt("to the first"), session.prompt("to the second"))
            assert one.of(TurnCompleted)[0].text.startswith("the first")
            assert two.of(TurnCompleted)[0].text.startswith("the second")
            assert (one.written(), two.written()) == (["to the first"], ["to the second"])
