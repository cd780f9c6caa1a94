"""Answers what is no message: the protocol's own reader drops it, and who has asked would wait for ever."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import anyio
import mcp.types as t
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600


@asynccontextmanager
async def only_messages(incoming: Any, outgoing: Any) -> AsyncGenerator[Any]:
    """The messages of `incoming`; what is none is answered at `outgoing` with an error."""
    sending, receiving = anyio.create_memory_object_stream[SessionMessage](0)

    async def pass_on() -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the server has ended, or its output
            async with sending:
                async for each in incoming:
                    if isinstance(each, Exception):
                        await outgoing.send(SessionMessage(_refusal(each)))
                    else:
                        await sending.send(each)

    async with anyio.create_task_group() as group, receiving:
        group.start_soon(pass_on)
        yield receiving
        group.cancel_scope.cancel()


def _refusal(error: Exception) -> t.JSONRPCError:
    whole = next((each for each in map(_object, _inputs(error)) if "jsonrpc" in each or "id" in each), None)
    call_id = whole.get("id") if whole is not None else None
    code = _PARSE_ERROR if whole is None else _INVALID_REQUEST
    said = "this is no JSON object" if whole is None else "this is no message of the protocol"
    return t.JSONRPCError(jsonrpc="2.0", id=_known(call_id), error=t.ErrorData(code=code, message=said))


def _known(call_id: object) -> str | int | None:
    """An id that can be sent back; half a character cannot."""
    if isinstance(call_id, str):
        return call_id if call_id.encode("utf-8", "replace").decode() == call_id else None
    return call_id if isinstance(call_id, int) and not isinstance(call_id, bool) else None


def _inputs(error: Exception) -> list[object]:
    """What the reader was at when it failed: the line, its value, or a part of that."""
    if not isinstance(error, ValidationError):
        return []
    return [each["input"] for each in error.errors(include_url=False, include_context=False)]


def _object(value: object) -> dict[str, object]:
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
