"""The model server on loopback: both wires, streamed and whole, and clients that hang up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import httpx2
import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from tests.llm.wire_models import scripted, until

from xcsh.llm.reply import Delay, Failure, Reply, Text, Thinking, ToolCall, cut, text
from xcsh.llm.sse_server import FakeModelServer

WIRES = ("openai", "anthropic")
EVERYTHING = Reply(
    (
        Thinking(cut("Hm, ok.")),
        text("Let me see."),
        ToolCall("c1", "look", cut('{"at": "a \\"b\\""}')),
        ToolCall("c2", "look", cut('{"at": "c"}')),
    )
)


def looker(seen: list[str]) -> Callable[[str], str]:
    def look(at: str) -> str:
        seen.append(at)
        return "seen"

    return look


def parts_of(messages: list[ModelMessage]) -> list[str]:
    response = next(message for message in messages if isinstance(message, ModelResponse))
    shown: list[str] = []
    for part in response.parts:
        if isinstance(part, ThinkingPart | TextPart):
            shown.append(f"{part.part_kind}: {part.content}")
        elif isinstance(part, ToolCallPart):
            shown.append(f"{part.tool_call_id}: {part.tool_name} {json.dumps(part.args_as_dict())}")
    return shown


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
async def test_thinking_text_and_tool_calls_arrive_on_both_wires(wire: str, *, streamed: bool) -> None:
    # S-11
    seen: list[str] = []
    async with scripted(EVERYTHING, Reply((text("Done."),)), wire=wire) as (model, server):
        agent = Agent(model, tools=[looker(seen)])
        if streamed:
            async with agent.run_stream_events("hi") as events:
                result = [event async for event in events][-1].result  # type: ignore[union-attr]
        else:
            # With its own, large maximum a model of the Anthropic wire streams whatever it is asked.
            result = await agent.run("hi", model_settings={"max_tokens": 500})
    assert result.output == "Done."
    assert sorted(seen) == ['a "b"', "c"]  # calls of one response run side by side
    assert parts_of(result.all_messages()) == [
        "thinking: Hm, ok.",
        "text: Let me see.",
        'c1: look {"at": "a \\"b\\""}',
        'c2: look {"at": "c"}',
    ]
    assert all(exchange.completed and exchange.closed_at is None for exchange in server.exchanges)
    assert bool(server.exchanges[0].request.body.get("stream")) is streamed
    assert all(exchange.sent == exchange.planned for exchange in server.exchanges)


@pytest.mark.parametrize("wire", WIRES)
async def test_an_error_reaches_the_client_with_its_status_and_message(wire: str) -> None:
    # S-11
    async with scripted(Failure(401, "bad key", "authentication_error"), wire=wire) as (model, server):
        with pytest.raises(ModelHTTPError, match="bad key") as caught:
            await Agent(model).run("hi")
    assert caught.value.status_code == 401
    assert len(server.exchanges) == 1


async def post(server: FakeModelServer, then: Callable[[httpx2.Response], Awaitable[None]]) -> None:
    url = f"{server.url}/v1/chat/completions"
    async with (
        httpx2.AsyncClient(trust_env=False) as client,
        client.stream("POST", url, json={"stream": True}) as response,
    ):
        await then(response)


async def test_a_client_that_hangs_up_in_the_middle_is_noticed_at_once() -> None:
    # the guard's abort relies on it
    async def take_three(response: httpx2.Response) -> None:
        lines = response.aiter_lines()
        for _ in range(3):
            await anext(lines)

    async with FakeModelServer([Reply((text("x" * 4000), Delay(60), text("never")), pace=0.001)]) as server:
        await post(server, take_three)
        exchange = server.exchanges[0]
        await until(lambda: exchange.closed_at is not None)
    assert 2 <= exchange.sent < 50
    assert exchange.planned > 1000
    assert not exchange.completed


async def test_a_client_that_hangs_up_during_a_delay_is_noticed_before_the_delay_is_over() -> None:
    # the guard's abort relies on it
    async def take_the_text(response: httpx2.Response) -> None:
        async for line in response.aiter_lines():
            if "said" in line:
                return

    async with FakeModelServer([Reply((Text(("said",)), Delay(60), text("never")))]) as server:
        await post(server, take_the_text)
        await until(lambda: server.exchanges[0].closed_at is not None)
    assert server.exchanges[0].sent == 2


async def test_a_server_that_stops_ends_its_open_connections_and_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    # S-11
    async def hold(response: httpx2.Response) -> None:
        held.set()
        with pytest.raises(httpx2.RemoteProtocolError):
            await response.aread()

    held = asyncio.Event()
    async with asyncio.timeout(30):
        async with FakeModelServer([Reply((Delay(60), text("never")))]) as server:
            client = asyncio.create_task(post(server, hold))
            await held.wait()
        await client
    assert server.exchanges[0].closed_at is not None
    assert caplog.records == []


@pytest.mark.parametrize(
    "sent", [b"nonsense\r\n\r\n", b"POST /v1/messages HTTP/1.1\r\ncontent-length: 3\r\n\r\n{,}", b"GET", b""]
)
async def test_what_is_no_request_is_dropped_without_a_record(sent: bytes) -> None:
    # S-11
    async with FakeModelServer([]) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
        writer.write(sent)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()
    assert server.exchanges == []


async def test_another_path_is_not_found() -> None:
    # S-11
    async with FakeModelServer([]) as server, httpx2.AsyncClient(trust_env=False) as client:
        response = await client.get(f"{server.url}/v1/models")
    assert response.status_code == 404
    assert "nothing is served at /v1/models" in response.text
