"""Which acknowledged inputs the conversation still owes an answer: what no message contains yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

Message = Mapping[str, Any]


class OwedPrompts:
    """The inputs that were acknowledged, and those of them that arrived in the messages.

    An input has arrived where a message of the user holds its text as whole lines, once more than before. A prompt of
    the text of one that waited, and that no queue holds any more, is that very input on its way.
    """

    def __init__(self) -> None:
        self._owed: list[str] = []
        self._by_first_line: dict[str, set[str]] = {}
        self._waited: Counter[str] = Counter()
        self._arrived: list[str] = []
        self._steering: tuple[str, ...] = ()
        self._follow_ups: tuple[str, ...] = ()

    def acknowledge(self, text: str, *, waits: bool = False) -> None:
        """The user was told that the text is kept, and that it `waits` in a queue. A blank one asks for nothing."""
        if not text.strip():
            return
        if waits:
            self._waited[text] += 1
        elif self._waited[text] > (*self._steering, *self._follow_ups).count(text):
            self._waited[text] -= 1
            return
        self._owed.append(text)
        self._by_first_line.setdefault(_first_line(text), set()).add(text)

    def withdraw(self, text: str) -> None:
        """The user took the oldest of this text back, or something other than a model has answered it."""
        self._forget(text)

    def replace(self, old: Iterable[Message | None], new: Iterable[Message | None]) -> None:
        """The end `old` of the history has become `new`."""
        if not self._owed:
            return
        before, after = Counter(_user_texts(old)), Counter(_user_texts(new))
        came, went = self._held(after - before), self._held(before - after)
        for text, more in (came - went).items():  # a message that comes back with a reminder has not come anew
            for _ in range(min(more, self._owed.count(text))):
                if self._forget(text):
                    self._arrived.append(text)

    def _forget(self, text: str) -> bool:
        """Owes one of this text no more: one that is on its way, else one that waits; whether it was one of those."""
        if text not in self._owed:
            return False
        self._owed.remove(text)
        if text not in self._owed:
            self._by_first_line[_first_line(text)].discard(text)
        waited, self._waited[text] = self._waited[text], min(self._waited[text], self._owed.count(text))
        return waited > self._waited[text]

    def _held(self, user_texts: Counter[str]) -> Counter[str]:
        """How often each text, the longest first, stands there as whole lines, trimmed or not, that no other has."""
        held: Counter[str] = Counter()
        for each, times in user_texts.items():
            lines = dict.fromkeys(line.strip() for line in each.split("\n"))
            wanted = [text for line in lines for text in self._by_first_line.get(line, ())]
            left = [each]
            for text in sorted(wanted, key=lambda text: (-len(text.strip()), text)):
                for framed in dict.fromkeys((f"\n{text}\n", f"\n{text.strip()}\n")):
                    pieces = [piece.split(framed) for piece in left]
                    held[text] += times * sum(len(around) - 1 for around in pieces)
                    left = [f"\n{piece}\n" for around in pieces for piece in around]
        return held

    def queue(self, steering: Sequence[str], follow_ups: Sequence[str]) -> None:
        """These texts wait in the queues."""
        self._steering, self._follow_ups = tuple(steering), tuple(follow_ups)
        self._arrived = []

    def left(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Steering, follow-ups, and what stands in neither and in no message; each input in one of the three."""
        steering, follow_ups = list(self._steering), list(self._follow_ups)
        for text in self._arrived:  # delivered, and the queue without it was not written any more
            for queue in (steering, follow_ups):
                if text in queue:
                    queue.remove(text)
                    break
        owed = list(self._owed)
        for text in (*steering, *follow_ups):
            if text in owed:
                owed.remove(text)
        return tuple(steering), tuple(follow_ups), tuple(owed)


def _user_texts(messages: Iterable[Message | None]) -> Iterator[str]:
    """The texts of the user's parts, a part in one piece, framed by line ends."""
    for message in messages:
        for part in _dicts(message.get("parts") if message else None):
            if part.get("part_kind") == "user-prompt":
                yield f"\n{_text(part.get('content'))}\n"


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    items = cast("list[object]", content) if isinstance(content, list) else []
    texts = [item if isinstance(item, str) else cast("Message", item).get("content") for item in items if _texty(item)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _texty(item: object) -> bool:
    return isinstance(item, str | dict)


def _dicts(value: object) -> Iterator[Message]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    yield from (cast("Message", item) for item in items if isinstance(item, dict))


def _first_line(text: str) -> str:
    """By which an input is looked up, so that a long list of them costs no more than a short one."""
    return text.strip().split("\n", 1)[0].strip()
