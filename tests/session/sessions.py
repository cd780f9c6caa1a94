"""A session over a project, a scripted model server, and everything that the session told."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models import Model
from tests.llm.wire_models import bodies, scripted, text_of, until
from tests.support import USER_SETTINGS, Project, Tree

from xcsh.agent.resending import Resending
from xcsh.llm.reply import Failure, Reply, Text, ToolCall, cut, text
from xcsh.llm.sse_server import FakeModelServer
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.session.events import SessionEvent
from xcsh.session.keeping import Kept, keep_session
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust


class Calls:
    """A recorder that remembers the calls, in order."""

    id = "s1"
    path = os.devnull

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def sync(self) -> None:
        self.calls.append(("sync", None))
        self.history: Sequence[ModelMessage] = ()

    def prompt(self, text: str, *, kind: str = "prompt") -> None:
        self.calls.append((kind, text))

    def withdraw(self, text: str) -> None:
        self.calls.append(("withdraw", text))

    def state(self, **changes: object) -> None:
        self.calls.append(("state", changes))

    def messages(self, history: Sequence[ModelMessage]) -> None:
        self.history = list(history)
        self.calls.append(("messages", len(history)))

    def queue(self, steering: Sequence[str], follow_ups: Sequence[str]) -> None:
        self.calls.append(("queue", (tuple(steering), tuple(follow_ups))))

    def note(self, kind: str, data: Any) -> None:
        self.calls.append((kind, data))

    def turn(self, outcome: str, usage: Any) -> None:  # noqa: ARG002 - as the protocol has it
        self.calls.append(("turn", outcome))

    def close(self) -> None:
        self.calls.append(("close", None))


class Conversation:
    """A session, its server, and its events."""

    def __init__(self, session: AgentSession, server: FakeModelServer) -> None:
        self.session = session
        self.server = server
        self.events: list[SessionEvent] = []
        session.subscribe(self.events.append)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    def sent(self, request: int) -> list[str]:
        """The texts of the messages that are not the system's, of one request."""
        messages = bodies(self.server)[request]["messages"]
        return [text_of(message) for message in messages if message["role"] not in ("system", "developer")]

    async def seen(self, kind: type[Any], count: int = 1) -> None:
        await until(lambda: len(self.of(kind)) >= count)

    async def requests(self, count: int) -> None:
        await until(lambda: len(self.server.exchanges) >= count)

    def written(self) -> list[str]:
        """The texts of the user in the history, those that were joined apart."""
        requests = [message for message in self.session.messages if isinstance(message, ModelRequest)]
        parts = [part for request in requests for part in request.parts if isinstance(part, UserPromptPart)]
        return [part.content for part in parts if isinstance(part.content, str)]

    async def streaming(self, request: int = 1) -> None:
        """Some of an answer has arrived."""
        await until(lambda: len(self.server.exchanges) >= request and self.server.exchanges[request - 1].sent > 2)


def slow(content: str, pace: float = 0.02) -> Reply:
    return Reply((Text(cut(content)),), pace)


def says(content: str) -> Reply:
    return Reply((text(content),))


def calls(name: str, arguments: dict[str, object], call_id: str = "c1") -> Reply:
    return Reply((ToolCall(call_id, name, cut(json.dumps(arguments), 16)),))


def kept(project: Project) -> Kept:
    """A new session file of the project."""
    return keep_session(os.fspath(project.home / "sessions"), os.fspath(project.root), "openai-chat:fake")


KEEP_LITTLE = {USER_SETTINGS: "[compaction]\nkeep_tokens = 1\n"}
"""A compaction leaves the last message alone."""


def with_window(model: Model, window: int) -> Model:
    """The same model, of which it is known how much it can read."""
    kind: Any = type(model)
    return kind(model.model_name, provider=model.provider, profile={"context_window": window})


@asynccontextmanager
async def conversation(
    project: Project,
    *script: Reply | Failure,
    tree: Tree | None = None,
    wire: str = "openai",
    window: int | None = None,
    **more: Any,
) -> AsyncGenerator[Conversation]:
    project.write(tree or {})
    if any("extensions/" in name or name.endswith(".py") for name in tree or {}):
        trust(make_environment(os.fspath(project.root), os.fspath(project.home)))
    more.setdefault("resending", Resending(attempts=3, pause=0.001, stall=5.0))
    async with scripted(*script, wire=wire) as (plain, server):
        model = plain if window is None else with_window(plain, window)
        session = await create_agent_session(model, more.pop("cwd", project.root), home=project.home, **more)
        async with session:
            yield Conversation(session, server)
    leftover = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert leftover == []
