"""Agents under stream rules: their rules, their runs, and what a consumer saw."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic_ai import Agent, AgentRunResultEvent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    PartDeltaEvent,
    PartStartEvent,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResult
from tests.llm.wire_models import bodies, text_of
from tests.support import USER_SETTINGS, Project

from xcsh.agent import RulesTriggeredEvent, StreamRules
from xcsh.llm.sse_server import ModelServer

WIRES = pytest.mark.parametrize("wire", ["openai", "anthropic"])
MODES = pytest.mark.parametrize("mode", ["discard", "keep"])
LONG = " and so on" * 400
ANY = r": any\s"


def rule(condition: str = ANY, says: str = "Never write any.", **fields: str) -> str:
    """The text of a stream rule."""
    lines = [f"condition: {json.dumps(condition)}", *(f"{key}: {value}" for key, value in fields.items())]
    return "---\n" + "\n".join(lines) + f"\n---\n{says}\n"


def rules_of(project: Project, settings: str = "", tools: Sequence[str] = (), **rules: str) -> StreamRules:
    """Stream rules by name, under `[ttsr]` settings of the user."""
    tree = {f".xcsh/rules/{name.replace('_', '-')}.md": content for name, content in rules.items()}
    if settings:
        tree[USER_SETTINGS] = f"[ttsr]\n{settings}\n"
    return StreamRules(project(tree), tools=tools)


def no_any(project: Project, settings: str = "", **fields: str) -> StreamRules:
    """One rule, `no-any`."""
    return rules_of(project, settings, no_any=rule(**fields))


def guarded(model: Model, rules: StreamRules, ran: list[str] | None = None) -> Agent[None, str]:
    """An agent with a tool that writes down what it is told to run."""
    agent = Agent(model, capabilities=[rules], instructions="Be brief.")

    @agent.tool_plain
    def bash(command: str) -> str:
        if ran is not None:
            ran.append(command)
        return "ok"

    return agent


async def run(agent: Agent[None, str], prompt: str = "go", **more: Any) -> tuple[AgentRunResult[str], list[object]]:
    """The result of a run and its events."""
    async with agent.run_stream_events(prompt, **more) as events:
        seen: list[object] = [event async for event in events]
    assert isinstance(seen[-1], AgentRunResultEvent)
    return seen[-1].result, seen


def shown(events: Sequence[object]) -> str:
    """Every text, thinking and argument that a consumer saw."""
    texts: list[str] = []
    for event in events:
        if isinstance(event, PartStartEvent):
            texts.append(getattr(event.part, "content", None) or str(getattr(event.part, "args", None) or ""))
        elif isinstance(event, PartDeltaEvent):
            delta: Any = event.delta
            texts.append(str(getattr(delta, "content_delta", None) or getattr(delta, "args_delta", None) or ""))
    return "".join(texts)


def triggered(events: Sequence[object]) -> list[tuple[str, ...]]:
    """The rules of each interrupt."""
    return [event.rules for event in events if isinstance(event, RulesTriggeredEvent)]


def shape(messages: Sequence[ModelMessage]) -> list[str]:
    """The kinds of the parts of each message."""
    return [" ".join([message.kind, *(part.part_kind for part in message.parts)]) for message in messages]


def reopened(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages of a conversation that was saved as JSON and loaded again."""
    return ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(list(messages)))


def sent_texts(server: ModelServer, request: int = -1) -> list[str]:
    """The texts of the messages of one request."""
    return [text_of(message) for message in bodies(server)[request]["messages"]]


def interrupts(server: ModelServer, name: str = "no-any", request: int = -1) -> int:
    """How many interrupt blocks of a rule a request holds."""
    return "\n".join(sent_texts(server, request)).count(f'<system-interrupt reason="rule_violation" rule="{name}"')


def reminders(server: ModelServer, name: str = "no-any", request: int = -1) -> int:
    """How many reminder blocks of a rule a request holds."""
    return "\n".join(sent_texts(server, request)).count(f'<system-reminder reason="rule_violation" rule="{name}"')


def prompts(messages: Sequence[ModelMessage]) -> list[str]:
    """What stands in the user's place in a history."""
    return [
        str(part.content)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
