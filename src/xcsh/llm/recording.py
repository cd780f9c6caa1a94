"""Reads a recorded conversation: JSON Lines, a heading and then one exchange a line. Faults are named by path:line.

    {"recording": 1, "prompt": "what it answers", "pace": 0.01}
    {"expect": {"system": ["# Rules"], "user": "total()"}, "reply": [{"tool": "read_file", "arguments": {"path": "a"}}]}
    {"expect": {"tool_result": "export"}, "reply": [{"thinking": "…"}, {"delay": 0.2}, {"text": "Done."}]}

Heading: `recording` (the version, 1), `prompt` (for people: nothing is compared with it), `pace` (seconds before each
delta), `chunk` (characters of a delta, 4).
`expect`: `system`, `user`, `tool_result` (a text or a list of texts that must occur in the system prompt, in the last
user message, in the tool results since the last answer), `tools` (names that must be offered), `messages` (how many).
`reply`: pieces `text` and `thinking` (a text, or a list of texts, one a delta), `tool` with `arguments` (an object, or
the JSON text itself) and perhaps `id`, `delay` (seconds).
`fail` in place of `reply`: `{"status": 429, "message": "…", "type": "…"}`, an HTTP error.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from xcsh.errors import UsageError
from xcsh.llm.fields import Fields
from xcsh.llm.reply import CHUNK, Delay, Failure, Piece, Reply, Text, Thinking, ToolCall, cut
from xcsh.sources.filesystem import ReadRefusedError, read_bytes

_VERSION = 1
_LIMIT = 100_000_000
"""Bytes. A recording is held in memory, and one that never ends would fill it."""
_HINT = "the format is described by: python -m pydoc xcsh.llm.recording"

_NAME_ONE = "name a file: --model replay:FILE"


class Expectation(NamedTuple):
    """What the client must have sent. Texts must occur, names must be offered; `messages` is an exact number."""

    system: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    tool_result: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    messages: int | None = None


class RecordedExchange(NamedTuple):
    """One exchange, and the line that it stands on."""

    line: int
    expect: Expectation
    answer: Reply | Failure


class Recording(NamedTuple):
    """A conversation. `prompt` is what it answers, for people."""

    path: str
    prompt: str
    exchanges: tuple[RecordedExchange, ...]


def read_recording(path: str) -> Recording:
    """Raises UsageError, with path:line and what is wrong, for a file that cannot be played."""
    if os.path.isdir(path):
        raise UsageError(f"the recording {path} is a folder", _NAME_ONE)
    if not os.path.exists(path):  # nor is what no path can be
        raise UsageError(f"the recording {path} cannot be read: No such file or directory", _NAME_ONE)
    try:
        text = read_bytes(path, _LIMIT).decode("utf-8")
    except ReadRefusedError as refused:
        raise UsageError(f"the recording {path} cannot be read: {refused.message}", _NAME_ONE) from None
    except UnicodeDecodeError:
        raise UsageError(f"the recording {path} is not UTF-8", _HINT) from None
    return parse_recording(text, path)


def parse_recording(text: str, path: str = "recording") -> Recording:
    """As read_recording, for a text that was read already; `path` is what faults are called by."""
    shown = os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else path
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise UsageError(f"{shown}:1: the recording is empty", _HINT)
    (first, heading_text), *rest = lines
    heading = Fields.parse(heading_text, f"{shown}:{first}", _HINT)
    if heading.take("recording") != _VERSION:
        raise heading.fault(f'the first line must hold "recording": {_VERSION}')
    prompt, pace, chunk = heading.text("prompt"), heading.seconds("pace"), heading.count("chunk", CHUNK) or CHUNK
    heading.nothing_else("recording, prompt, pace, chunk")
    if not rest:
        raise heading.fault("no exchange follows the heading")
    exchanges = tuple(
        RecordedExchange(number, *_exchange(Fields.parse(line, f"{shown}:{number}", _HINT), at, chunk, pace))
        for at, (number, line) in enumerate(rest, 1)
    )
    return Recording(shown, prompt, exchanges)


def _exchange(line: Fields, at: int, chunk: int, pace: float) -> tuple[Expectation, Reply | Failure]:
    expect = line.object("expect")
    expectation = Expectation(
        expect.texts("system"),
        expect.texts("user"),
        expect.texts("tool_result"),
        expect.texts("tools"),
        expect.count("messages"),
    )
    expect.nothing_else("system, user, tool_result, tools, messages")
    if line.has("fail") == line.has("reply"):
        raise line.fault('an exchange has either "reply" or "fail"')
    answer = _failure(line.object("fail")) if line.has("fail") else Reply(_pieces(line, at, chunk), pace)
    line.nothing_else("expect, reply, fail")
    return expectation, answer


def _failure(fail: Fields) -> Failure:
    status = fail.count("status", 500) or 500
    failure = Failure(status, fail.text("message", "the recorded provider failed"), fail.text("type", "server_error"))
    fail.nothing_else("status, message, type")
    return failure


def _pieces(line: Fields, exchange: int, chunk: int) -> tuple[Piece, ...]:
    return tuple(_piece(piece, f"call_{exchange}_{at}", chunk) for at, piece in enumerate(line.objects("reply"), 1))


def _piece(piece: Fields, call_id: str, chunk: int) -> Piece:
    made: Piece
    if piece.has("text"):
        made = Text(_deltas(piece, "text", chunk))
    elif piece.has("thinking"):
        made = Thinking(_deltas(piece, "thinking", chunk))
    elif piece.has("tool"):
        given = piece.take("arguments")
        raw = given if isinstance(given, str) else json.dumps(given or {})
        made = ToolCall(piece.text("id", call_id), piece.text("tool"), cut(raw, chunk))
    elif piece.has("delay"):
        made = Delay(piece.seconds("delay"))
    else:
        raise piece.fault('a piece holds one of "text", "thinking", "tool", "delay"')
    piece.nothing_else("one of text, thinking, tool (with arguments, id), delay")
    return made


def _deltas(piece: Fields, key: str, chunk: int) -> tuple[str, ...]:
    """A text is cut into deltas; a list holds them as they are."""
    whole = not piece.is_list(key)
    texts = piece.texts(key)
    if not texts:
        raise piece.fault(f'"{key}" holds no text')
    return cut(texts[0], chunk) if whole else texts
