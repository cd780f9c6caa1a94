"""Without a model nothing is sent, and nothing runs for it: each way into a session says so before anything happens."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest
from pydantic_ai.models import Model, ModelRequestParameters
from tests.llm.wire_models import scripted
from tests.session.sessions import kept, says
from tests.support import Project, Tree

from xcsh.errors import UsageError
from xcsh.llm.absent import AbsentModel
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.session.events import Notice, SessionEvent, TurnFailed
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust

MISSING = "no model is named, and none was found"
INCLUDE: Tree = {"~/.claude/commands/status.md": "Now: !`touch ran.txt`"}
PYTHON: Tree = {
    ".xcsh/commands/now.py": (
        "from pathlib import Path\n\ndef run(context, args):\n"
        "    Path(context.cwd, 'ran.txt').touch()\n    return 'go'\n"
    ),
}


class Talk(NamedTuple):
    session: AgentSession
    events: list[SessionEvent]


@asynccontextmanager
async def absent(project: Project, tree: Tree | None = None, **more: Any) -> AsyncGenerator[Talk]:
    project.write(tree or {})
    trust(make_environment(os.fspath(project.root), os.fspath(project.home)))
    model = AbsentModel(UsageError(MISSING, "name one: /model NAME"))
    session = await create_agent_session(model, project.root, home=project.home, **more)
    async with session:
        talk = Talk(session, [])
        session.subscribe(talk.events.append)
        yield talk


@pytest.mark.parametrize("way", ["prompt", "steer", "follow_up"])
async def test_no_way_into_a_session_sends_without_a_model(project: Project, way: str) -> None:
    # S-20, U-1
    async with absent(project) as talk:
        with pytest.raises(UsageError, match=MISSING):
            await getattr(talk.session, way)("hi")
        assert talk.events == []
        assert talk.session.messages == []


@pytest.mark.parametrize(("tree", "text"), [(INCLUDE, "/status"), (PYTHON, "/now")])
async def test_nothing_runs_for_a_text_that_cannot_be_sent(project: Project, tree: Tree, text: str) -> None:
    # S-20, C-23
    async with absent(project, tree, allow=frozenset({"shell"})) as talk:
        with pytest.raises(UsageError, match=MISSING):
            await talk.session.prompt(text)
        assert not (project.root / "ran.txt").exists()
        assert talk.events == []


async def test_a_command_with_a_model_of_its_own_is_answered_by_that_model(project: Project) -> None:
    # S-20, C-41
    own: Tree = {"~/.claude/commands/own.md": "---\nmodel: other:one\n---\nGo on."}
    async with scripted(says("Here.")) as (model, _):

        @asynccontextmanager
        async def open_model(_: str) -> AsyncGenerator[Model]:
            yield model

        async with absent(project, own, open_model=open_model) as talk:
            assert (await talk.session.prompt("/own")).text == "Here."
        async with absent(project, open_model=open_model, command_models=False) as talk:
            with pytest.raises(UsageError, match=MISSING):
                await talk.session.prompt("/own")


async def test_what_waited_is_not_sent_without_a_model_either(project: Project) -> None:
    # S-20: from the queue of an earlier process
    async with absent(project, kept=kept(project)) as talk:
        talk.session.restore((), ("later",), {})
        (waiting,) = talk.session.waiting
        with pytest.raises(UsageError, match=MISSING):
            talk.session.send_now(waiting)
        assert talk.session.queue.texts("follow_up") == ("later",)
        assert talk.events == []


async def test_a_command_whose_model_cannot_be_opened_fails_with_both_reasons(project: Project) -> None:
    # S-20, U-1: a turn that begins all the same, and no traceback
    own: Tree = {"~/.claude/commands/own.md": "---\nmodel: other:one\n---\nGo on."}

    @asynccontextmanager
    async def open_model(name: str) -> AsyncGenerator[Model]:
        raise UsageError(f"{name} needs a key", "")
        yield

    async with absent(project, own, open_model=open_model) as talk:
        assert (await talk.session.prompt("/own")).outcome == "failed"
        (notice,) = [event.text for event in talk.events if isinstance(event, Notice)]
        assert "other:one needs a key" in notice
        (failed,) = [event for event in talk.events if isinstance(event, TurnFailed)]
        assert (failed.message, failed.hint) == (MISSING, "name one: /model NAME")


async def test_the_model_that_is_absent_says_why_in_either_way_of_asking() -> None:
    # U-1
    model = AbsentModel(UsageError(MISSING, ""))
    with pytest.raises(UsageError, match=MISSING):
        async with model.request_stream([], None, ModelRequestParameters()):
            raise AssertionError
    with pytest.raises(UsageError, match=MISSING):
        await model.request([], None, ModelRequestParameters())
