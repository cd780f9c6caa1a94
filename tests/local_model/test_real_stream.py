"""A stream rule against a model that really writes: the generation itself stops, and the request is made again."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator, Sequence

import httpx2
import pytest
from pydantic_ai import Agent, AgentRunResultEvent
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings
from tests.local_model.observed import ObservedTransport
from tests.support import Project

from xcsh.agent import ResponseRetractedEvent, RulesTriggeredEvent, StreamRules

MOST_TOKENS = 300
# The end of a sentence and what follows it: two tokens at least, and no model tells a long story without one.
CONDITION = r"[.!?]\s"
RULE = {".xcsh/rules/one-sentence.md": f"---\ncondition: '{CONDITION}'\n---\nWrite a single sentence."}


@pytest.fixture
async def transport(local_model: str) -> AsyncIterator[ObservedTransport]:
    observed = ObservedTransport(local_model)
    yield observed
    await observed.aclose()


def text_in(events: Sequence[object]) -> str:
    """What a consumer was shown of the text."""
    shown = ""
    for event in events:
        if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            shown += event.part.content
        elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
            shown += event.delta.content_delta
    return shown


async def test_a_rule_stops_a_model_at_work_and_the_request_is_made_again_with_the_rule(
    project: Project, local_model: str, transport: ObservedTransport
) -> None:
    # T-8, T-9
    async with httpx2.AsyncClient(transport=transport, trust_env=False) as client:
        provider = OpenAIProvider(f"{local_model}/v1", "none", http_client=client)
        settings = ModelSettings(temperature=0, seed=1, max_tokens=MOST_TOKENS)
        model = OpenAIChatModel("local", provider=provider, settings=settings)
        agent = Agent(model, capabilities=[StreamRules(project(RULE))])
        async with agent.run_stream_events("Write a long story about the sea.") as stream:
            events = [event async for event in stream]

    end = events[-1]
    assert isinstance(end, AgentRunResultEvent)
    assert end.result.output.strip()
    marks = [event for event in events if isinstance(event, ResponseRetractedEvent | RulesTriggeredEvent)]
    assert [type(mark) for mark in marks] == [ResponseRetractedEvent, RulesTriggeredEvent]
    assert isinstance(marks[1], RulesTriggeredEvent)
    assert marks[1].rules == ("one-sentence",)

    # The text that completes the match came over the wire and no further.
    shown = text_in(events[: events.index(marks[0])])
    aborted, again = transport.exchanges
    assert re.search(CONDITION, aborted.text)
    assert shown
    assert aborted.text.startswith(shown)
    assert not re.search(CONDITION, shown)

    (message,) = again.request["messages"]  # many chat templates refuse two of the user in a row
    assert message["role"] == "user"
    assert "Write a single sentence." in json.dumps(message["content"])
    assert again.text == end.result.output

    # The second request was sent to a server that was idle, so this is all that the first one cost it.
    made = again.decoded_before - aborted.decoded_before
    assert made < MOST_TOKENS / 2
    pace = (len(again.texts) - 1) / (again.last_at - again.first_at)
    figures = (
        f"{pace:.0f} tokens/s; stopped after {len(aborted.texts)} frames of text and {made} tokens of the model",
        f"idle {(again.idle_at - aborted.last_at) * 1000:.0f} ms after the frame that matched",
        f"stopped:  {shown!r}",
        f"in place: {end.result.output!r}",
    )
    sys.stdout.write("\n".join(figures))
