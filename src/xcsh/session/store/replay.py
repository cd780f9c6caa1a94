"""Follows the records of a file, oldest first, to the state that they leave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from xcsh.model.diagnostic import Diagnostic, Position
from xcsh.parsing.finding import Finding
from xcsh.session.store.errors import SessionFormatError
from xcsh.session.store.owed import OwedPrompts
from xcsh.session.store.records import (
    HEADER,
    MESSAGES,
    NOTE,
    OPEN,
    PROMPT,
    QUEUE,
    STATE,
    TURN,
    VERSION,
    WITHDRAW,
    Record,
    decode,
)

JsonMessage = dict[str, Any]


class Replay:
    """What the records so far say. `messages` holds None where a damaged line has taken a message with it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.id = self.created = self.updated = ""
        self.state: dict[str, Any] = {}
        self.messages: list[JsonMessage | None] = []
        self.owed = OwedPrompts()
        self.notes: list[tuple[str, dict[str, Any]]] = []
        self.turns = 0
        self.usage: dict[str, int | float] = {}
        self.problems: list[Diagnostic] = []
        self._unknown: set[str] = set()
        self._follow = {
            HEADER: self._header,
            OPEN: _nothing,
            PROMPT: self._prompt,
            WITHDRAW: self._withdraw,
            MESSAGES: self._messages,
            QUEUE: self._queue,
            STATE: self._state,
            NOTE: self._note,
            TURN: self._turn,
        }

    def line(self, data: bytes, number: int) -> None:
        """Takes in one line. Raises SessionFormatError for a header of a later version."""
        record, damaged = decode(data)
        if damaged:
            rest = "what could be read of it counts" if record else "it is left out"
            self.report("session-line", f"the line is torn or no record; {rest}", number)
        if record is None:
            return
        follow = self._follow.get(record["t"])
        if follow is None:
            if record["t"] not in self._unknown:
                self._unknown.add(record["t"])
                self.report("session-record", f"records of the kind {record['t']!r} are not known here", number)
            return
        try:
            follow(record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, SessionFormatError):
                raise
            self.report("session-line", f"the record {record['t']!r} has not the fields that it needs", number)
            return
        if record["t"] != OPEN:
            self.updated = str(record.get("time") or self.updated)

    def report(self, code: str, message: str, number: int = 0) -> None:
        """Notes a problem; `number` is the line."""
        self.problems.append(Finding(self.path).make(code, Position(number, 1) if number else None, message))

    def _header(self, record: Record) -> None:
        version = record["v"]
        if not isinstance(version, int) or version > VERSION:
            raise SessionFormatError(
                f"{self.path}: this session was written by a later xcsh (format {version}; this one reads {VERSION})",
                "update xcsh, or start a new session",
            )
        self.id, self.created = _text(record["id"]), _text(record["created"])
        self.state |= {key: _text(record.get(key, "")) for key in ("cwd", "model", "title")}

    def _prompt(self, record: Record) -> None:
        self.owed.acknowledge(_text(record["text"]), waits=record.get("kind", "prompt") != "prompt")

    def _withdraw(self, record: Record) -> None:
        self.owed.withdraw(_text(record["text"]))

    def _messages(self, record: Record) -> None:
        at, new = record["at"], _objects(record["messages"])
        if not isinstance(at, int) or at < 0:
            raise ValueError(at)
        self.owed.replace(self.messages[at:], new)
        lost = at - len(self.messages)
        self.messages[at:] = [*([None] * max(0, min(lost, _MOST_LOST))), *new]

    def _queue(self, record: Record) -> None:
        self.owed.queue(_texts(record["steering"]), _texts(record["follow_ups"]))

    def _state(self, record: Record) -> None:
        self.state |= _object(record["set"])

    def _note(self, record: Record) -> None:
        self.notes.append((_text(record["kind"]), _object(record["data"])))

    def _turn(self, record: Record) -> None:
        used = _object(record["usage"])
        self.turns += 1
        add_usage(self.usage, used)


_MOST_LOST = 100_000
"""Above this an index is nonsense, and no memory is spent on it."""


def add_usage(total: dict[str, int | float], usage: dict[str, Any]) -> None:
    """Adds the numbers of one turn; those of an object inside count as `object.name`."""
    for name, value in _numbers(usage):
        total[name] = total.get(name, 0) + value


def _numbers(usage: dict[str, Any]) -> Iterator[tuple[str, int | float]]:
    for name, value in usage.items():
        if isinstance(value, dict):
            inner = cast("dict[str, Any]", value)
            yield from ((f"{name}.{key}", number) for key, number in inner.items() if _is_number(number))
        elif _is_number(value):
            yield name, value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _nothing(record: Record) -> None:
    del record


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError(value)
    return [_text(item) for item in cast("list[object]", value)]


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return cast("dict[str, Any]", value)


def _objects(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise TypeError(value)
    return [_object(item) for item in cast("list[object]", value)]
