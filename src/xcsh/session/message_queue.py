"""What the user said while the model was busy: in order, until it is delivered."""

from __future__ import annotations

from typing import Literal, NamedTuple

from xcsh.model.command import SlashCommand

Kind = Literal["steer", "follow_up"]


class Queued(NamedTuple):
    """A text that waits. `typed` is what the user typed, before commands were expanded; `command` was expanded."""

    id: int
    kind: Kind
    text: str
    typed: str
    command: SlashCommand | None = None


class MessageQueue:
    """The texts that wait. Whoever delivers one takes it out; nothing else does."""

    def __init__(self) -> None:
        self._entries: list[Queued] = []
        self._ids = 0

    def add(self, kind: Kind, text: str, typed: str = "", command: SlashCommand | None = None) -> Queued:
        """Puts a text behind the others of its kind."""
        self._ids += 1
        entry = Queued(self._ids, kind, text, typed or text, command)
        self._entries.append(entry)
        return entry

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

    @property
    def entries(self) -> tuple[Queued, ...]:
        """All of them, oldest first."""
        return tuple(self._entries)

    def texts(self, kind: Kind) -> tuple[str, ...]:
        """The texts of a kind, as they will be sent."""
        return tuple(entry.text for entry in self.of(kind))
