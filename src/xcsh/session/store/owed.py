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
        self._waited: Counter[str] = Counter()
        self._more: dict[str, int] = {}
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
        self._more.setdefault(text, 0)

    def withdraw(self, text: str) -> None:
        """The user took the oldest of this text back, or something other than a model has answered it."""
        self._forget(text)

    def replace(self, old: Iterable[Message | None], new: Iterable[Message | None]) -> None:
        """The end `old` of the history has become `new`."""
        if not self._owed:
            return
        before, after = Counter(_user_texts(old)), Counter(_user_texts(new))
        wanted = sorted(set(self._owed), key=lambda text: (-len(text.strip()), text))
        came, went = _held(after - before, wanted), _held(before - after, wanted)
        for text in dict.fromkeys(self._owed):
            # What goes away lowers the count that the text has to exceed.
            more = max(0, self._more[text] + came[text] - went[text])
            while more and text in self._owed:
                if self._forget(text):
                    self._arrived.append(text)
                more -= 1
            self._more[text] = more if text in self._owed else 0

    def _forget(self, text: str) -> bool:
        """Owes one of this text no more: one that is on its way, else one that waits; whether it was one of those."""
        if text not in self._owed:
            return False
        self._owed.remove(text)
        waited, self._waited[text] = self._waited[text], min(self._waited[text], self._owed.count(text))
        return waited > self._waited[text]

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


def _held(user_texts: Counter[str], wanted: Sequence[str]) -> Counter[str]:
    """How often each text, the longest first, stands there as whole lines, trimmed or not, that no other has taken."""
    held: Counter[str] = Counter()
    for each, times in user_texts.items():
        left = [each]
        for text in wanted:
            for lines in dict.fromkeys((f"\n{text}\n", f"\n{text.strip()}\n")):
                pieces = [piece.split(lines) for piece in left]
                held[text] += times * sum(len(around) - 1 for around in pieces)
                left = [f"\n{piece}\n" for around in pieces for piece in around]
    return held
