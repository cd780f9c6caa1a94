"""Stream rules in an agent: real HTTP, both wires, and what is left afterwards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic_ai import Agent, AgentRunResultEvent
from pydantic_ai.messages import ModelRequest, ModelResponse, PartDeltaEvent, PartStartEvent, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResult
from tests.llm.wire_models import bodies, scripted, text_of
from tests.support import Project

from xcsh.agent import ResponseRetractedEvent, RulesTriggeredEvent, StreamRules
from xcsh.llm.reply import Reply, Text, Thinking, ToolCall, cut, text

WIRES = pytest.mark.parametrize("wire", ["openai", "anthropic"])
LONG = " and so on" * 400
NO_ANY = {".xcsh/rules/no-any.md": '---\ncondition: ": any\\\\s"\n---\nNever write any.'}
INTERRUPT = '<system-interrupt reason="rule_violation" rule="no-any"'


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


def guarded(model: Model, rules: StreamRules, ran: list[str] | None = None) -> Agent[None, str]:
    agent = Agent(model, capabilities=[rules], instructions="Be brief.")

    @agent.tool_plain
    def bash(command: str) -> str:
        if ran is not None:
            ran.append(command)
        return "ok"

    return agent


FORBIDDEN = {
    "text": (Text(cut("let a: any = 1" + LONG)),),
    "thinking": (Thinking(cut("I write let a: any = 1" + LONG)),),
    "tool": (
        text("I run it."),
        ToolCall("t0", "bash", cut('{"command": "ls"}')),
        ToolCall("t1", "bash", cut(json.dumps({"command": "echo ': any ' > a.ts" + LONG}))),
    ),
}


@WIRES
@pytest.mark.parametrize("stream", ["text", "thinking", "tool"])
async def test_a_match_ends_the_request_and_the_retry_carries_the_rule_once(
    project: Project, wire: str, stream: str
) -> None:
    # T-8, T-9, T-10: aborted in mid-stream, retracted, retried
    rule = NO_ANY[".xcsh/rules/no-any.md"].replace("---\nN", "scope: [text, thinking, tool]\n---\nN")
    rules = StreamRules(project({".xcsh/rules/no-any.md": rule}))
    ran: list[str] = []
    async with scripted(Reply(FORBIDDEN[stream]), Reply((text("let a: number = 1"),)), wire=wire) as (model, server):
        result, events = await run(guarded(model, rules, ran))
    first, second = server.exchanges
    assert first.closed_at is not None
    assert first.sent < first.planned / 4
    assert second.completed
    assert ": any " not in shown(events)  # the matching delta reaches nobody
    assert ran == []
    assert result.output == "let a: number = 1"
    sent = [text_of(message) for message in bodies(server)[1]["messages"]]
    assert "\n".join(sent).count(INTERRUPT) == 1
    assert "Never write any." in sent[-1]
    kinds = [type(event) for event in events if isinstance(event, ResponseRetractedEvent | RulesTriggeredEvent)]
    assert kinds == [ResponseRetractedEvent, RulesTriggeredEvent]
    history = result.all_messages()
    assert [message.kind for message in history] == ["request", "request", "response"]
    assert not any(isinstance(part, ToolCallPart) for message in history for part in message.parts)
    assert isinstance(history[1], ModelRequest)
    assert isinstance(history[-1], ModelResponse)
