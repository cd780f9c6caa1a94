"""A server that answers with bytes as they are: headers and streams that no well-behaved one sends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any


def error(status: int, message: str, **headers: str) -> bytes:
    """A JSON error with headers of its own; underscores in their names are hyphens."""
    body = json.dumps({"type": "error", "error": {"message": message, "type": "error"}}).encode()
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join(
        [f"HTTP/1.1 {status} E", "content-type: application/json", f"content-length: {len(body)}", *lines]
    )
    return f"{head}\r\nconnection: close\r\n\r\n".encode() + body


def stream(*frames: str) -> bytes:
    """A stream of server-sent events that ends with the connection."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    return head + "".join(f"{frame}\n\n" for frame in frames).encode()


class RawServer:
    """Gives its answers in order, one a connection; `bodies` are the requests."""

    def __init__(self, answers: list[bytes]) -> None:
        self.answers = answers
        self.bodies: list[dict[str, Any]] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next(line for line in head.split("\r\n") if line.startswith("content-length:")).split(":")[1]
        self.bodies.append(json.loads(await reader.readexactly(int(length))))
        writer.write(self.answers.pop(0))
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def raw_server(*answers: bytes) -> AsyncGenerator[RawServer]:
    server = RawServer(list(answers))
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()
        await listener.wait_closed()
