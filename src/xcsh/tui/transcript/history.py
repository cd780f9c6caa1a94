"""The earlier messages of a session that goes on, as entries: its last turns, and how many there were before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xcsh.agent.events import FileChanged, RulesAttached
from xcsh.session.said import Told
from xcsh.session.store.transcript import ANSWER, CALL, RESULT, THINKING, USER, turns_of
from xcsh.session.store.transcript import Entry as Piece
from xcsh.surfaces.layout import plural
from xcsh.tui.transcript.entries import Answered, Called, Entry, Note, RuleAt, Said, Thought
from xcsh.tui.transcript.markdown import GrowingMarkdown
from xcsh.tui.transcript.wording import call_line, note_of

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

MOST_TURNS = 20
MOST_CHARACTERS = 400_000
"""Of what is shown of earlier turns: what is before is counted."""


def entries_of(messages: Sequence[ModelMessage], changes: Sequence[FileChanged] = ()) -> list[Entry]:
    """The entries of the last turns, the newest at the end. It takes a while for a long session.

    `changes` are what calls did to files, oldest first.
    """
    turns = turns_of(messages)
    first = max(0, len(turns) - MOST_TURNS)
    size = 0
    for at in range(len(turns) - 1, first - 1, -1):
        size += sum(len(piece.text) + len(piece.result or "") for piece in turns[at])
        if size > MOST_CHARACTERS and at < len(turns) - 1:
            first = at + 1
            break
    by_call: dict[str, list[FileChanged]] = {}
    for change in changes:
        by_call.setdefault(change.call_id, []).append(change)
    entries: list[Entry] = [Note(f"… {plural(first, 'earlier turn')}: /export")] if first else []
    for number, turn in enumerate(turns):
        for piece in turn:
            done = _taken(piece, by_call)  # also of turns that are not shown: an id may come again
            if number >= first:
                _add(entries, piece, done)
    return entries


def _taken(piece: Piece, by_call: dict[str, list[FileChanged]]) -> list[FileChanged]:
    """What a call did to files: what was told under its id up to a file that comes a second time."""
    taken: list[FileChanged] = []
    waiting = by_call.get(piece.call, []) if piece.kind == CALL and not piece.failed else []
    while waiting and all(waiting[0].path != change.path for change in taken):
        taken.append(waiting.pop(0))
    return taken


def _add(entries: list[Entry], piece: Piece, changes: Sequence[FileChanged]) -> None:
    if piece.kind == USER:
        entries.append(Said(piece.text))
    elif piece.told is not None:
        entries.append(_told(piece.told, entries))
    elif piece.kind == ANSWER:
        growing = GrowingMarkdown()
        growing.add(piece.text)
        entries += [Answered(block, is_first=not at) for at, block in enumerate(growing.take(whole=True))]
    elif piece.kind == THINKING:
        entries.append(Thought(piece.text, is_over=True))
    elif piece.kind in (CALL, RESULT):
        line = call_line(piece.name, _arguments(piece.text)) if piece.kind == CALL else piece.name
        call = Called(line, piece.name, piece.call)
        call.spaced = not (entries and isinstance(entries[-1], Called))
        call.result = piece.text if piece.kind == RESULT else piece.result or ""
        call.failed = piece.failed
        call.changes = list(changes)
        entries.append(call)


def _told(told: Told, before: Sequence[Entry]) -> Note:
    """The notice that it was. A call whose change waited for the rules is marked as such."""
    if told.what != "attached":
        rules = [RuleAt(*each) for each in zip(told.rules, told.paths, strict=True)]
        return Note(told.line, "rule" if rules else "muted", sign=told.sign, rules=rules)
    held = False
    for entry in reversed(before):
        if not isinstance(entry, Called | Note):
            break
        if isinstance(entry, Called) and entry.failed and entry.is_change_of(told.file):
            entry.held_back = held = True
    note = note_of(RulesAttached(told.rules, told.paths, told.file, held))
    return note if note is not None else Note(told.line)


def _arguments(text: str) -> dict[str, object]:
    try:
        arguments: object = json.loads(text)
    except ValueError:
        return {"arguments": text}
    return cast("dict[str, object]", arguments) if isinstance(arguments, dict) else {"arguments": text}
