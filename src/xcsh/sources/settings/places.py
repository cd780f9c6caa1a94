"""Where the keys of a TOML text stand, and the texts of their lists: tomllib keeps no places."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator
from typing import NamedTuple

from xcsh.model.diagnostic import Position
from xcsh.sources.settings.values import cut

_TOKEN = re.compile(
    r'''#[^\n]*|"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[\w+:-]+|[^\S\n]+|.''', re.DOTALL
)
_LONGEST_NAME = 1_000


class Place(NamedTuple):
    """Where a key stands, and each text directly in its list, if it is one."""

    key: Position
    elements: list[Position]


class _Key(NamedTuple):
    """A key as it was met: its name from the root on, where it stands, and the texts in its value."""

    name: str
    position: Position
    elements: list[Position]


def places_of(text: str, wanted: Container[str]) -> dict[str, Place]:
    """The place where each of the wanted names is first set; a key inside one that is none counts as that one.

    The text must be TOML, or the beginning of such a text.
    """
    found: dict[str, Place] = {}
    for key in _keys(text):
        first, _, rest = key.name.partition(".")
        for spelled in (key.name, f"{first}.{rest.partition('.')[0]}", first):
            if spelled in wanted:
                found.setdefault(spelled, Place(key.position, key.elements))
    return found


def set_twice(text: str) -> tuple[str, Position, int] | None:
    """The last key of a beginning of TOML, where it stands, and the line of the first key that it collides with."""
    last = next(iter(deque(_keys(text), maxlen=1)), None)  # a list of all names could be much longer than the text
    if last is None:
        return None
    around = None
    for key in _keys(text):
        if key.position == last.position:
            break
        if key.name == last.name:
            return cut(last.name), last.position, key.position.line
        if around is None and (key.name.startswith(f"{last.name}.") or last.name.startswith(f"{key.name}.")):
            around = key
    return (cut(last.name), last.position, around.position.line) if around is not None else None


def _keys(text: str) -> Iterator[_Key]:
    """Every key and heading in order; each token is looked at once."""
    scan = _Scan()
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        piece = match[0]
        key = scan.take(piece, Position(line, match.start() - line_start + 1))
        if key is not None:
            yield key
        if "\n" in piece:
            line += piece.count("\n")
            line_start = match.start() + piece.rindex("\n") + 1
    if (key := scan.end_line()) is not None:
        yield key


class _Scan:
    """Where a reading of TOML stands: the table, the key whose value is read, and the brackets that are open."""

    def __init__(self) -> None:
        self._table = ""
        self._open: list[tuple[str, _Key]] = []
        self._owner: _Key | None = None
        self._parts: list[str] = []
        self._start: Position | None = None
        self._heading = False

    def take(self, piece: str, here: Position) -> _Key | None:
        """Goes on by a token; the key or heading that it completes."""
        if piece[0] == "#" or piece.isspace():
            return self.end_line() if piece == "\n" and not self._open else None
        if self._owner is not None:
            self._in_value(piece, here, self._owner)
            return None
        return self._in_key(piece, here)

    def end_line(self) -> _Key | None:
        """Ends a line outside brackets; the heading that stood on it."""
        heading = None
        if self._heading and self._start is not None:
            self._table = _name("", self._parts)
            heading = _Key(self._table, self._start, [])
        self._parts, self._start, self._heading, self._owner = [], None, False, None
        return heading

    def _in_value(self, piece: str, here: Position, owner: _Key) -> None:
        if piece in "[{":
            self._open.append((piece, owner))
            self._owner = None if piece == "{" else owner
        elif piece in "]}":
            self._close()
        elif piece == "," and self._open and self._open[-1][0] == "{":
            self._owner = None
        elif piece[0] in "\"'" and [key for _, key in self._open[-2:]].count(owner) == 1:
            owner.elements.append(here)

    def _in_key(self, piece: str, here: Position) -> _Key | None:
        if piece == "=":
            above = self._open[-1][1].name if self._open else self._table
            key = self._owner = _Key(_name(above, self._parts), self._start or here, [])
            self._parts, self._start = [], None
            return key
        if piece == "}":
            self._close()
        elif piece == "[" and not self._open:
            self._heading = True
        elif piece not in ".,]":
            self._start = self._start or here
            self._parts.append(piece.strip("\"'"))
        return None

    def _close(self) -> None:
        if self._open:
            self._owner = self._open.pop()[1]


def _name(table: str, parts: list[str]) -> str:
    """A name from the root on, no longer than needed to tell it from every setting."""
    own = ".".join(parts)
    return (f"{table}.{own}" if table else own)[:_LONGEST_NAME]
