"""A model server on loopback: real HTTP, real streaming, and a record of what each client took of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from typing import Self, cast

from xcsh.llm.reply import Failure, Reply, WireRequest
from xcsh.llm.wires import Frame, Wire, wire_of

Respond = Callable[[WireRequest], Reply | Failure]
_MOST_BYTES = 64 * 1024 * 1024
_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
)
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class Exchange:
    """One request and what became of its answer. `closed_at` is set where the client hung up before the end."""

    def __init__(self, request: WireRequest) -> None:
        self.request = request
        self.planned = 0
        self.sent = 0
        self.completed = False
        self.closed_at: float | None = None


class ModelServer:
    """Serves the OpenAI chat and Anthropic message wires on 127.0.0.1, at a port of the system's choice.

    `respond` is asked for each request; it runs in the event loop and must not block. Use as an async context
    manager: leaving it ends the listener and every connection.
    """

    def __init__(self, respond: Respond) -> None:
        self._respond = respond
        self._connections: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None
        self._port = 0
        self.exchanges: list[Exchange] = []

    @property
    def url(self) -> str:
        """The address, without a path. OpenAI clients take `url + "/v1"` as their base."""
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self._port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        listener, self._listener = self._listener, None
        if listener is None:
            return
        listener.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await listener.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: asyncio logs a traceback for one of its own that is cancelled.
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        exchange: Exchange | None = None
        try:
            request = await _read_request(reader)
            if request is not None:
                exchange = Exchange(request)
                self.exchanges.append(exchange)
                await self._answer(exchange, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client hung up: noted below
        finally:
            if exchange is not None and not exchange.completed and exchange.closed_at is None:
                exchange.closed_at = time.monotonic()
            writer.close()

    async def _answer(self, exchange: Exchange, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = wire_of(exchange.request.path)
        if wire is None:
            await _send_json(writer, 404, {"error": {"message": f"nothing is served at {exchange.request.path}"}})
            exchange.completed = True
            return
        answer = self._respond(exchange.request)
        if isinstance(answer, Failure):
            await _send_json(writer, answer.status, wire.error(answer))
            exchange.completed = True
        elif exchange.request.body.get("stream") is True:
            await _stream(exchange, wire, answer, reader, writer)
        else:
            exchange.planned = exchange.sent = 1
            await _send_json(writer, 200, wire.whole(answer))
            exchange.completed = True


class FakeModelServer(ModelServer):
    """A model server that gives the replies of a script in order, and an HTTP 400 when they are used up."""

    def __init__(self, script: Iterable[Reply | Failure]) -> None:
        self._script = list(script)
        super().__init__(self._next)

    def _next(self, request: WireRequest) -> Reply | Failure:
        del request
        return self._script.pop(0) if self._script else Failure(400, "the script is used up")


async def _read_request(reader: asyncio.StreamReader) -> WireRequest | None:
    """The request; None for one that is no HTTP request with a JSON object."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *fields = head.split("\r\n")
    words = line.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
    length = headers.get("content-length", "0")
    if len(words) != 3 or not length.isdigit() or int(length) > _MOST_BYTES:  # noqa: PLR2004 - method, path, version
        return None
    raw = await reader.readexactly(int(length))
    try:
        body: object = json.loads(raw or b"{}")
    except ValueError:
        return None
    return WireRequest(words[1], cast("dict[str, object]", body)) if isinstance(body, dict) else None


async def _send_json(writer: asyncio.StreamWriter, status: int, body: dict[str, object]) -> None:
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}\r\ncontent-type: application/json\r\n"
    # A client that is told not to repeat a failed request shows its failure at once.
    rest = f"content-length: {len(data)}\r\nx-should-retry: false\r\nconnection: close\r\n\r\n"
    writer.write((head + rest).encode() + data)
    await writer.drain()


async def _stream(
    exchange: Exchange, wire: Wire, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Sends the frames until the last one or until the client hangs up, whichever comes first."""
    frames: list[Frame] = list(wire.frames(reply))
    exchange.planned = len(frames)
    writer.write(_STREAM_HEAD)
    # One request a connection, so whatever arrives now is the end: the read returns the moment the client closes.
    gone = asyncio.ensure_future(reader.read(1))
    try:
        for frame in frames:
            await asyncio.wait({gone}, timeout=frame.pause)
            if gone.done():
                exchange.closed_at = time.monotonic()
                return
            if frame.hang_up:
                writer.transport.abort()
                exchange.completed = True  # it was planned so: the client did not close
                return
            writer.write(b"%x\r\n%s\r\n" % (len(frame.data), frame.data))
            await writer.drain()
            exchange.sent += 1
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        exchange.completed = True
    finally:
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
