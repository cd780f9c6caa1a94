"""Lets only what is a message through to the protocol's own reader, which takes anything else badly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600


@asynccontextmanager
async def only_messages(
    incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter, longest: int
) -> AsyncGenerator[asyncio.StreamReader]:
    """A reader of the lines of `incoming` that are JSON objects; all others are answered with an error.

    A line of more than `longest` bytes ends the input, since where the next one begins is not known.
    """
    sound = asyncio.StreamReader(limit=longest)
    feeding = asyncio.create_task(_feed(incoming, outgoing, sound))
    try:
        yield sound
    finally:
        feeding.cancel()
        with suppress(asyncio.CancelledError):
            await feeding


async def _feed(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter, sound: asyncio.StreamReader) -> None:
    try:
        while line := await incoming.readline():
            error = _wrong(line)
            if error is None:
                sound.feed_data(line)
            elif line.strip():
                answer = {"jsonrpc": "2.0", "id": None, "error": error}
                outgoing.write(json.dumps(answer).encode() + b"\n")
    except (ValueError, ConnectionError):  # a line that is too long; the other end has gone
        pass
    finally:
        sound.feed_eof()


def _wrong(line: bytes) -> dict[str, object] | None:
    try:
        message: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"code": _PARSE_ERROR, "message": f"no JSON: {error}"}
    if not isinstance(message, dict):
        return {"code": _INVALID_REQUEST, "message": "a message is a JSON object"}
    return None
