"""What may be meant by what was typed so far: commands, their arguments and files, the likeliest first (C-30)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from xcsh.tui.built_ins.table import BuiltIn, Takes
from xcsh.tui.input.candidates import Candidate
from xcsh.tui.input.fuzzy import score
from xcsh.tui.input.paths import PathIndex, never, rank_paths

MOST_SHOWN = 50
_BEGINNINGS = "([{<\"'`,;=:"
_OUTSIDE = re.compile(r"(~|\.\.?)?/|~$|\.\.?$")
_DESCRIPTION_FITS = -400


class Sources(NamedTuple):
    """What completion chooses from.

    `commands` in the pipeline's order. `files` are the project's. `folders` are the names in folders beyond it, by the
    folder as it is typed, as far as they have been listed (`folder_to_list`). `words` are the values of arguments by
    what takes them: the command itself with its slash, or a kind of Takes. One of several words is offered from the
    second word on.
    """

    commands: Sequence[Candidate] = ()
    files: PathIndex = PathIndex()
    folders: Mapping[str, Sequence[str]] = {}
    words: Mapping[str, Sequence[Candidate]] = {}


class Completion(NamedTuple):
    """The candidates, the likeliest first, and the part of the text that each would replace: from and to, in letters.

    `kind` is what they are: "command", "argument" or "path"; empty where there are none.
    """

    candidates: tuple[Candidate, ...] = ()
    span: tuple[int, int] = (0, 0)
    kind: str = ""


class Word(NamedTuple):
    """What is being typed: its kind, where it begins and ends, and its beginning up to the cursor."""

    kind: str
    start: int
    end: int
    typed: str
    command: Candidate | None = None


def complete(text: str, cursor: int, sources: Sources, cancelled: Callable[[], bool] = never) -> Completion:
    """What the text may become at the cursor, an offset into it. Empty where nothing is asked for, or `cancelled`."""
    word = word_at(text, cursor, sources.commands)
    if word is None:
        return Completion()
    span = (word.start, word.end)
    if word.kind == "command":
        found = rank(word.typed, sources.commands, lead=1)
    elif word.kind == "path":
        found = _paths(word.typed, sources, cancelled, at="@")
    else:
        found = _arguments(word, sources, cancelled)
    return Completion(tuple(found), span, word.kind) if found else Completion()


def word_at(text: str, cursor: int, commands: Iterable[Candidate]) -> Word | None:
    """What is being typed at the cursor; None where nothing completes it."""
    start = len(text) - len(text.lstrip())
    path = _path_word(text, cursor)
    if path is not None:
        return path
    if not text.startswith("/", start) or cursor <= start:
        return None
    name_end = next((at for at in range(start, len(text)) if text[at].isspace()), len(text))
    if cursor <= name_end:
        return Word("command", start, name_end, text[start + 1 : cursor])
    command = command_in(text, commands)
    if command is None or "\n" in text[name_end:cursor]:
        return None
    first = name_end + len(text[name_end:cursor]) - len(text[name_end:cursor].lstrip())
    return Word("argument", first, len(text.rstrip()) if cursor < len(text) else len(text), text[first:cursor], command)


def command_in(text: str, commands: Iterable[Candidate]) -> Candidate | None:
    """The command whose whole name stands at the beginning of a text."""
    parts = text.split(maxsplit=1)
    name = parts[0] if parts else ""
    return next((each for each in commands if each.text == name), None) if name.startswith("/") else None


def folder_to_list(text: str, cursor: int, sources: Sources) -> str | None:
    """The folder, as it is typed, whose names completion lacks: one beyond the project, or one of its own."""
    word = word_at(text, cursor, sources.commands)
    if word is None or word.kind == "command":
        return None
    if word.kind == "argument" and not _takes_path(word.command):
        return None
    typed = word.typed.lstrip('"')
    if not _OUTSIDE.match(typed):
        return None
    folder = _folder_in(typed)
    return folder if folder not in sources.folders else None


def rank(typed: str, candidates: Iterable[Candidate], *, lead: int = 0) -> list[Candidate]:
    """The candidates that fit, the best first, by their names without the first `lead` letters; else by a description
    that holds what was typed.
    """
    if not typed:
        return list(candidates)[:MOST_SHOWN]
    ranked: list[tuple[int, Candidate]] = []
    for item in candidates:
        fits = score(typed, item.text[lead:])
        if fits is None and len(typed) > 2 and typed.lower() in item.summary.lower():  # noqa: PLR2004 - says something
            fits = _DESCRIPTION_FITS
        if fits is not None:
            ranked.append((fits, item))
    ranked.sort(key=lambda pair: -pair[0])
    return [item for _, item in ranked[:MOST_SHOWN]]


def _path_word(text: str, cursor: int) -> Word | None:
    """The `@path` at the cursor, in quotes or without."""
    line = text.rfind("\n", 0, cursor) + 1
    quoted = text.rfind('@"', line, cursor)
    if quoted >= 0 and '"' not in text[quoted + 2 : cursor] and _begins_word(text, quoted):
        end = text.find('"', cursor)
        newline = text.find("\n", cursor)
        closed = end >= 0 and (newline < 0 or end < newline)
        return Word("path", quoted, end + 1 if closed else cursor, text[quoted + 2 : cursor])
    at = cursor
    while at > line and not text[at - 1].isspace():
        at -= 1
    sign = text.find("@", at, cursor)
    while sign >= 0 and not _begins_word(text, sign):
        sign = text.find("@", sign + 1, cursor)
    if sign < 0:
        return None
    end = cursor
    while end < len(text) and not text[end].isspace():
        end += 1
    return Word("path", sign, end, text[sign + 1 : cursor])


def _begins_word(text: str, at: int) -> bool:
    return at == 0 or text[at - 1].isspace() or text[at - 1] in _BEGINNINGS


def _takes(command: Candidate | None) -> str:
    item = command.item if command is not None else None
    return item.takes if isinstance(item, BuiltIn) else ""


def _takes_path(command: Candidate | None) -> bool:
    return _takes(command) in (Takes.FOLDER, Takes.FILE)


def _arguments(word: Word, sources: Sources, cancelled: Callable[[], bool]) -> list[Candidate]:
    command = word.command
    if command is None:
        return []
    if _takes_path(command):
        found = _paths(word.typed, sources, cancelled, folders=_takes(command) == Takes.FOLDER)
    else:
        words = sources.words.get(command.text) or sources.words.get(_takes(command), ())
        several = " " in word.typed
        found = rank(word.typed, [each for each in words if several or " " not in each.text])
    return [each for each in found if each.text != word.typed]


def _paths(
    typed: str, sources: Sources, cancelled: Callable[[], bool], *, at: str = "", folders: bool = False
) -> list[Candidate]:
    """Files of the project, or names in a folder beyond it."""
    typed = typed.replace("\\", "/") if "\\" in typed else typed
    if _OUTSIDE.match(typed):
        folder = _folder_in(typed)
        names = [Candidate(name) for name in sources.folders.get(folder, ()) if _is_shown(name, typed[len(folder) :])]
        found = [folder + item.text for item in rank(typed[len(folder) :], names)]
    else:
        found = rank_paths(sources.files, typed, cancelled)
    return [_path(path, at) for path in found if path.endswith("/") or not folders]


def _is_shown(name: str, typed: str) -> bool:
    return not name.startswith(".") or typed.startswith(".")


def _folder_in(typed: str) -> str:
    """A typed path up to its last slash; `~` and dots alone are folders too."""
    if typed in ("~", ".", ".."):
        return typed + "/"
    return typed[: typed.rfind("/") + 1]


def _path(path: str, at: str) -> Candidate:
    """A folder can be gone on with, so its quote stays open."""
    is_folder = path.endswith("/")
    if not at or not any(letter.isspace() for letter in path):
        return Candidate(f"{at}{path}", more=is_folder)
    return Candidate(f'{at}"{path}' if is_folder else f'{at}"{path}"', more=is_folder)
