"""The earlier messages of a session that goes on, as entries: its last turns, and how many there were before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xcsh.session.store.transcript import ANSWER, CALL, RESULT, THINKING, USER, turns_of
from xcsh.session.store.transcript import Entry as Piece
from xcsh.surfaces.layout import plural
from xcsh.tui.transcript.entries import Answered, Called, Entry, Note, Said, Thought
from xcsh.tui.transcript.markdown import GrowingMarkdown
from xcsh.tui.transcript.wording import call_line

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

MOST_TURNS = 20
MOST_CHARACTERS = 400_000
"""Of what is shown of earlier turns: what is before is counted."""


def entries_of(messages: Sequence[ModelMessage]) -> list[Entry]:
    """The entries of the last turns, the newest at the end. It takes a while for a long session."""
    turns = turns_of(messages)
    first = max(0, len(turns) - MOST_TURNS)
    size = 0
    for at in range(len(turns) - 1, first - 1, -1):
        size += sum(len(piece.text) + len(piece.result or "") for piece in turns[at])
        if size > MOST_CHARACTERS and at < len(turns) - 1:
            first = at + 1
            break
    entries: list[Entry] = [Note(f"… {plural(first, 'earlier turn')}: /export")] if first else []
    for turn in turns[first:]:
        for piece in turn:
            entries += _entries(piece, entries[-1] if entries else None)
    return entries


def _entries(piece: Piece, before: Entry | None) -> list[Entry]:
    if piece.kind == USER:
        return [Said(piece.text)]
    if piece.kind == ANSWER:
        growing = GrowingMarkdown()
        growing.add(piece.text)
        return [Answered(block, is_first=not at) for at, block in enumerate(growing.take(whole=True))]
    if piece.kind == THINKING:
        return [Thought(piece.text, is_over=True)]
    if piece.kind in (CALL, RESULT):
        line = call_line(piece.name, _arguments(piece.text)) if piece.kind == CALL else piece.name
        call = Called(line, piece.name, "")
        call.spaced = not isinstance(before, Called)
        call.result = piece.text if piece.kind == RESULT else piece.result or ""
        return [call]
    return []


def _arguments(text: str) -> dict[str, object]:
    try:
        arguments: object = json.loads(text)
    except ValueError:
        return {"arguments": text}
    return cast("dict[str, object]", arguments) if isinstance(arguments, dict) else {"arguments": text}
