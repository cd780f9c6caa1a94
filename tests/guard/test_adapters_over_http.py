"""The guard around the clients of the openai and anthropic packages: the connection ends where the match does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterable

import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI
from tests.guard.rules import guard, names, rule
from tests.llm.wire_models import until

from xcsh.guard.adapters.anthropic_messages import guard_anthropic
from xcsh.guard.adapters.openai_chat import guard_openai_chat
from xcsh.guard.adapters.watching import StreamInterrupted
from xcsh.guard.stream_guard import StreamGuard
from xcsh.llm.reply import Delay, Reply, text
from xcsh.llm.sse_server import FakeModelServer

LONG = Reply((text("const x: any = 1;"), Delay(20), text(" never sent")))
SHORT = Reply((text("const x: string"),))
MESSAGES = [{"role": "user", "content": "hi"}]
CLIENTS = ("openai", "openai helper", "anthropic", "anthropic helper")
on_every_client = pytest.mark.parametrize("client", CLIENTS)


@pytest.fixture(autouse=True)
def _loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def no_any() -> StreamGuard:
    return guard(rule("no-any", r": any\b"))


def read(items: Iterable[object], seen: list[str]) -> StreamInterrupted | None:
    try:
        for item in items:
            seen += [repr(item)]  # now: the packages' helpers go on changing what they have given
    except StreamInterrupted as stop:
        return stop
    return None


async def read_async(items: AsyncIterable[object], seen: list[str]) -> StreamInterrupted | None:
    try:
        async for item in items:
            seen += [repr(item)]  # now: the packages' helpers go on changing what they have given
    except StreamInterrupted as stop:
        return stop
    return None


def ask(name: str, url: str, seen: list[str]) -> StreamInterrupted | None:
    """One request of a client that blocks. The client is not closed before the stream was read."""
    if name.startswith("openai"):
        with OpenAI(base_url=f"{url}/v1", api_key="k") as client:
            if name == "openai":
                stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)  # type: ignore[call-overload]
                return read(guard_openai_chat(no_any(), stream), seen)
            with client.chat.completions.stream(model="m", messages=MESSAGES) as events:  # type: ignore[arg-type]
                return read(guard_openai_chat(no_any(), events), seen)
    with Anthropic(base_url=url, api_key="k") as client:
        if name == "anthropic":
            stream = client.messages.create(model="m", messages=MESSAGES, max_tokens=9, stream=True)  # type: ignore[call-overload]
            return read(guard_anthropic(no_any(), stream), seen)
        with client.messages.stream(model="m", messages=MESSAGES, max_tokens=9) as events:  # type: ignore[arg-type]
            return read(guard_anthropic(no_any(), events), seen)


async def ask_async(name: str, url: str, seen: list[str]) -> StreamInterrupted | None:
    """The same in an event loop."""
    if name.startswith("openai"):
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key="k") as client:
            if name == "openai":
                stream = await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)  # type: ignore[call-overload]
                return await read_async(guard_openai_chat(no_any(), stream), seen)
            async with client.chat.completions.stream(model="m", messages=MESSAGES) as events:  # type: ignore[arg-type]
                return await read_async(guard_openai_chat(no_any(), events), seen)
    async with AsyncAnthropic(base_url=url, api_key="k") as client:
        if name == "anthropic":
            stream = await client.messages.create(model="m", messages=MESSAGES, max_tokens=9, stream=True)  # type: ignore[call-overload]
            return await read_async(guard_anthropic(no_any(), stream), seen)
        async with client.messages.stream(model="m", messages=MESSAGES, max_tokens=9) as events:  # type: ignore[arg-type]
            return await read_async(guard_anthropic(no_any(), events), seen)


async def run(name: str, reply: Reply, *, blocking: bool) -> tuple[list[str], StreamInterrupted | None, bool]:
    """What the consumer saw, the interrupt, and whether the server saw the client hang up."""
    seen: list[str] = []
    async with FakeModelServer([reply]) as server:
        if blocking:
            stop = await asyncio.to_thread(ask, name, server.url, seen)
        else:
            stop = await ask_async(name, server.url, seen)
        (exchange,) = server.exchanges
        await until(lambda: exchange.completed or exchange.closed_at is not None)
        return seen, stop, exchange.closed_at is not None


@on_every_client
@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "async"])
async def test_the_connection_is_closed_and_the_matching_chunk_withheld(client: str, *, blocking: bool) -> None:
    # T-17, T-8
    seen, stop, hung_up = await run(client, LONG, blocking=blocking)
    assert stop is not None
    assert names(stop.matches) == ["no-any"]
    assert hung_up
    shown = "\n".join(seen)
    assert "' any'" in shown  # held: more text could have undone it
    assert "= 1" not in shown


@on_every_client
@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "async"])
async def test_an_answer_without_a_match_arrives_whole(client: str, *, blocking: bool) -> None:
    # T-17
    seen, stop, hung_up = await run(client, SHORT, blocking=blocking)
    assert stop is None
    assert not hung_up
    assert "'ing'" in "\n".join(seen)


@on_every_client
async def test_the_end_is_withheld_where_it_decides(client: str) -> None:
    # T-17, T-7a
    seen, stop, _ = await run(client, Reply((text("const x: any"),)), blocking=True)
    assert stop is not None
    assert "any" in "\n".join(seen)
    assert not any(f"finish_reason={end!r}" in "\n".join(seen) for end in ("stop", "length"))
    assert "message_stop" not in "\n".join(seen)
