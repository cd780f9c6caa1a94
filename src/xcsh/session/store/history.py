"""What of a history stands in the file already: finds where the one at hand differs, and serialises only that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, islice
from operator import attrgetter, is_not
from typing import TYPE_CHECKING, Any, cast

from xcsh.session.store.records import encode_value

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

_RECENT = 4
"""How many of the last messages are always looked at: the framework completes those in place."""
_parts_of = attrgetter("parts")


class WrittenHistory:
    """The messages that the file holds, with a digest of each one's text.

    A message counts as unchanged where it is the same object and none of the last few. `replaced_parts` finds those
    that were given other parts in place, however old.
    """

    def __init__(self, messages: Iterable[ModelMessage] = (), texts: Iterable[str] = ()) -> None:
        self._messages: list[ModelMessage] = list(messages)
        self._parts: list[object] = [_parts_of(message) for message in self._messages]
        self._digests: list[bytes] = [_digest(text) for text in texts]

    def difference(self, history: Sequence[ModelMessage]) -> tuple[int, list[str]] | None:
        """From which index on the history is another than what is written, and the texts from there on.

        None where nothing differs. The history then counts as written.
        """
        return self._difference_from(self._first_other_object(history), history)

    def _difference_from(self, at: int, history: Sequence[ModelMessage]) -> tuple[int, list[str]] | None:
        texts: list[str] = []
        known = len(self._digests)
        while at < len(history):
            text = message_text(history[at])
            if at >= known or _digest(text) != self._digests[at]:
                texts = [text, *(message_text(message) for message in history[at + 1 :])]
                break
            self._messages[at], self._parts[at] = history[at], _parts_of(history[at])
            at += 1
        if at == len(history) == known:
            return None
        self._messages[at:] = history[at:]
        self._parts[at:] = [_parts_of(message) for message in history[at:]]
        self._digests[at:] = [_digest(text) for text in texts]
        return at, texts

    def replaced_parts(self) -> tuple[int, list[str]] | None:
        """As `difference`, for the messages that are written, from the first one on that has other parts by now."""
        other = compress(range(len(self._messages)), map(is_not, self._parts, map(_parts_of, self._messages)))
        return self._difference_from(next(other, len(self._messages)), self._messages[:])

    def _first_other_object(self, history: Sequence[ModelMessage]) -> int:
        """Where the history begins to be in doubt. All in C: thousands of messages cost some ten microseconds."""
        sure = max(0, min(len(history), len(self._messages)) - _RECENT)
        if not any(map(is_not, islice(self._messages, sure), history)):
            return sure
        return next(compress(range(sure), map(is_not, self._messages, history)), sure)


def message_text(message: ModelMessage) -> str:
    """A message as the JSON text of a line. What JSON cannot say of a tool's result is kept as its `repr`."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter  # noqa: PLC0415 - listing sessions needs none of it

    values = cast("list[Any]", ModelMessagesTypeAdapter.dump_python([message], mode="json", fallback=repr))
    return encode_value(values[0])


def _digest(text: str) -> bytes:
    from hashlib import blake2b  # noqa: PLC0415 - loads OpenSSL, which a list of sessions needs not

    return blake2b(text.encode(), digest_size=16).digest()
