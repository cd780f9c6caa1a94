"""What the user said while the model was busy: in order, until it is delivered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["steer", "follow_up"]


class Queued(NamedTuple):
    """A text that waits. `typed` is what the user typed, before commands were expanded."""

    id: int
    kind: Kind
    text: str
    typed: str


class MessageQueue:
    """The texts that wait. Whoever delivers one takes it out; nothing else does."""

    def __init__(self) -> None:
        self._entries: list[Queued] = []
        self._ids = 0

    def add(self, kind: Kind, text: str, typed: str = "") -> Queued:
        """Puts a text behind the others of its kind."""
        self._ids += 1
        entry = Queued(self._ids, kind, text, typed or text)
        self._entries.append(entry)
        return entry

    def restore(self, steering: Iterable[str], follow_ups: Iterable[str]) -> None:
        """Takes over what an earlier process left."""
        for text in steering:
            self.add("steer", text)
        for text in follow_ups:
            self.add("follow_up", text)

    def take(self, entry_id: int) -> Queued | None:
        """Takes an entry out; None where it is not there any more."""
        for at, entry in enumerate(self._entries):
            if entry.id == entry_id:
                return self._entries.pop(at)
        return None

    def next(self) -> Queued | None:
        """Takes out what is sent first when nothing runs: steering, then follow-ups, each in order."""
        waiting = self.of("steer") or self.of("follow_up")
        return self.take(waiting[0].id) if waiting else None

    def of(self, kind: Kind) -> list[Queued]:
        """The entries of a kind, oldest first."""
        return [entry for entry in self._entries if entry.kind == kind]

    def clear(self) -> list[Queued]:
        """Takes everything out, for a user who wants to edit it."""
        entries, self._entries = self._entries, []
        return entries

    def texts(self, kind: Kind) -> tuple[str, ...]:
        """The texts of a kind, as they will be sent."""
        return tuple(entry.text for entry in self.of(kind))
