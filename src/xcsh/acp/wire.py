"""Lets only what is a message through to the protocol's own reader, which takes anything else badly."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple, cast

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
_META = frozenset({"_meta", "field_meta"})
"""What the protocol calls it, and the name that its library takes as well."""


class _Wrong(NamedTuple):
    """An error as JSON-RPC answers it."""

    code: int
    message: str


@asynccontextmanager
async def only_messages(
    incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter, longest: int
) -> AsyncGenerator[asyncio.StreamReader]:
    """A reader of the lines of `incoming` that are JSON objects; all others are answered with an error.

    So is a line of more than `longest` bytes, which is the limit of `incoming`.
    """
    sound = asyncio.StreamReader(limit=longest)
    feeding = asyncio.create_task(_feed(incoming, outgoing, sound, longest))
    try:
        yield sound
    finally:
        feeding.cancel()
        await asyncio.wait({feeding})  # awaiting it would take our own cancellation for its


async def _feed(
    incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter, sound: asyncio.StreamReader, longest: int
) -> None:
    try:
        async for line in _lines(incoming):
            message = _message(line) if line is not None else _Wrong(_INVALID_REQUEST, _too_long(longest))
            if not isinstance(message, _Wrong):
                sound.feed_data(message)
            elif line is None or line.strip():
                answer = {"jsonrpc": "2.0", "id": None, "error": message._asdict()}
                outgoing.write(json.dumps(answer).encode() + b"\n")
                await outgoing.drain()
    except ConnectionError:  # the other end has gone
        pass
    finally:
        sound.feed_eof()


async def _lines(incoming: asyncio.StreamReader) -> AsyncGenerator[bytes | None]:
    """The lines, the last one perhaps without an end; None for one that is too long to be held."""
    too_long = False
    while True:
        try:
            line = await incoming.readuntil()
        except asyncio.LimitOverrunError as error:
            await incoming.readexactly(error.consumed)
            too_long = True
            continue
        except asyncio.IncompleteReadError as error:
            if error.partial or too_long:
                yield None if too_long else error.partial + b"\n"
            return
        yield None if too_long else line
        too_long = False


def _too_long(longest: int) -> str:
    return f"a message has at most {longest:,} bytes"


def _message(line: bytes) -> bytes | _Wrong:
    """The line as the protocol's reader takes it, or what keeps it from being a message that the reader survives."""
    try:
        value: object = json.loads(line, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        return _Wrong(_PARSE_ERROR, f"no JSON: {error}")
    if not isinstance(value, dict):
        return _Wrong(_INVALID_REQUEST, "a message is a JSON object")
    message = cast("dict[str, object]", value)
    if not isinstance(message.get("id"), str | int | float | None):
        return _Wrong(_INVALID_REQUEST, "an id is a string or a number")
    if not isinstance(message.get("method"), str | None):
        return _Wrong(_INVALID_REQUEST, "a method is a string")
    if not isinstance(message.get("error"), dict | None):
        return _Wrong(_INVALID_REQUEST, "an error is an object")
    return _without_meta(message, line)


def _without_meta(message: dict[str, object], line: bytes) -> bytes:
    """The line without what a client adds to the parameters: the reader would take it for arguments of the method."""
    params = message.get("params")
    if not isinstance(params, dict) or not params.keys() & _META:
        return line
    kept = {key: value for key, value in cast("dict[str, object]", params).items() if key not in _META}
    return json.dumps({**message, "params": kept}).encode() + b"\n"


def _finite(text: str) -> float:
    """A number, whatever its kind; ValueError for one that could not be sent back, since JSON has no word for it."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number of JSON, or is too large")
    return number
