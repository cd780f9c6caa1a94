"""A conversation without a screen, over real sessions: what is said is kept, and choices are answered as told."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.llm.wire_models import until
from tests.support import Project, Tree

from xcsh.agent.consent.request import Answer, ConsentRequest, No
from xcsh.agent.events import TextDelta
from xcsh.cli.opening_sessions import OpeningSessions
from xcsh.cli.options import parse
from xcsh.session.agent_session import AgentSession
from xcsh.session.events import SessionEvent, TurnCompleted
from xcsh.surfaces.layout import Style
from xcsh.tui.built_ins.helping import KEYS
from xcsh.tui.conversation import Conversation
from xcsh.tui.front_end import Choice


class Front:
    """A front end for tests. `answers`: the values that are chosen, one after the other; then nothing is."""

    style = Style(colour=False, width=100)
    help_keys = KEYS

    def __init__(self) -> None:
        self.said: list[str] = []
        self.asked: list[tuple[str, list[Choice], str]] = []
        self.answers: list[str | None] = []
        self.events: list[SessionEvent] = []
        self.prompt = ""
        self.clipboard = ""
        self.last_answer = ""
        self.sessions: list[str] = []
        self.ended = False

    def opened(self, session: AgentSession) -> None:
        self.sessions.append(session.id)

    def tell(self, event: SessionEvent) -> None:
        self.events.append(event)
        if isinstance(event, TurnCompleted):
            self.last_answer = event.text

    async def ask(self, request: ConsentRequest) -> Answer:
        self.said.append(request.tool)
        return No()

    async def say(self, text: str) -> None:
        self.said.append(text)

    async def choose(self, title: str, choices: Sequence[Choice], *, about: str = "") -> str | None:
        self.asked.append((title, list(choices), about))
        chosen = self.answers.pop(0) if self.answers else None
        assert chosen is None or chosen in [choice.value for choice in choices], choices
        return chosen

    async def show_extensions(self) -> None:
        self.said.append("the dashboard")

    async def open_file(self, path: str, line: int = 1) -> None:
        self.said.append(f"{path}:{line}")

    def put(self, text: str) -> None:
        self.prompt = text

    def copy(self, text: str) -> None:
        self.clipboard = text

    def status_changed(self) -> None:
        pass

    def end(self) -> None:
        self.ended = True


class Talk:
    """A conversation and its front end."""

    def __init__(self, conversation: Conversation, front: Front) -> None:
        self.conversation, self.front = conversation, front

    @property
    def session(self) -> AgentSession:
        assert self.conversation.session is not None
        return self.conversation.session

    async def streaming(self, text: str) -> None:
        """Types a text; returns when some of the answer is there, so that the reply of the recording is used up."""
        await self.conversation.submit(text)
        await until(lambda: any(isinstance(event, TextDelta) for event in self.front.events))

    async def type(self, text: str, *answers: str | None) -> str:
        """Types a text, answers what is asked, and returns what was said last when all of it is done."""
        self.front.answers = [*answers]
        before = len(self.front.said)
        await self.conversation.submit(text)
        await self.conversation.settled()
        return "\n".join(self.front.said[before:])


def arguments(project: Project, *more: str) -> argparse.Namespace:
    args = parse(["-C", os.fspath(project.root), *more])
    args.home = os.fspath(project.home)
    return args


def recording(project: Project, *replies: object) -> Path:
    """A recorded conversation of these answers; a replay needs no network but the loopback."""
    path = project.home / "talk.jsonl"
    lines = [json.dumps({"recording": 1, "prompt": "anything"})]
    lines += [
        json.dumps({"reply": reply if isinstance(reply, list) else [{"text": reply}]}) for reply in replies or ["ok"]
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@asynccontextmanager
async def talking(
    project: Project, *more: str, tree: Tree | None = None, replies: Sequence[object] = (), needs_model: bool = True
) -> AsyncGenerator[Talk]:
    project.write(tree or {})
    if not any(word == "--model" for word in more):
        more = (*more, "--model", f"replay:{recording(project, *replies)}")
    front = Front()
    conversation = Conversation(OpeningSessions(arguments(project, *more), needs_model=needs_model).open, front)
    living: asyncio.Task[Any] = asyncio.create_task(conversation.live())
    try:
        await until(lambda: conversation.session is not None or living.done())
        if living.done():
            living.result()
        yield Talk(conversation, front)
    finally:
        conversation.leave()
        await living
