"""The changes of each turn, read back from a session's notes, and which turn is to be undone or redone next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeGuard

from xcsh.agent.changes.records import (
    CREATE_DIRECTORY,
    DONE,
    INTENT,
    REMOVE_DIRECTORY,
    UNDO_BEGAN,
    UNDO_ENDED,
    UNKNOWN,
)

Note = tuple[str, Mapping[str, object]]


class FileChange(NamedTuple):
    """A file's content before a change and after it: SHA-256, None where there is no file, or `unknown`.

    Where `confirmed` is false the session ended before the outcome was recorded: `after` is what was intended then.
    `lost`: why the content from before was not kept.
    """

    id: str
    root: str
    path: str
    before: str | None
    before_mode: int
    after: str | None
    after_mode: int
    confirmed: bool
    lost: str = ""


class FolderChange(NamedTuple):
    """A folder that was made, or removed by an undo. `mode`: permission bits of one that was removed."""

    root: str
    path: str
    made: bool
    mode: int = 0


class TurnChanges(NamedTuple):
    """All changes of a turn, oldest first. An undo is a turn as well: `undoes` names the turn that it takes back.

    `ended` is false for an undo that stopped midway.
    """

    turn: str
    undoes: str
    ended: bool
    files: tuple[FileChange, ...]
    folders: tuple[FolderChange, ...]


class _Turn:
    """A turn while it is read."""

    def __init__(self, undoes: str = "") -> None:
        self.undoes = undoes
        self.ended = not undoes
        self.intents: list[Mapping[str, object]] = []


def changes_of(notes: Iterable[Note]) -> list[TurnChanges]:
    """The turns that changed files, in order; an undo stands where it ended.

    Notes of other kinds, and those that are not whole, are passed over: the end of a session may be torn.
    """
    turns: dict[str, _Turn] = {}
    outcomes: dict[str, Mapping[str, object]] = {}
    for kind, data in notes:
        turn, undoes, change = data.get("turn"), data.get("undoes"), data.get("id")
        if kind == INTENT and isinstance(turn, str) and isinstance(change, str):
            turns.setdefault(turn, _Turn()).intents.append(data)
        elif kind == DONE and isinstance(change, str):
            outcomes[change] = data
        elif kind == UNDO_BEGAN and isinstance(turn, str) and isinstance(undoes, str):
            turns.setdefault(turn, _Turn(undoes))
        elif kind == UNDO_ENDED and isinstance(turn, str) and turn in turns:
            ended = turns.pop(turn)
            ended.ended = True
            turns[turn] = ended
    return [_turn_changes(name, turn, outcomes) for name, turn in turns.items()]


def next_undo(turns: Sequence[TurnChanges]) -> TurnChanges | None:
    """The newest turn that is in force: not undone, or undone and redone."""
    undone = _undone(turns)
    return next((turn for turn in reversed(turns) if not turn.undoes and turn.turn not in undone), None)


def next_redo(turns: Sequence[TurnChanges]) -> TurnChanges | None:
    """The newest undo that can be undone itself. There is none where a turn has changed files since."""
    own = {turn.turn for turn in turns if not turn.undoes}
    undone = _undone(turns)
    for turn in reversed(turns):
        if not turn.undoes:
            return None
        if turn.ended and turn.undoes in own and turn.turn not in undone:
            return turn
    return None


def unfinished_undo(turns: Sequence[TurnChanges], turn: str) -> str:
    """The undo of this turn that stopped midway, to be finished; empty where there is none."""
    return next((undo.turn for undo in turns if undo.undoes == turn and not undo.ended), "")


def _undone(turns: Sequence[TurnChanges]) -> set[str]:
    """The turns, undos among them, that a finished undo took back which is in force itself."""
    undone: set[str] = set()
    for undo in reversed(turns):
        if undo.undoes and undo.ended and undo.turn not in undone:
            undone.add(undo.undoes)
    return undone


def _turn_changes(name: str, turn: _Turn, outcomes: Mapping[str, Mapping[str, object]]) -> TurnChanges:
    files: list[FileChange] = []
    folders: list[FolderChange] = []
    for intent in turn.intents:
        outcome = outcomes.get(str(intent["id"]))
        if outcome is not None and outcome.get("happened") is not True:
            continue
        root, path, operation = intent.get("root"), intent.get("path"), intent.get("operation")
        if not isinstance(root, str) or not isinstance(path, str):
            continue
        if operation == REMOVE_DIRECTORY:
            folders.append(FolderChange(root, path, made=False, mode=_number(intent.get("mode"))))
        elif outcome is not None:
            # Only what is known to be the turn's is removed: a folder may have been made by somebody else.
            folders += (FolderChange(root, folder, made=True) for folder in _texts(outcome.get("folders")))
        if operation not in (CREATE_DIRECTORY, REMOVE_DIRECTORY):
            files.append(_file_change(root, path, intent, outcome))
    return TurnChanges(name, turn.undoes, turn.ended, tuple(files), tuple(folders))


def _file_change(
    root: str, path: str, intent: Mapping[str, object], outcome: Mapping[str, object] | None
) -> FileChange:
    mode, lost = _number(intent.get("mode")), intent.get("lost")
    return FileChange(
        str(intent["id"]),
        root,
        path,
        _hash(intent, "before"),
        mode,
        _hash(intent, "intended") if outcome is None else _hash(outcome, "after"),
        mode if outcome is None else _number(outcome.get("mode")),
        confirmed=outcome is not None,
        lost=lost if isinstance(lost, str) else "what was recorded of it is damaged",
    )


def _hash(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key, UNKNOWN)
    return value if value is None or isinstance(value, str) else UNKNOWN


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if _is_list(value) else []


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)
