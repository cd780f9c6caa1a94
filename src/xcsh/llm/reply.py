"""NOUNS: what a model server answers, whatever the wire."""

from __future__ import annotations

from typing import NamedTuple

CHUNK = 4
"""How many characters a delta carries where nobody says: about a token."""


class Text(NamedTuple):
    """Visible text, one delta after the other."""

    deltas: tuple[str, ...]


class Thinking(NamedTuple):
    """Reasoning, one delta after the other."""

    deltas: tuple[str, ...]


class ToolCall(NamedTuple):
    """A call of a tool. The deltas together are the argument's JSON text, which may be cut or wrong on purpose."""

    id: str
    name: str
    deltas: tuple[str, ...]


class Delay(NamedTuple):
    """A pause of so many seconds."""

    seconds: float


class HangUp(NamedTuple):
    """The connection is cut here, in the middle of the response."""


Piece = Text | Thinking | ToolCall | Delay | HangUp


class Reply(NamedTuple):
    """One response of a model. `pace` is the pause in seconds before each delta."""

    pieces: tuple[Piece, ...]
    pace: float = 0.0


class Failure(NamedTuple):
    """An HTTP error in place of a response. `hint` is sent along as a field of the error."""

    status: int
    message: str
    type: str = "server_error"
    hint: str = ""


class WireRequest(NamedTuple):
    """What a client sent: the path, and the decoded JSON object."""

    path: str
    body: dict[str, object]


def cut(text: str, size: int = CHUNK) -> tuple[str, ...]:
    """The text in pieces of `size` characters; one empty piece for an empty text."""
    return tuple(text[at : at + size] for at in range(0, len(text), size)) or ("",)


def text(content: str, size: int = CHUNK) -> Text:
    """Text that streams in deltas of `size` characters."""
    return Text(cut(content, size))
