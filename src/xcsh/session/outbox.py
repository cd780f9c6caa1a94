"""What was said and the model has not got yet: written down, told, and brought into the conversation in order."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart

from xcsh.model.command import SlashCommand
from xcsh.session.events import NoteKept, Notice, QueueChanged, Sink, SteeringDelivered
from xcsh.session.message_queue import Kind, MessageQueue, Queued
from xcsh.session.recording import Recording
from xcsh.session.run_link import RunLink

_HELD, _REMINDERS = "held", "reminders"


class Held(NamedTuple):
    """What was said while the history was being made shorter. `expand`: it has not been through the pipeline."""

    kind: Kind
    text: str
    typed: str
    expand: bool
    command: SlashCommand | None = None


class Waiting(NamedTuple):
    """A text that waits, for whoever shows or edits the queue. `on_its_way`: it cannot be taken back any more."""

    kind: Kind
    text: str
    typed: str
    on_its_way: bool
    entry: Queued | Held

    @property
    def command(self) -> SlashCommand | None:
        """What was expanded to it."""
        return self.entry.command


class Outbox:
    """The texts on their way to the model: those held over a compaction, the queue, and what is to be told with it.

    Each is acknowledged by being written down, and leaves when it is in the history, or taken back.
    """

    def __init__(self, link: RunLink, recording: Recording, emit: Sink) -> None:
        self.queue = MessageQueue()
        self._link = link
        self._recording = recording
        self._emit = emit
        self._held: deque[Held] = deque()
        self._reminders: list[str] = []
        self._on_their_way: dict[str, Queued | str] = {}

    def restore(self, steering: Iterable[str], follow_ups: Iterable[str], state: Mapping[str, object]) -> None:
        """Takes over what an earlier process left."""
        waiting: dict[Kind, list[str]] = {"steer": list(steering), "follow_up": list(follow_ups)}
        for kind, text in _pairs(state.get(_HELD)):
            if text in waiting[kind]:
                waiting[kind].remove(text)
                self._held.append(Held(kind, text, text, expand=True))
        for kind, texts in waiting.items():
            for text in texts:
                self.queue.add(kind, text)
        self._reminders = _texts(state.get(_REMINDERS))

    def hold(self, entry: Held) -> None:
        """Keeps a text until the history is shorter."""
        self._recording.prompt(entry.text, kind=entry.kind)
        self._held.append(entry)
        self._write_held()
        self._tell()

    @property
    def first_held(self) -> Held | None:
        """What was held first and is still."""
        return self._held[0] if self._held else None

    def release(self, *, answered: bool) -> None:
        """The first held text goes on as another one, or into the queue, which has acknowledged it by now.

        `answered`: nothing more is owed to it.
        """
        entry = self._held.popleft()
        self._tell()
        self._write_held()
        if answered:
            self._recording.withdraw(entry.text)

    def enqueue(self, entry: Held, *, acknowledged: bool = False) -> None:
        """Puts a text into the queue, and a steering one on its way if a turn takes it."""
        queued = self.queue.add(entry.kind, entry.text, entry.typed, entry.command)
        if not acknowledged:
            self._tell()
            self._recording.prompt(entry.text, kind=entry.kind)
        if entry.kind == "steer":
            self._deliver(queued)

    def next(self) -> Queued | None:
        """Takes out what is sent first when nothing runs."""
        entry = self.queue.next()
        if entry is not None:
            self._tell()
        return entry

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """All that waits, in the order in which it is sent."""
        on_their_way = self._ids_on_their_way
        kinds: tuple[Kind, ...] = ("steer", "follow_up")
        return tuple(
            Waiting(kind, entry.text, entry.typed, isinstance(entry, Queued) and entry.id in on_their_way, entry)
            for kind in kinds
            for entry in (*self.queue.of(kind), *(each for each in self._held if each.kind == kind))
        )

    def take(self, waiting: Waiting) -> Queued | None:
        """Takes one out of the queue that is sent now; None where it is not there any more, or on its way."""
        entry = waiting.entry
        if isinstance(entry, Held) or entry.id in self._ids_on_their_way or self.queue.take(entry.id) is None:
            return None
        self._tell()
        return entry

    def hasten(self, waiting: Waiting) -> bool:
        """Makes one a steering text, on its way if a turn takes it; it is owed an answer as before."""
        entry = waiting.entry
        if isinstance(entry, Held) or entry.id in self._ids_on_their_way or self.queue.take(entry.id) is None:
            return False
        queued = self.queue.add("steer", entry.text, entry.typed, entry.command)
        self._tell()
        self._deliver(queued)
        return True

    @property
    def _ids_on_their_way(self) -> set[int]:
        return {entry.id for entry in self._on_their_way.values() if isinstance(entry, Queued)}

    def take_back(self, only: Waiting | None = None) -> list[str]:
        """Takes out everything that is not on its way, oldest first, as it was typed, or only one of it.

        It is for whoever edits or drops it.
        """
        on_their_way = self._ids_on_their_way
        queued = [entry for entry in self.queue.entries if entry.id not in on_their_way]
        taken: list[Queued | Held] = [*queued, *self._held]
        if only is not None:
            taken = [entry for entry in taken if entry is only.entry]
        for entry in taken:
            if isinstance(entry, Queued):
                self.queue.take(entry.id)
        self._held = deque(entry for entry in self._held if all(entry is not each for each in taken))
        if taken:
            self._tell()
            self._write_held()
        for entry in taken:
            self._recording.withdraw(entry.text)
        return [entry.typed for entry in taken]

    def remind(self, text: str) -> None:
        """Tells the model something with the next prompt, once."""
        self._reminders.append(text)
        self._recording.state(**{_REMINDERS: self._reminders})

    def note(self, text: str) -> None:
        """The same, of something that the user did: it is told."""
        self.remind(text)
        self._emit(NoteKept(text))

    def deliver_waiting(self) -> None:
        """A turn begins: what waits for one goes on its way."""
        for text in self._reminders:
            self._note(self._link.deliver(text), text)
        for entry in self.queue.of("steer"):
            self._deliver(entry)

    def delivered(self, enqueue_id: str) -> None:
        """The model is about to see what the link has this id for."""
        entry = self._on_their_way.pop(enqueue_id, None)
        if isinstance(entry, str):
            self._reminders.remove(entry)
            self._recording.state(**{_REMINDERS: self._reminders})
        elif entry is not None and self.queue.take(entry.id) is not None:
            self._emit(SteeringDelivered(entry.text))
            self._tell()
            if (command := entry.command) is not None and (command.model or command.allowed_tools):
                what = f"/{command.name} came into a turn that runs"
                self._emit(Notice(f"{what}: its model and allowed-tools count only in a turn of its own"))

    def settle(self, before: Sequence[ModelMessage], after: Sequence[ModelMessage]) -> None:
        """The turn has ended. What went into the history in that moment is delivered, event or not."""
        new = Counter(_said(after)) - Counter(_said(before))
        for enqueue_id, entry in list(self._on_their_way.items()):
            text = entry if isinstance(entry, str) else entry.text
            if new[text] > 0:
                new[text] -= 1
                self.delivered(enqueue_id)
        self._on_their_way.clear()

    def _deliver(self, entry: Queued) -> None:
        self._note(self._link.deliver(entry.text), entry)

    def _note(self, enqueue_id: str | None, entry: Queued | str) -> None:
        if enqueue_id is not None:
            self._on_their_way[enqueue_id] = entry

    def _write_held(self) -> None:
        self._recording.state(**{_HELD: [[entry.kind, entry.text] for entry in self._held if entry.expand]})

    def _tell(self) -> None:
        steering, follow_ups = self._texts_of("steer"), self._texts_of("follow_up")
        self._recording.queue(steering, follow_ups)
        self._emit(QueueChanged(steering, follow_ups))

    def _texts_of(self, kind: Kind) -> tuple[str, ...]:
        return self.queue.texts(kind) + tuple(entry.text for entry in self._held if entry.kind == kind)


def _said(messages: Iterable[ModelMessage]) -> list[str]:
    return [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart) and isinstance(part.content, str)
    ]


def _pairs(value: object) -> list[tuple[Kind, str]]:
    """Of another shape, as a file that was edited may hold it, nothing is read."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    pairs = [cast("list[object]", item) for item in items if isinstance(item, list)]
    return [
        (pair[0], pair[1])
        for pair in pairs
        if len(pair) == 2 and pair[0] in ("steer", "follow_up") and isinstance(pair[1], str)  # noqa: PLR2004 - a pair
    ]


def _texts(value: object) -> list[str]:
    return [item for item in cast("list[object]", value) if isinstance(item, str)] if isinstance(value, list) else []
