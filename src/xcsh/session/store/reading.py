"""Reads a session file to the conversation that it holds, whatever has happened to it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xcsh.model.diagnostic import Diagnostic
from xcsh.session.store.errors import SessionFormatError, UnknownSessionError
from xcsh.session.store.records import encode_value
from xcsh.session.store.replay import JsonMessage, Replay

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


class StoredSession(NamedTuple):
    """A session as its file leaves it. Times are ISO 8601 in UTC.

    `state` holds all that was ever said with `state()`, `cwd`, `model` and `title` included; `usage` the sums over all
    turns. `unanswered` are the acknowledged inputs that stand in no message and in no queue.
    """

    id: str
    path: str
    cwd: str
    model: str
    title: str
    created: str
    updated: str
    messages: list[ModelMessage]
    steering: tuple[str, ...]
    follow_ups: tuple[str, ...]
    unanswered: tuple[str, ...]
    state: dict[str, Any]
    notes: tuple[tuple[str, dict[str, Any]], ...]
    turns: int
    usage: dict[str, int | float]
    problems: tuple[Diagnostic, ...]


class ReadSession(NamedTuple):
    """A session, and the texts of its messages as they stand in the file, up to the first that is damaged."""

    session: StoredSession
    texts: list[str]


def read_session(path: str) -> StoredSession:
    """The session in a file. Takes no lock; a line that is being written counts once it is whole.

    Damaged lines become `problems`. Raises UnknownSessionError where there is no such file, SessionFormatError where
    it cannot be read, is no session, or is one of a later version.
    """
    return read_with_texts(path).session


def read_with_texts(path: str) -> ReadSession:
    """As read_session."""
    replay = Replay(path)
    try:
        if not os.path.isfile(path):
            raise UnknownSessionError(f"there is no session file {path}", "see: xcsh sessions")
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                replay.line(line, number)
    except OSError as error:
        raise SessionFormatError(f"{path} cannot be read: {error.strerror}", "check its permissions") from None
    if not replay.id:
        _take_name(replay)
    texts = [None if message is None else encode_value(message) for message in replay.messages]
    messages = _validated(texts, replay)
    whole = next((at for at, message in enumerate(messages) if message is None), len(messages))
    return ReadSession(_session(replay, [m for m in messages if m is not None]), [t for t in texts[:whole] if t])


def _session(replay: Replay, messages: list[ModelMessage]) -> StoredSession:
    state = replay.state
    steering, follow_ups, unanswered = replay.owed.left()
    cwd, model, title = (str(state.get(key) or "") for key in ("cwd", "model", "title"))
    return StoredSession(
        replay.id, replay.path, cwd, model, title, replay.created, replay.updated, messages, steering, follow_ups,
        unanswered, state, tuple(replay.notes), replay.turns, replay.usage, tuple(replay.problems),
    )  # fmt: skip


def _take_name(replay: Replay) -> None:
    """A file whose first line is damaged is called by its name; one without any record is no session."""
    if not replay.updated:
        raise SessionFormatError(f"{replay.path} is no session: it holds no record", "see: xcsh sessions")
    replay.id = os.path.basename(replay.path).split(".")[0]
    replay.created = replay.updated


def _validated(texts: Sequence[str | None], replay: Replay) -> list[ModelMessage | None]:
    """The messages, all at once where all are in order; None for those that are none."""
    if not texts:
        return []
    from pydantic_ai.messages import ModelMessagesTypeAdapter as Messages  # noqa: PLC0415 - listing needs none of it

    if None not in texts:
        try:
            return [*Messages.validate_json(f"[{','.join(text for text in texts if text)}]")]
        except ValueError:
            pass  # one by one, then
    found = [None if text is None else _one(text) for text in texts]
    if lost := [str(at + 1) for at, message in enumerate(found) if message is None]:
        shown = ", ".join(lost[:_SHOWN]) + (" …" if len(lost) > _SHOWN else "")
        replay.report("session-message", f"of {len(found)} messages, these are lost or cannot be read: {shown}")
    return found


_SHOWN = 5


def _one(text: str) -> ModelMessage | None:
    from pydantic_ai.messages import ModelMessagesTypeAdapter as Messages  # noqa: PLC0415 - as above

    for attempt in (text, _without_surrogates(text)):
        try:
            return Messages.validate_json(f"[{attempt}]")[0]
        except ValueError:
            continue
    return None


def _without_surrogates(text: str) -> str:
    """The text with replacement characters for what no UTF-8 can hold; no model could be sent that."""
    import json  # noqa: PLC0415 - only for a message that is damaged

    value: JsonMessage = json.loads(text)
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
