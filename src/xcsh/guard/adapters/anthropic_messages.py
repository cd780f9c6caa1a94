"""Guards a stream of Anthropic message events: objects of the `anthropic` package, or the same as decoded JSON."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from typing import NamedTuple, TypeVar, overload

from xcsh.guard.adapters.fields import field, number_field, text_field
from xcsh.guard.adapters.steps import Delta, End, Step
from xcsh.guard.adapters.watching import OnMatch, watch
from xcsh.guard.stream_guard import StreamGuard

Item = TypeVar("Item")
_SOURCES = {"text": "text", "thinking": "thinking"}
"""By the type of a block; a block with a name is a call of a tool, whoever runs it."""

_DELTAS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("tool", "partial_json"),
}
"""By the type of a delta: its source, and the field that holds the text."""


class _Block(NamedTuple):
    source: str
    call: str
    tool: str


class AnthropicReader:
    """The blocks of a message: its text is one stream, its thinking another, each call one of its own (T-6).

    Events by which the package's helper repeats a delta mean nothing.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}

    def read(self, item: object) -> list[Step]:
        """What an event says."""
        kind = text_field(item, "type")
        index = number_field(item, "index")
        if kind == "content_block_start":
            return self._begin(index, field(item, "content_block"))
        if kind == "content_block_delta":
            return self._read_delta(index, field(item, "delta"))
        if kind == "content_block_stop":
            block = self._blocks.pop(index, None)
            return [End(block.source, block.call)] if block and block.source == "tool" else []
        if kind == "message_stop":
            calls = [End(block.source, block.call) for block in self._blocks.values() if block.source == "tool"]
            self._blocks.clear()
            return [*calls, End("text", ""), End("thinking", "")]
        return []

    def _begin(self, index: int, content: object) -> list[Step]:
        kind, tool = text_field(content, "type"), text_field(content, "name")
        source = "tool" if tool else _SOURCES.get(kind)
        if source is None:
            return []
        block = self._blocks[index] = _Block(source, str(index) if source == "tool" else "", tool)
        if source != "tool":
            text = text_field(content, kind)
        else:
            # Empty but for servers that send a call in one piece.
            given = field(content, "input")
            text = json.dumps(given, ensure_ascii=False) if isinstance(given, dict) and given else ""
        return [Delta(source, text, block.call, tool)] if text else []

    def _read_delta(self, index: int, delta: object) -> list[Step]:
        if (known := _DELTAS.get(text_field(delta, "type"))) is None:
            return []
        source, name = known
        # A block whose beginning was not seen is watched all the same.
        block = self._blocks.setdefault(index, _Block(source, str(index) if source == "tool" else "", ""))
        text = text_field(delta, name)
        return [Delta(block.source, text, block.call, block.tool)] if text else []


@overload
def guard_anthropic(
    guard: StreamGuard, events: AsyncIterable[Item], *, on_match: OnMatch | None = None
) -> AsyncGenerator[Item, None]: ...
@overload
def guard_anthropic(
    guard: StreamGuard, events: Iterable[Item], *, on_match: OnMatch | None = None
) -> Generator[Item, None, None]: ...
def guard_anthropic(
    guard: StreamGuard, events: Iterable[Item] | AsyncIterable[Item], *, on_match: OnMatch | None = None
) -> Generator[Item, None, None] | AsyncGenerator[Item, None]:
    """The events, until one completes a match: then `events` is closed and StreamInterrupted raised.

    `on_match` is called with each match that does not interrupt.
    """
    return watch(guard, AnthropicReader(), events, on_match)
