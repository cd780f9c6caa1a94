"""Agents with attached rules: their projects, their runs, and what reached the model."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, LocalWorkspace
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai_harness.coder import Coder
from tests.llm.wire_models import bodies, scripted, text_of
from tests.support import Project

from xcsh.agent import RuleAttachments, RulesAttachedEvent
from xcsh.api import Registry
from xcsh.llm.reply import Reply, ToolCall, cut, text

TREE = {
    ".xcsh/rules/react.md": "---\nglobs: ['src/**/*.tsx']\n---\nUse hooks.\n",
    ".xcsh/rules/errors.md": "---\ndescription: How errors leave\nglobs: ['src/**']\n---\nThrow codes.\n",
    ".xcsh/rules/house.md": "---\nalwaysApply: true\nglobs: ['**']\n---\nUse tabs.\n",
    "src/Cart.tsx": "cart\n",
    "src/Shop.tsx": "shop\n",
    "src/api.ts": "api\n",
    "notes.txt": "notes\n",
}
BOTH = ["errors", "react"]
DONE = Reply((text("Done."),))


def call(tool: str, call_id: str = "c1", **arguments: Any) -> ToolCall:
    return ToolCall(call_id, tool, cut(json.dumps(arguments)))


def calls(*pieces: ToolCall) -> Reply:
    """One response that makes these calls."""
    return Reply(pieces)


def reads(path: str, call_id: str = "c1") -> Reply:
    return calls(call("read_file", call_id, path=path))


def writes(path: str, content: str = "new\n", call_id: str = "c1") -> Reply:
    return calls(call("write_file", call_id, path=path, content=content))


def attaching(model: Model, registry: Registry, *more: AbstractCapability[Any]) -> Agent[None, str]:
    """Anybody's agent with rule attachments, in the working folder of the rules."""
    capabilities = [LocalWorkspace(registry.environment.cwd), Coder(repo_context=False, sub_agents=False)]
    return Agent(model, capabilities=[*capabilities, RuleAttachments(registry), *more])


class Turn:
    """What one run did: its messages, its events and the requests that the server got."""

    def __init__(self, messages: list[ModelMessage], events: list[RulesAttachedEvent], requests: list[Any]) -> None:
        self.messages = messages
        self.events = events
        self.requests = requests

    def attached(self, request: int = -1) -> list[str]:
        """The names of the blocks in a request, in their order."""
        return blocks_in(self.requests[request])

    def shown(self) -> list[tuple[list[str], str, bool]]:
        """The rules, the file and whether a change was held back, of each event."""
        return [(list(event.rules), event.file, event.held_back) for event in self.events]

    def said(self, request: int = -1) -> str:
        """All texts of a request."""
        return "\n".join(text_of(message) for message in self.requests[request]["messages"])


def blocks_in(body: dict[str, Any]) -> list[str]:
    """The names of the rules attached in a request, in their order."""
    texts = "\n".join(text_of(message) for message in body["messages"])
    return re.findall(r'^<project-rule name="([^"]*)" path="[^"]*" for="[^"]*">$', texts, re.MULTILINE)


async def turn(
    registry: Registry,
    *script: Reply,
    wire: str = "openai",
    history: Sequence[ModelMessage] | None = None,
    more: Sequence[AbstractCapability[Any]] = (),
) -> Turn:
    """One run over real HTTP."""
    async with scripted(*script, DONE, wire=wire) as (model, server):
        agent = attaching(model, registry, *more)
        async with agent.run_stream_events("go", message_history=history) as stream:
            events = [event async for event in stream]
    result: Any = events[-1]
    attached = [event for event in events if isinstance(event, RulesAttachedEvent)]
    return Turn(result.result.all_messages(), attached, bodies(server))


async def read(project: Project, path: str, wire: str = "openai") -> Turn:
    """One run that reads a file of `TREE`."""
    return await turn(project(TREE), reads(path), wire=wire)
