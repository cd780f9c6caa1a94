"""Reads the JSON arguments of a tool call while they stream: the strings, decoded, under the key they stand at."""

from __future__ import annotations

import re
from typing import NamedTuple

_SPECIAL = re.compile(r'["\\]')
_HALF = re.compile("[\ud800-\udfff]")
_LONG = 1_024
"""Characters from which on a string is read by the parser of JSON, which is no help in the midst of one."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LOST = "\ufffd"
_HIGH, _LOW, _PAST = 0xD800, 0xDC00, 0xE000
"""Where the first and the second halves of characters beyond the basic plane begin, and end."""


class Piece(NamedTuple):
    """Some more of a string value; `closed` where the value ends with it."""

    key: str
    text: str
    closed: bool


class Arguments:
    """The reader. It never fails: what is no JSON yields no pieces."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        """Of each open object its last key, of each open list the one that it stands at."""
        self._lists: list[bool] = []
        """Of each of them, whether it is a list."""
        self._awaits_key = False
        self._inside = False
        self._is_key = False
        self._name: list[str] = []
        self._escape = ""
        self._high = 0

    def feed(self, delta: str) -> list[Piece]:
        """The pieces that `delta` completes, in order."""
        pieces: list[Piece] = []
        at = 0
        while at < len(delta):
            if self._inside:
                at = self._read_string(delta, at, pieces)
            else:
                self._read_structure(delta[at])
                at += 1
        return pieces

    def _read_structure(self, character: str) -> None:
        if character == "{":
            self._keys.append("")
            self._lists.append(False)
            self._awaits_key = True
        elif character == "[":
            self._keys.append(self._key())
            self._lists.append(True)
            self._awaits_key = False
        elif character in "}]":
            if self._keys:
                self._keys.pop()
                self._lists.pop()
            self._awaits_key = False
        elif character == ",":
            self._awaits_key = bool(self._lists) and not self._lists[-1]
        elif character == '"':
            self._inside = True
            self._is_key = self._awaits_key
            self._name = []

    def _read_string(self, delta: str, at: int, pieces: list[Piece]) -> int:
        """Reads on in a string, from `at`; where it stopped."""
        if len(delta) - at > _LONG and (whole := self._whole_string(delta, at)) is not None:
            text, at = whole
            self._inside = False
            self._emit(text, pieces)
            return at
        decoded: list[str] = []
        while at < len(delta):
            if self._escape:
                self._escape += delta[at]
                at += 1
                self._decode(decoded)
                continue
            match = _SPECIAL.search(delta, at)
            end = match.start() if match else len(delta)
            if end > at or (match and match[0] == '"'):
                self._drop_half(decoded)
                decoded.append(delta[at:end])
            if match is None:
                at = end
                break
            at = end + 1
            if match[0] == '"':
                self._inside = False
                break
            self._escape = "\\"
        self._emit("".join(decoded), pieces)
        return at

    def _whole_string(self, delta: str, at: int) -> tuple[str, int] | None:
        """The text of a string that lies in a long piece, and where it ends; None where it needs a closer look."""
        if at == 0 or self._escape or self._high:  # it began in an earlier piece
            return None
        import json  # noqa: PLC0415 - most pieces are short

        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(delta, at - 1)
        except ValueError:  # it does not end here, or has an escape that is none
            return None
        text = str(value)
        return None if _HALF.search(text) else (text, end)

    def _emit(self, text: str, pieces: list[Piece]) -> None:
        if not self._is_key:
            if text or not self._inside:
                pieces.append(Piece(self._key(), text, not self._inside))
            return
        self._name.append(text)
        if not self._inside:
            self._keys[-1] = "".join(self._name)
            self._awaits_key = False

    def _key(self) -> str:
        return self._keys[-1] if self._keys else ""

    def _decode(self, decoded: list[str]) -> None:
        escape = self._escape
        if escape[1] != "u":
            self._drop_half(decoded)
            decoded.append(_ESCAPES.get(escape[1], escape[1]))
            self._escape = ""
        elif len(escape) == len("\\u0000"):
            self._escape = ""
            try:
                unit = int(escape[2:], 16)  # noqa: FURB166 - not a prefix of the number
            except ValueError:
                unit = ord(_LOST)
            if self._high and _LOW <= unit < _PAST:
                decoded.append(chr(0x10000 + ((self._high - _HIGH) << 10) + (unit - _LOW)))
                self._high = 0
                return
            self._drop_half(decoded)
            if _HIGH <= unit < _LOW:
                self._high = unit
            else:
                decoded.append(_LOST if _LOW <= unit < _PAST else chr(unit))

    def _drop_half(self, decoded: list[str]) -> None:
        """A first half of a character that no second half follows."""
        if self._high:
            decoded.append(_LOST)
            self._high = 0
