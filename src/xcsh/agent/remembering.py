"""What fired in a conversation, written into the metadata of its messages and read from there (T-14).

Metadata is not sent to the model and outlives JSON, so whoever keeps the messages keeps this, and an engine of durable
execution that runs a workflow again comes to the same state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse

KEY = "xcsh_stream_rules"
_INJECTED, _REMINDED, _NOTICED = "injected", "reminded", "noticed"

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


def remembered(messages: Iterable[ModelMessage]) -> dict[str, object]:
    """The state for `History.restore`: when which rule fired. A turn is what has one run id."""
    turns: dict[str | None, int] = {}
    fired: dict[str, int] = {}
    for message in messages:
        turn = turns.setdefault(message.run_id, len(turns))
        for kind in (_INJECTED, _REMINDED):
            fired.update(dict.fromkeys(_names(message, kind), turn))
    return {"turn": len(turns), "fired": fired}


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


def _names(message: ModelRequest | ModelResponse, kind: str) -> list[str]:
    """Of another shape, as a file that was edited may hold it, nothing is read."""
    record: object = (message.metadata or {}).get(KEY)
    names: object = cast("Metadata", record).get(kind) if isinstance(record, dict) else None
    return [name for name in cast("list[object]", names) if isinstance(name, str)] if isinstance(names, list) else []
