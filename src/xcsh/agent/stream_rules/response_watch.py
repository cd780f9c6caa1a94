"""Follows one response of a model with a guard."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import (
    BaseToolCallPart,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPartDelta,
)

from xcsh.agent.stream_rules.remembering import noticed
from xcsh.errors import XcshError
from xcsh.guard.stream_guard import Match, StreamGuard

Arguments = str | dict[str, Any] | None


class ResponseInterruptedError(XcshError):
    """A response was ended: `matches` of the rules that it began to break, and the response as far as it came.

    `counted`: the usage that the response reports is in the usage of the run already. It can be pickled.
    """

    def __init__(self, matches: tuple[Match, ...], response: ModelResponse, counted: bool = False) -> None:  # noqa: FBT001, FBT002 - pickle passes them by place
        super().__init__(matches, response, counted)
        self.matches = matches
        self.response = response
        self.counted = counted

    def __str__(self) -> str:
        names = ", ".join(dict.fromkeys(match.rule for match in self.matches))
        return (
            f"the response was stopped by the stream rule {names}; run_stream() and the streaming of single nodes do "
            "not make the request again: use run(), run_stream_events() or iter() without node.stream()"
        )


class ResponseWatch:
    """Feeds a response's events to a guard, and keeps what matched."""

    def __init__(self, guard: StreamGuard) -> None:
        self._guard = guard
        self._sources: dict[int, tuple[str, str]] = {}
        self.matches: list[Match] = []

    @property
    def broken(self) -> bool:
        """Whether a match must end the request."""
        return any(match.interrupts for match in self.matches)

    def read(self, event: ModelResponseStreamEvent) -> None:
        """Takes the next event of the response."""
        if isinstance(event, PartStartEvent):
            part = event.part
            if isinstance(part, TextPart):
                self._start(event.index, "text", "", part.content)
            elif isinstance(part, ThinkingPart):
                self._start(event.index, "thinking", "", part.content)
            elif isinstance(part, BaseToolCallPart):
                self._start(event.index, "tool", part.tool_name, _json(cast("Arguments", part.args)))
        elif isinstance(event, PartDeltaEvent):
            delta = event.delta
            if isinstance(delta, TextPartDelta | ThinkingPartDelta):
                self._feed(event.index, delta.content_delta)
            elif isinstance(delta, ToolCallPartDelta):
                self._feed(event.index, _json(delta.args_delta))
        elif isinstance(event, PartEndEvent) and self._sources.get(event.index, ("", ""))[0] == "tool":
            self.matches += self._guard.end("tool", call=str(event.index))

    def finish(self) -> None:
        """The response is at its end."""
        self.matches += self._guard.finish()

    def raise_if_broken(self, response: ModelResponse) -> None:
        """Raises ResponseInterruptedError where a match must end the request."""
        if self.broken:
            raise ResponseInterruptedError(tuple(self.matches), response)

    def noted(self, response: ModelResponse) -> ModelResponse:
        """The response, with a note of the rules that it matched without being ended."""
        if not self.matches:
            return response
        names = dict.fromkeys(match.rule for match in self.matches)
        return replace(response, metadata={**(response.metadata or {}), **noticed(names)})

    def _start(self, index: int, source: str, tool: str, text: str) -> None:
        self._sources[index] = (source, tool)
        self._feed(index, text)

    def _feed(self, index: int, text: str | None) -> None:
        if text and index in self._sources:
            source, tool = self._sources[index]
            # All text of a response is one stream, all thinking another, each call one of its own (T-6).
            call = str(index) if source == "tool" else ""
            self.matches += self._guard.feed(source, text, call=call, tool=tool)


def _json(arguments: Arguments) -> str:
    """The arguments' JSON text; some providers send them decoded."""
    if isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    return arguments or ""
