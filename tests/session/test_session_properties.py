"""Whatever is done with a session, no text of the user is lost or doubled."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import CompactionPart, ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.session.sessions import KEEP_LITTLE
from tests.support import Project

from xcsh.errors import UsageError
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.session.keeping import Kept, keep_session, resume_session
from xcsh.session.results import StreamingBehaviorError

NAME = re.compile(r"\bt\d+\b")
OPERATIONS = st.lists(
    st.one_of(
        st.sampled_from(["prompt", "steer", "follow_up", "abort", "compact", "resume", "withdraw", "rest"]),
        st.integers(1, 40),  # how many times the event loop goes round
    ),
    max_size=14,
)


def texts(messages: list[ModelMessage]) -> list[str]:
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [part.content for part in parts if isinstance(part, UserPromptPart) and isinstance(part.content, str)]


def summed_up(messages: list[ModelMessage]) -> set[str]:
    """What stands in summaries."""
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return {name for part in parts if isinstance(part, CompactionPart) for name in NAME.findall(part.content or "")}


async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    """A model that answers at its leisure, and whose summaries name every text that they stand for."""
    said = "\n".join(texts(messages))
    names = NAME.findall(said) if "<message" in said else []
    for word in ("the", "answer", *names):
        for _ in range(3):
            await asyncio.sleep(0)
        yield f"{word} " if names else "x "


class Life:
    """A session that is used, left and gone on with; it keeps account of what was said."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.kept: Kept = keep_session(os.fspath(project.home / "sessions"), os.fspath(project.root))
        self.acknowledged: set[str] = set()
        self.withdrawn: set[str] = set()
        self.running: list[asyncio.Task[object]] = []
        self.said = 0

    async def open(self) -> None:
        self.session: AgentSession = await create_agent_session(
            FunctionModel(stream_function=answer), self.project.root, home=self.project.home, kept=self.kept
        )

    async def do(self, operation: str | int) -> None:
        if isinstance(operation, int):
            for _ in range(operation):
                await asyncio.sleep(0)
        elif operation in ("prompt", "steer", "follow_up"):
            self.said += 1
            self.running.append(asyncio.create_task(self.say(operation, f"t{self.said}")))
            await asyncio.sleep(0)
        elif operation == "abort":
            await self.session.abort()
        elif operation == "compact":
            self.running.append(asyncio.create_task(self.session.compact()))
            await asyncio.sleep(0)
        elif operation == "withdraw":
            self.withdrawn.update(self.session.withdraw())
        elif operation == "rest":
            await self.session.wait_idle()
        else:
            await self.leave()
            self.kept = resume_session(self.kept.file.path)
            await self.open()

    async def say(self, method: str, text: str) -> None:
        try:
            await getattr(self.session, method)(text)
        except StreamingBehaviorError:
            return  # refused, and nobody was promised anything
        self.acknowledged.add(text)

    async def leave(self) -> None:
        await self.session.close()
        for result in await asyncio.gather(*self.running, return_exceptions=True):
            assert result is None or isinstance(result, bool | UsageError), result
        self.running.clear()

    def check(self, messages: list[ModelMessage], queue: list[str]) -> None:
        found = [text for text in (*texts(messages), *queue) if NAME.fullmatch(text)]
        assert len(found) == len(set(found)), f"doubled: {found}"
        owed = self.acknowledged - self.withdrawn
        assert owed <= {*found, *summed_up(messages)}, f"lost: {owed - {*found}}"
        assert not self.withdrawn & set(found), f"there again: {self.withdrawn & set(found)}"


@settings(max_examples=40)
@given(OPERATIONS)
def test_every_acknowledged_text_is_in_the_history_once_or_waits_or_was_taken_back(operations: list[str | int]) -> None:
    # S-2, S-4, S-13: "order is kept, nothing is lost"
    with tempfile.TemporaryDirectory() as base:
        project = Project(Path(base) / "p")
        project.write(KEEP_LITTLE)

        async def live() -> Life:
            life = Life(project)
            await life.open()
            for operation in operations:
                await life.do(operation)
            await life.leave()
            life.check(life.session.messages, [entry.text for entry in life.session.waiting])
            return life

        life = asyncio.run(live())
        kept = resume_session(life.kept.file.path)
        life.check(list(kept.history), [*kept.queue[0], *kept.queue[1]])
        kept.file.close()
