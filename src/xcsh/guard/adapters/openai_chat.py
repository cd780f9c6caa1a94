"""Guards a stream of OpenAI chat completion chunks: objects of the `openai` package, or the same as decoded JSON."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from typing import NamedTuple, TypeVar, overload

from xcsh.guard.adapters.fields import field, list_field, number_field, text_field
from xcsh.guard.adapters.steps import Delta, End, Step
from xcsh.guard.adapters.watching import OnMatch, watch
from xcsh.guard.stream_guard import StreamGuard

Item = TypeVar("Item")


class _Call(NamedTuple):
    key: str
    id: str
    tool: str


class OpenAIChatReader:
    """Text, reasoning and tool calls of each choice; the chunk with a reason to finish ends the choice's streams."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[int, _Call]] = {}
        self._begun = 0

    def read(self, item: object) -> list[Step]:
        """What a chunk says, or an event of the package's helper that holds one."""
        chunk = field(item, "chunk") if text_field(item, "type") == "chunk" else item
        return [step for choice in list_field(chunk, "choices") for step in self._read_choice(choice)]

    def _read_choice(self, choice: object) -> list[Step]:
        steps: list[Step] = []
        number = number_field(choice, "index")
        delta = field(choice, "delta")
        # Servers call it one or the other, and some send both with the same text.
        if thinking := text_field(delta, "reasoning_content") or text_field(delta, "reasoning"):
            steps.append(Delta("thinking", thinking, str(number)))
        if text := text_field(delta, "content"):
            steps.append(Delta("text", text, str(number)))
        for place, call in enumerate(list_field(delta, "tool_calls")):
            steps += self._read_call(number, number_field(call, "index", place), call)
        if field(choice, "finish_reason"):
            calls = self._calls.pop(number, {}).values()
            steps += [
                End("thinking", str(number)),
                End("text", str(number)),
                *(End("tool", call.key) for call in calls),
            ]
        return steps

    def _read_call(self, choice: int, index: int, item: object) -> list[Step]:
        steps: list[Step] = []
        calls = self._calls.setdefault(choice, {})
        call = calls.get(index)
        function = field(item, "function")
        name, identity = text_field(function, "name"), text_field(item, "id")
        # Some servers give all calls the same index and tell them apart by their ids alone.
        if call is None or (name and identity and call.id and identity != call.id):
            if call is not None:
                steps.append(End("tool", call.key))
            self._begun += 1
            call = calls[index] = _Call(f"{choice}/{self._begun}", identity, name)
        elif name and not call.tool:
            call = calls[index] = call._replace(tool=name)
        if arguments := text_field(function, "arguments"):
            steps.append(Delta("tool", arguments, call.key, call.tool))
        return steps


@overload
def guard_openai_chat(
    guard: StreamGuard, chunks: AsyncIterable[Item], *, on_match: OnMatch | None = None
) -> AsyncGenerator[Item, None]: ...
@overload
def guard_openai_chat(
    guard: StreamGuard, chunks: Iterable[Item], *, on_match: OnMatch | None = None
) -> Generator[Item, None, None]: ...
def guard_openai_chat(
    guard: StreamGuard, chunks: Iterable[Item] | AsyncIterable[Item], *, on_match: OnMatch | None = None
) -> Generator[Item, None, None] | AsyncGenerator[Item, None]:
    """The chunks, until one completes a match: then `chunks` is closed and StreamInterrupted raised.

    `on_match` is called with each match that does not interrupt.
    """
    return watch(guard, OpenAIChatReader(), chunks, on_match)
