"""Runs the server: on standard input and output, or over HTTP on loopback with a token."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import os
import signal
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from typing import Any

from mcp.server.stdio import stdio_server

from xcsh.errors import UsageError
from xcsh.mcp.server import RulesServer
from xcsh.mcp.wire import only_messages

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
_WAITING = 100


async def serve_stdio(served: RulesServer) -> None:
    """Serves the client at standard input and output until it leaves. A signal ends the process here: the thread that
    waits for input cannot be ended otherwise, and there is nothing to put away.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # as on Windows
            asyncio.get_running_loop().add_signal_handler(number, os._exit, 0)
    try:
        async with stdio_server() as (incoming, outgoing), only_messages(incoming, outgoing) as messages:
            await served.server.run(messages, outgoing, served.server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client reads no more


def listen(port: int) -> socket.socket:
    """A socket on loopback that listens; port 0 is any that is free. UsageError where the port is taken."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((LOOPBACK, port))
        bound.listen(_WAITING)  # whoever reads where it is may connect at once, and waits for the server to load
    except (OSError, OverflowError) as error:
        bound.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"port {port} cannot be used: {reason}", "choose another, or 0 for any that is free") from None
    return bound


async def serve_http(served: RulesServer, bound: socket.socket, token: str) -> None:
    """Serves any number of clients over HTTP until the task is cancelled. Each request has to carry the token."""
    import uvicorn  # noqa: PLC0415 - only for HTTP

    app = served.server.streamable_http_app(streamable_http_path=PATH, host=LOOPBACK)
    config = uvicorn.Config(_guarded(app, token), log_level="error", access_log=False, lifespan="on")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[method-assign] # pyright: ignore[reportAttributeAccessIssue]
    try:
        await server.serve(sockets=[bound])
    finally:
        bound.close()


def _guarded(app: _App, token: str) -> _App:
    """Lets only requests with the token through; a page in a browser has none."""
    expected = f"Bearer {token}".encode()

    async def guarded(scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "http":
            headers: dict[bytes, bytes] = dict(scope["headers"])
            if not hmac.compare_digest(headers.get(b"authorization", b""), expected):
                await send(
                    {
                        "type": "http.response.start",
                        "status": 401,
                        "headers": [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")],
                    }
                )
                await send({"type": "http.response.body", "body": b"the token is missing or another\n"})
                return
        await app(scope, receive, send)

    return guarded


@contextlib.asynccontextmanager
async def beside(work: Awaitable[None]) -> AsyncGenerator[None]:
    """Runs something for as long as the block lasts."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})  # awaiting it would take our own cancellation for its
