"""Another model, and another level of thinking, in the middle of a session."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic_ai.models import Model
from tests.llm.wire_models import bodies, scripted
from tests.session.sessions import conversation, kept, says, slow
from tests.support import Project

from xcsh.errors import UsageError
from xcsh.llm.sse_server import FakeModelServer
from xcsh.session.creating import create_agent_session
from xcsh.session.events import ModelChanged
from xcsh.session.store import read_session


class Others:
    """Opens another model by the name `other`, and knows whether it is closed."""

    def __init__(self, model: Model, server: FakeModelServer) -> None:
        self.model, self.server = model, server
        self.open = 0

    @asynccontextmanager
    async def __call__(self, name: str) -> AsyncGenerator[Model]:
        if name != "other":
            raise UsageError(f"the model {name!r} is none that is known", "did you mean other?")
        self.open += 1
        opened_in = asyncio.current_task()
        yield self.model
        assert asyncio.current_task() is opened_in
        self.open -= 1


@asynccontextmanager
async def others(*script: Any) -> AsyncGenerator[Others]:
    async with scripted(*script) as (model, server):
        yield Others(model, server)


async def test_another_model_answers_from_the_next_turn_on_and_is_closed_with_the_session(project: Project) -> None:
    # S-21
    async with others(says("from the other")) as other:
        written = kept(project)
        async with conversation(
            project, slow("from the first one"), kept=written, open_model=other, model_name="first"
        ) as talk:
            turn = asyncio.create_task(talk.session.prompt("one"))
            await talk.streaming()
            await talk.session.model.use("other")
            assert (await turn).text == "from the first one"
            assert (await talk.session.prompt("two")).text == "from the other"
            assert talk.session.model_name == "other"
            assert talk.of(ModelChanged) == [ModelChanged("other", "")]
            assert other.open == 1
        assert other.open == 0
        assert "one" in str(bodies(other.server)[0]["messages"])
    stored = read_session(written.file.path)
    assert (stored.model, stored.state["model_was_chosen"]) == ("other", True)


async def test_a_model_that_cannot_be_used_changes_nothing(project: Project) -> None:
    # S-21
    async with others() as other:
        async with conversation(project, says("still me"), open_model=other, model_name="first") as talk:
            with pytest.raises(UsageError, match="none that is known"):
                await talk.session.model.use("othre")
            assert talk.session.model_name == "first"
            assert talk.events == []
            assert (await talk.session.prompt("one")).text == "still me"
        with pytest.raises(UsageError, match="closed"):
            await talk.session.model.use("other")
        assert other.open == 0


async def test_of_two_models_that_are_chosen_at_once_the_later_one_answers(project: Project) -> None:
    # S-21
    async with others() as other:
        goes_on, begun = asyncio.Event(), asyncio.Event()

        @asynccontextmanager
        async def opening(name: str) -> AsyncGenerator[Model]:
            if name == "slow":
                begun.set()
                await goes_on.wait()
            yield other.model

        async with conversation(project, open_model=opening, model_name="first") as talk:
            first = asyncio.create_task(talk.session.model.use("slow"))
            await begun.wait()
            second = asyncio.create_task(talk.session.model.use("quick"))
            for _ in range(10):  # time enough for it to be opened, were it not for the first
                await asyncio.sleep(0)
            goes_on.set()
            await asyncio.gather(first, second)
            assert talk.session.model_name == "quick"


async def test_the_level_of_thinking_counts_from_the_next_request_on_and_is_remembered(project: Project) -> None:
    # S-21, S-13
    written = kept(project)
    async with conversation(project, says("1"), says("2"), says("3"), wire="anthropic", kept=written) as talk:
        await talk.session.prompt("one")
        assert talk.session.model.think("high") is True
        await talk.session.prompt("two")
        talk.session.model.think("off")
        await talk.session.prompt("three")
        with pytest.raises(UsageError, match="no level of thinking"):
            talk.session.model.think("hard")
        assert talk.session.thinking == "off"
        sent = [(body.get("thinking"), body.get("output_config")) for body in bodies(talk.server)]
        assert sent[1] != sent[0]
        assert "high" in str(sent[1])
        assert "high" not in str(sent[2])
    assert read_session(written.file.path).state["thinking"] == "off"


async def test_a_session_is_made_with_the_name_of_a_model(project: Project) -> None:
    # S-10
    async with await create_agent_session("test", os.fspath(project.root), home=os.fspath(project.home)) as session:
        assert session.model_name == "test"
        assert (await session.prompt("hi")).outcome == "completed"
