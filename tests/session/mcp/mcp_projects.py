"""Files that name MCP servers, sessions that have them, and what is left of their processes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.session.sessions import Conversation, conversation
from tests.support import USER_SETTINGS, Project

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.request import Ask, ConsentRequest, Once
from xcsh.agent.consent.settings import permissions_of
from xcsh.llm.reply import Failure, Reply, ToolCall, cut
from xcsh.model.registry import Registry
from xcsh.session.events import DiagnosticsFound

PROGRAM = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "fakes", "mcp_program.py"
)
USER_FILE, PROJECT_FILE, NATIVE_FILE = "~/.xcsh/agent/mcp.json", ".mcp.json", ".xcsh/mcp.json"
WHOLE = frozenset({"mcp__fake"})
PATIENT = 30


class Pids:
    """The processes that programs of a test have written down."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def started(self) -> list[int]:
        return [int(line) for line in self.path.read_text().split()] if self.path.exists() else []

    @property
    def waiting(self) -> bool:
        """Whether a program has been called that does not answer."""
        return Path(f"{self.path}.waiting").exists()

    def alive(self) -> list[int]:
        """Processes of the groups that the programs led, they and their children; none that is only not reaped."""
        groups = set(self.started)
        found: list[int] = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                stat = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(stat[2]) in groups and stat[0] not in "ZX":
                found.append(int(name))
        return found


@pytest.fixture
def pids(tmp_path: Path) -> Iterator[Pids]:
    """What a test starts is gone when it ends."""
    found = Pids(tmp_path / "pids")
    yield found
    assert found.alive() == []


def program(pids: Pids, mode: str = "good", **more: Any) -> dict[str, Any]:
    """A server that speaks for itself; it needs no package, so that it starts in no time."""
    return {"command": sys.executable, "args": ["-S", PROGRAM, mode, os.fspath(pids.path)], **more}


def sdk_program(pids: Pids) -> dict[str, Any]:
    """The same server by the official package, which takes more than a second to start."""
    return {"command": sys.executable, "args": [PROGRAM, "good", os.fspath(pids.path), "sdk"]}


def named(**servers: Any) -> str:
    return json.dumps({"mcpServers": servers})


def calls(name: str, call: str = "c1", **arguments: Any) -> Reply:
    return Reply((ToolCall(call, name, cut(json.dumps(arguments), 8)),))


def asking(ask: Ask) -> Callable[[Registry], Consent]:
    return lambda registry: Consent(permissions_of(registry, asks=True), ask)


class User:
    """Answers the same to everything, and remembers what was asked."""

    def __init__(self, answer: Any = Once()) -> None:  # noqa: B008
        self.answer = answer
        self.asked: list[ConsentRequest] = []

    async def __call__(self, request: ConsentRequest) -> Any:
        self.asked.append(request)
        return self.answer


async def eventually(condition: Callable[[], bool]) -> None:
    """Waits for what a program brings about, which takes its time to start."""
    async with asyncio.timeout(PATIENT):
        while not condition():  # noqa: ASYNC110 - what is waited for knows nothing of the test
            await asyncio.sleep(0.01)


def findings(talk: Conversation) -> list[tuple[str, str]]:
    return [(item.code, item.message) for event in talk.of(DiagnosticsFound) for item in event.diagnostics]


@asynccontextmanager
async def talking(
    project: Project, *script: Reply | Failure, settings: str = "", seconds: int = PATIENT, **more: Any
) -> AsyncGenerator[Conversation]:
    project.write({USER_SETTINGS: f"[mcp]\nstart_seconds = {seconds}\n{settings}"})
    async with conversation(project, *script, **more) as talk:
        yield talk
