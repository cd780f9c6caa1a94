"""A look at a llama.cpp server from beside the client that is tested."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx2


class Exchange:
    """A request, and what of the answer came over the wire.

    `decoded_before`: the tokens that the server had made in its life when the request was sent. Times are those of
    the monotonic clock: when the server was idle before the request, when the first text came and when the last.
    """

    def __init__(self, request: dict[str, Any], decoded_before: int) -> None:
        self.request = request
        self.decoded_before = decoded_before
        self.texts: list[str] = []
        self.idle_at = time.monotonic()
        self.first_at = self.last_at = 0.0

    @property
    def text(self) -> str:
        return "".join(self.texts)


class ObservedTransport(httpx2.AsyncBaseTransport):
    """Real HTTP, but that a request waits until the server is idle."""

    def __init__(self, address: str) -> None:
        self._address = address
        # This server hangs up on the second stream of a connection before it answers, so each request gets its own.
        self._wire = httpx2.AsyncHTTPTransport(trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0))
        self.exchanges: list[Exchange] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await self._wait_until_idle()
        exchange = Exchange(json.loads(await request.aread()), await self._decoded())
        self.exchanges.append(exchange)
        response = await self._wire.handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        observed = ObservedStream(response.stream, exchange)
        return httpx2.Response(response.status_code, headers=response.headers, stream=observed)

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def _wait_until_idle(self) -> None:
        """Fails where the server still makes tokens after two seconds."""
        async with asyncio.timeout(2):
            while any(slot["is_processing"] for slot in json.loads(await self._get("/slots"))):  # noqa: ASYNC110 - another's state
                await asyncio.sleep(0.005)

    async def _decoded(self) -> int:
        """The tokens that the server has made since it was started, those of aborted requests too."""
        lines = (await self._get("/metrics")).splitlines()
        counters = dict(line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
        return int(float(counters["llamacpp:n_decode_total"]))

    async def _get(self, path: str) -> str:
        response = await self._wire.handle_async_request(httpx2.Request("GET", self._address + path))
        try:
            return (await response.aread()).decode()
        finally:
            await response.aclose()


class ObservedStream(httpx2.AsyncByteStream):
    """The bytes of a response as they are, and a note of the text in them."""

    def __init__(self, wrapped: httpx2.AsyncByteStream, exchange: Exchange) -> None:
        self._wrapped = wrapped
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        rest = b""
        async for data in self._wrapped:
            *frames, rest = (rest + data).split(b"\n\n")
            for frame in frames:
                self._note(frame)
            yield data

    async def aclose(self) -> None:
        await self._wrapped.aclose()

    def _note(self, frame: bytes) -> None:
        if not frame.startswith(b"data: {"):
            return
        choices = json.loads(frame.removeprefix(b"data: ")).get("choices")
        if choices and (text := choices[0]["delta"].get("content")):
            self._exchange.last_at = time.monotonic()
            self._exchange.first_at = self._exchange.first_at or self._exchange.last_at
            self._exchange.texts.append(text)
