"""What fired in a conversation, written into the metadata of its messages and read from there (T-14).

Metadata is not sent to the model and outlives JSON, so whoever keeps the messages keeps this, and an engine of durable
execution that runs a workflow again comes to the same state. The framework makes one request of those that follow each
other and drops their metadata: what was said there is read from the text. What shortens a history uses `carried`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart

KEY = "xcsh_stream_rules"
_INJECTED, _REMINDED, _NOTICED, _CARRIED = "injected", "reminded", "noticed", "carried"
_BLOCK = re.compile(
    r'<(?P<tag>system-interrupt|system-reminder) reason="rule_violation" rule="(?P<rule>[^"\n]*)"[^\n]*>\n'
)

Metadata = dict[str, Any]


def injected(rules: Iterable[str]) -> Metadata:
    """Of the request that a retry begins with."""
    return {KEY: {_INJECTED: list(rules)}}


def reminded(rules: Iterable[str]) -> Metadata:
    """Of a request that carries a reminder."""
    return {KEY: {_REMINDED: list(rules)}}


def noticed(rules: Iterable[str]) -> Metadata:
    """Of a response that matched rules without being ended."""
    return {KEY: {_NOTICED: list(rules)}}


def remembered(messages: Sequence[ModelMessage]) -> dict[str, object]:
    """The state for `History.restore`: when which rule fired. A turn is what has one run id."""
    skipped, fired = 0, dict[str, int]()
    for message in messages:
        record = _record(message).get(_CARRIED)
        if isinstance(record, dict):
            skipped = max(skipped, _number(cast("Metadata", record).get("turns")))
            known: object = cast("Metadata", record).get("fired")
            named = cast("dict[object, object]", known) if isinstance(known, dict) else {}
            fired.update({name: _number(turn) for name, turn in named.items() if isinstance(name, str)})
    turns: dict[str | None, int] = {}
    for message, run in zip(messages, _runs(messages), strict=True):
        turn = skipped + turns.setdefault(run, len(turns))
        fired.update(dict.fromkeys((*_names(message, _INJECTED), *_names(message, _REMINDED), *_told(message)), turn))
    return {"turn": skipped + len(turns), "fired": fired}


def carried(before: Sequence[ModelMessage], after: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The history `after`, made of `before` by something that drops messages, with what it would forget.

    The record goes to a response where there is one, because the metadata of requests is lost when they are joined.
    """
    known, left = remembered(before), remembered(after)
    fired, kept = cast("dict[str, int]", known["fired"]), cast("dict[str, int]", left["fired"])
    if not after or all(name in kept for name in fired):
        return list(after)
    at = next((at for at, message in enumerate(after) if isinstance(message, ModelResponse)), 0)
    turns = max(0, _number(known["turn"]) - len(set(_runs(after))))
    record = {**_record(after[at]), _CARRIED: {"turns": turns, "fired": fired}}
    changed = replace(after[at], metadata={**(after[at].metadata or {}), KEY: record})
    return [*after[:at], changed, *after[at + 1 :]]


def due_reminders(messages: Sequence[ModelMessage]) -> list[str]:
    """The rules that the last response matched, and that no request after it reminds of."""
    given: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            return [name for name in _names(message, _NOTICED) if name not in given]
        given.update(_names(message, _REMINDED), _names(message, _INJECTED))
    return []


def retried_for(messages: Sequence[ModelMessage], run_id: str | None) -> list[str]:
    """The rules for which the last request of the run is a retry that has no whole answer yet; none for any other."""
    last = messages[-1] if messages else None
    cut_off = isinstance(last, ModelResponse) and last.state == "interrupted"
    names: list[str] = []
    for message in reversed(messages[:-1] if cut_off else messages):
        if isinstance(message, ModelResponse):
            break
        if message.run_id == run_id:
            names += _names(message, _INJECTED)
    return names


def _runs(messages: Sequence[ModelMessage]) -> list[str | None]:
    """The run of each message. A request that was joined has none of its own: it belongs to what follows it."""
    runs: list[str | None] = []
    following: str | None = None
    for message in reversed(messages):
        following = message.run_id or following
        runs.append(following)
    return runs[::-1]


def _told(message: ModelMessage) -> Iterator[str]:
    """The rules of the blocks that stand in a part of their own; what stands inside a block opens none."""
    for part in message.parts if isinstance(message, ModelRequest) else ():
        text = part.content if isinstance(part, UserPromptPart) and isinstance(part.content, str) else ""
        block = _BLOCK.match(text)
        while block is not None:
            yield html.unescape(block["rule"])
            closing = f"\n</{block['tag']}>\n"
            end = text.find(closing, block.end())
            block = _BLOCK.match(text, end + len(closing)) if end >= 0 else None


def _record(message: ModelMessage) -> Metadata:
    record: object = (message.metadata or {}).get(KEY)
    return cast("Metadata", record) if isinstance(record, dict) else {}


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _names(message: ModelRequest | ModelResponse, kind: str) -> list[str]:
    """Of another shape, as a file that was edited may hold it, nothing is read."""
    names: object = _record(message).get(kind)
    return [name for name in cast("list[object]", names) if isinstance(name, str)] if isinstance(names, list) else []
