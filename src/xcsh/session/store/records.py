"""The lines of a session file: how one is written, and what can be read of one, whole or torn."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

VERSION = 1
"""Of the format. Record types and fields may be added without a new one; readers leave alone what they do not know."""

HEADER, OPEN, PROMPT, WITHDRAW, MESSAGES, QUEUE, STATE, NOTE, TURN = (
    "session", "open", "prompt", "withdraw", "messages", "queue", "state", "note", "turn",
)  # fmt: skip
TYPES = frozenset({HEADER, OPEN, PROMPT, WITHDRAW, MESSAGES, QUEUE, STATE, NOTE, TURN})
ENDING = ".jsonl"
CONTENTS = ".files"
"""The ending of a folder beside a session file for what is too large for a line; it goes with the session."""

Record = dict[str, Any]
_START = '{"t":"'
_MOST_STARTS = 16
"""How many places of a damaged line are tried as the beginning of a record."""


class Line(NamedTuple):
    """What was read of one line: the record, if there is one, and whether something of the line was damaged."""

    record: Record | None
    damaged: bool = False


def now() -> str:
    """The time in UTC, as in all records: 2026-11-30T14:52:29.123456Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def new_id() -> str:
    """An id that sorts by time (UTC) and can be typed: 20261130-145229-ab12cd."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.urandom(3).hex()}"


def encode(kind: str, fields: Mapping[str, object]) -> bytes:
    """One line with its end: ASCII, no spaces between tokens, `t` first and `time` second.

    Raises TypeError or ValueError for what JSON cannot say.
    """
    return _dumps({"t": kind, "time": now(), **fields}).encode("ascii") + b"\n"


def encode_messages(at: int, texts: list[str]) -> bytes:
    """The line that says `history[at:]` is these messages, each given as its JSON text."""
    head = _dumps({"t": MESSAGES, "time": now(), "at": at})
    return f'{head[:-1]},"messages":[{",".join(texts)}]}}\n'.encode("ascii")


def encode_value(value: object) -> str:
    """A value as the JSON text that stands in a line."""
    return _dumps(value)


def decode(data: bytes) -> Line:
    """Reads a line. Of a damaged one, the record at its end: what follows a torn line that nobody ended."""
    text = data.decode("utf-8", "replace").strip("\0 \t\r\n")
    if not text:
        return Line(None, damaged=b"\0" in data)
    record = _loads(text)
    if record is not None:
        return Line(record)
    at = len(text)
    for _ in range(_MOST_STARTS):
        at = text.rfind(_START, 1, at)
        if at < 0:
            break
        record = _loads(text[at:])
        if record is not None:
            return Line(record, damaged=True)
    return Line(None, damaged=True)


def _dumps(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _loads(text: str) -> Record | None:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    record = cast("Record", value) if isinstance(value, dict) else {}
    return record if isinstance(record.get("t"), str) else None
