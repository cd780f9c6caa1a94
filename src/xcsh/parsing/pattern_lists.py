"""Reads the value of a pattern key from its raw text, in every spelling that people use."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xcsh.parsing.scalars import resolve

_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "\u201d": "\u201d", "\u2019": "\u2019"}
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_ITEM = re.compile(r"^[ \t]*-(?:[ \t]+(.*))?$", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|[ \t])#.*$")
_ONE_PATTERN = re.compile(r"(?=[^*/]*[*/])[\w./*?{}-]+\Z", re.ASCII)
"""One pattern without anything that needs a second look; its star or slash shows that it is no number or word."""
_META = re.compile(r"[*?\[{]")
_ESCAPABLE = frozenset("[](){}!#")


def read_patterns(first: str, rest: str, notes: list[str]) -> object:
    """The patterns of a value: a list, or what YAML's core schema makes of a single number, bool or null.

    `first` is the value on the key's own line, `rest` the lines below it up to the next key. Elements that are plain
    numbers, bools or nulls keep that type, so that a provider's type filter sees them. Order is kept, repeats are not.
    A sentence is added to `notes` for each spelling that was read as something else.
    """
    text = first.strip()
    if not rest and _ONE_PATTERN.match(text):
        return [text]
    if not _COMMENT.sub("", text).strip() and (items := _block_items(rest)) is not None:
        return _distinct(value for item in items for value in _item_values(item, notes))
    text = " ".join([text, *(_without_comment(line) for line in rest.split("\n"))]).strip() if rest.strip() else text
    text = _without_comment(text)
    if text.startswith("[") and text.endswith("]"):
        return _distinct(value for item in split_top_level(text[1:-1]) for value in _item_values(item, notes))
    if text[:1] not in _QUOTES:
        plain = resolve(text)
        if not isinstance(plain, str):
            return plain
    return _distinct(value for piece in split_top_level(text) for value in _item_values(piece, notes))


def split_top_level(text: str) -> list[str]:
    """Splits at commas outside braces and quotes; a brace or quote that never closes guards nothing."""
    if "," not in text:
        return [text]
    pieces: list[str] = []
    start = at = 0
    while at < len(text):
        character = text[at]
        if character == ",":
            pieces.append(text[start:at])
            start = at + 1
        elif character == "{":
            at = _closing_brace(text, at)
        elif character in _QUOTES and not text[start:at].strip():
            close = text.find(_QUOTES[character], at + 1)
            at = close if close > 0 else at
        at += 1
    pieces.append(text[start:])
    return pieces


def unquote(text: str) -> str:
    """The text without one pair of quotes or backticks around it."""
    text = text.strip()
    if len(text) > 1 and text[0] in _QUOTES and text[-1] == _QUOTES[text[0]]:
        return text[1:-1].strip()
    return text


def _clean(pattern: str, notes: list[str]) -> str:
    """The pattern without invisible characters, and with Windows separators as slashes."""
    pattern = INVISIBLE.sub("", pattern.strip()) if not pattern.isascii() else pattern.strip()
    if "\\" in pattern and "/" not in pattern:
        following = {pattern[at + 1 : at + 2] for at, character in enumerate(pattern) if character == "\\"}
        if not following <= _ESCAPABLE:
            notes.append(f"`{pattern}` holds backslashes, read as the separators of a path")
            return pattern.replace("\\", "/")
    return pattern


def _item_values(item: str, notes: list[str]) -> list[object]:
    item = item.strip()
    if not item:
        return []
    quoted = unquote(item)
    if quoted != item:
        return [_clean(piece, notes) for piece in split_top_level(quoted)]
    plain = resolve(item)
    if not isinstance(plain, str):
        return [plain]
    if item.count("{") != item.count("}"):
        notes.append(f"`{item[:60]}` has a brace without its partner; it is split at every comma all the same")
    values: list[object] = []
    for piece in split_top_level(item):
        words = piece.split()
        if len(words) > 1 and all(_META.search(word) for word in words):
            notes.append(f"patterns are separated by spaces alone; read as {len(words)} patterns")
            values.extend(_clean(unquote(word), notes) for word in words)
        else:
            values.append(_clean(unquote(piece), notes))
    return values


def _distinct(values: Iterable[object]) -> list[object]:
    """Each value once, in order. Empty texts are left out, unless there is nothing else: a list of them is no list."""
    kept = {(type(value), value): value for value in values}
    if len(kept) > 1:
        kept.pop((str, ""), None)
    return list(kept.values())


def _block_items(rest: str) -> list[str] | None:
    items = [_without_comment(match[1] or "") for match in _ITEM.finditer(rest)]
    return items or None


def _without_comment(text: str) -> str:
    """The line without a trailing ` # comment` that stands outside quotes."""
    text = text.strip()
    if "#" not in text:
        return text
    at = 0
    while at < len(text):
        character = text[at]
        if character in "\"'`" and (close := text.find(character, at + 1)) > 0:
            at = close
        elif character == "#" and (at == 0 or text[at - 1] in " \t"):
            return text[:at].rstrip()
        at += 1
    return text


def _closing_brace(text: str, at: int) -> int:
    depth = 0
    for index in range(at, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    return at
