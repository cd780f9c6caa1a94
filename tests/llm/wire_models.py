"""Models of both wires that talk to a fake server, and what a request of either wire says."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from xcsh.llm.reply import Failure, Reply, WireRequest
from xcsh.llm.sse_server import FakeModelServer, ModelServer

OPENAI, ANTHROPIC = "openai", "anthropic"
NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Servers on loopback speak without TLS: loading the machine's authorities takes 40 ms for each client."""


@asynccontextmanager
async def model_at(server: ModelServer, wire: str = OPENAI) -> AsyncGenerator[Model]:
    """A model whose provider is the server."""
    async with httpx2.AsyncClient(trust_env=False, verify=NO_AUTHORITIES) as client:
        if wire == OPENAI:
            yield OpenAIChatModel("fake", provider=OpenAIProvider(f"{server.url}/v1", "key", http_client=client))
        else:
            provider = AnthropicProvider(base_url=server.url, api_key="key", http_client=client)
            yield AnthropicModel("claude-sonnet-5-5", provider=provider)


@asynccontextmanager
async def scripted(*script: Reply | Failure, wire: str = OPENAI) -> AsyncGenerator[tuple[Model, FakeModelServer]]:
    """A model that gives these replies, and its server."""
    async with FakeModelServer(script) as server, model_at(server, wire) as model:
        yield model, server


@asynccontextmanager
async def answering(respond: Callable[[WireRequest], Reply | Failure]) -> AsyncGenerator[tuple[Model, ModelServer]]:
    """A model on the OpenAI wire that answers each request by a function."""
    async with ModelServer(respond) as server, model_at(server) as model:
        yield model, server


def bodies(server: ModelServer) -> list[dict[str, Any]]:
    """The requests that the server got, oldest first."""
    return [exchange.request.body for exchange in server.exchanges]


def system_of(body: dict[str, Any]) -> str:
    """The system prompt: the messages before the first of the user, or the field of the Anthropic wire."""
    if "system" in body:
        system = body["system"]
        return system if isinstance(system, str) else "\n\n".join(block["text"] for block in system)
    texts: list[str] = []
    for message in body["messages"]:
        if message["role"] not in ("system", "developer"):
            break
        texts.append(text_of(message))
    return "\n\n".join(texts)


def text_of(message: dict[str, Any]) -> str:
    """The texts of a message, those inside tool results too."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(
        text_of(block) if block.get("type") == "tool_result" else block.get("text", "") for block in content
    )


def tool_names(body: dict[str, Any]) -> list[str]:
    return sorted(tool["function"]["name"] if "function" in tool else tool["name"] for tool in body.get("tools", []))


def last_text(body: dict[str, Any]) -> str:
    return text_of(body["messages"][-1])


async def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Waits for what another task or process brings about; fails after some seconds."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for knows nothing of the test
            await asyncio.sleep(0.002)
