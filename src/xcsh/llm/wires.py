"""Encodes a reply for a wire: OpenAI chat completions or Anthropic messages, streamed or in one piece. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from xcsh.llm.reply import Delay, Failure, HangUp, Reply, Text, Thinking, ToolCall

Json = dict[str, object]
_MODEL = "recorded"
_OPENAI_USAGE: Json = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class Frame(NamedTuple):
    """The bytes of one server-sent event, and the pause before them. `hang_up`: the connection is cut instead."""

    data: bytes
    pause: float = 0.0
    hang_up: bool = False


class Wire(NamedTuple):
    """How a reply is streamed, how it is sent whole, and what an error looks like."""

    frames: Callable[[Reply], Iterator[Frame]]
    whole: Callable[[Reply], Json]
    error: Callable[[Failure], Json]


def wire_of(path: str) -> Wire | None:
    """The wire that a path belongs to; None where no model server answers there."""
    place = path.partition("?")[0]
    if place.endswith("/chat/completions"):
        return OPENAI_CHAT
    return ANTHROPIC if place.endswith("/messages") else None


def _event(data: Json, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _with_pauses(reply: Reply) -> Iterator[tuple[Text | Thinking | ToolCall | HangUp, float]]:
    """The pieces that count, each with the pause that the delays before it add up to."""
    waited = 0.0
    for piece in reply.pieces:
        if isinstance(piece, Delay):
            waited += piece.seconds
        else:
            yield piece, waited
            waited = 0.0


def _openai_frames(reply: Reply) -> Iterator[Frame]:
    def chunk(delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event({**_openai_head("chat.completion.chunk"), "choices": [choice]})

    yield Frame(chunk({"role": "assistant", "content": ""}))
    calls = 0
    for piece, pause in _with_pauses(reply):
        if isinstance(piece, HangUp):
            yield Frame(b"", pause, hang_up=True)
            return
        if isinstance(piece, ToolCall):
            function = {"name": piece.name, "arguments": ""}
            call: Json = {"index": calls, "id": piece.id, "type": "function", "function": function}
            yield Frame(chunk({"tool_calls": [call]}), pause + reply.pace)
            for delta in piece.deltas:
                yield Frame(chunk({"tool_calls": [{"index": calls, "function": {"arguments": delta}}]}), reply.pace)
            calls += 1
            continue
        key = "content" if isinstance(piece, Text) else "reasoning_content"
        for at, delta in enumerate(piece.deltas):
            yield Frame(chunk({key: delta}), reply.pace + (0.0 if at else pause))
    yield Frame(chunk({}, "tool_calls" if calls else "stop"))
    yield Frame(_event({**_openai_head("chat.completion.chunk"), "choices": [], "usage": _OPENAI_USAGE}))
    yield Frame(b"data: [DONE]\n\n")


def _openai_whole(reply: Reply) -> Json:
    message: Json = {"role": "assistant", "content": _joined(reply, Text) or None}
    if thinking := _joined(reply, Thinking):
        message["reasoning_content"] = thinking
    calls = [
        {"id": piece.id, "type": "function", "function": {"name": piece.name, "arguments": "".join(piece.deltas)}}
        for piece in reply.pieces
        if isinstance(piece, ToolCall)
    ]
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {**_openai_head("chat.completion"), "choices": [choice], "usage": _OPENAI_USAGE}


def _openai_head(kind: str) -> Json:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": _MODEL}


def _joined(reply: Reply, kind: type[Text | Thinking]) -> str:
    return "".join("".join(piece.deltas) for piece in reply.pieces if isinstance(piece, kind))


def _openai_error(failure: Failure) -> Json:
    return {"error": {"message": failure.message, "type": failure.type, "code": None, "hint": failure.hint}}


def _anthropic_frames(reply: Reply) -> Iterator[Frame]:
    def event(name: str, pause: float = 0.0, **fields: object) -> Frame:
        return Frame(_event({"type": name, **fields}, name), pause)

    head = _anthropic_message([], None)
    yield event("message_start", message=head)
    called = False
    for index, (piece, pause) in enumerate(_with_pauses(reply)):
        if isinstance(piece, HangUp):
            yield Frame(b"", pause, hang_up=True)
            return
        called = called or isinstance(piece, ToolCall)
        yield event("content_block_start", pause, index=index, content_block=_anthropic_block(piece, ""))
        kind, key = _ANTHROPIC_DELTAS[type(piece)]
        for delta in piece.deltas:
            yield event("content_block_delta", reply.pace, index=index, delta={"type": kind, key: delta})
        if isinstance(piece, Thinking):
            yield event("content_block_delta", index=index, delta={"type": "signature_delta", "signature": "recorded"})
        yield event("content_block_stop", index=index)
    stop = {"stop_reason": "tool_use" if called else "end_turn", "stop_sequence": None}
    yield event("message_delta", delta=stop, usage={"output_tokens": 5})
    yield event("message_stop")


_ANTHROPIC_DELTAS: dict[type[Text | Thinking | ToolCall], tuple[str, str]] = {
    Text: ("text_delta", "text"),
    Thinking: ("thinking_delta", "thinking"),
    ToolCall: ("input_json_delta", "partial_json"),
}


def _anthropic_block(piece: Text | Thinking | ToolCall, content: str) -> Json:
    if isinstance(piece, ToolCall):
        return {"type": "tool_use", "id": piece.id, "name": piece.name, "input": json.loads(content or "{}")}
    if isinstance(piece, Thinking):
        return {"type": "thinking", "thinking": content, "signature": "recorded" if content else ""}
    return {"type": "text", "text": content}


def _anthropic_message(content: list[Json], stop: str | None) -> Json:
    usage = {"input_tokens": 10, "output_tokens": 5 if stop else 1}
    head: Json = {"id": "msg_1", "type": "message", "role": "assistant", "model": _MODEL, "content": content}
    return {**head, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def _anthropic_whole(reply: Reply) -> Json:
    pieces = [piece for piece, _ in _with_pauses(reply) if not isinstance(piece, HangUp)]
    called = any(isinstance(piece, ToolCall) for piece in pieces)
    content = [_anthropic_block(piece, "".join(piece.deltas)) for piece in pieces]
    return _anthropic_message(content, "tool_use" if called else "end_turn")


def _anthropic_error(failure: Failure) -> Json:
    return {"type": "error", "error": {"type": failure.type, "message": failure.message, "hint": failure.hint}}


OPENAI_CHAT = Wire(_openai_frames, _openai_whole, _openai_error)
ANTHROPIC = Wire(_anthropic_frames, _anthropic_whole, _anthropic_error)
