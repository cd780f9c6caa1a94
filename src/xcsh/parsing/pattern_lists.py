"""Reads the value of a pattern key from its raw text, in every spelling that people use."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xcsh.parsing.scalars import resolve
from xcsh.parsing.values import elements

_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "\u201d": "\u201d", "\u2019": "\u2019"}
CURLY_QUOTES = "\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_ITEM = re.compile(r"^[ \t]*-(?:[ \t]+(.*))?$", re.MULTILINE)
_BRACE = re.compile("[{}]")
_ONE_PATTERN = re.compile(r"(?=[^*/]*[*/])[\w./*?{}-]+\Z", re.ASCII)
"""One pattern without anything that needs a second look; its star or slash shows that it is no number or word."""
_BLOCK_TEXT = re.compile(r"[|>][-+0-9]*(?:[ \t]+#.*)?\Z")
_NODE_PROPERTY = re.compile(r"[&*][^\s,*/]|!![A-Za-z]|!<")
"""What begins a value that has an anchor or a tag, or is an alias; `!src/**`, a tag too, is a negated pattern."""
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
    listed, text = _taken_apart(text, rest)
    if listed is not None:
        return _distinct(value for item in listed for value in _item_values(item, notes))
    if text[:1] not in _QUOTES:
        plain = resolve(text)
        if not isinstance(plain, str):
            return plain
    return _distinct(value for piece in split_top_level(text) for value in _item_values(piece, notes))


def needs_yaml(first: str, rest: str) -> bool:
    """Whether a value has anchors, aliases or tags, so that what a reader of the whole block made of it counts.

    Where that reader rejects the block, such a value is read from its raw text like any other.
    """
    if _BLOCK_TEXT.match(first.strip()):
        return False
    listed, text = _taken_apart(first.strip(), rest)
    return any(_NODE_PROPERTY.match(item.lstrip()) for item in ([text] if listed is None else listed))


def patterns_of(value: object, notes: list[str]) -> object:
    """The patterns of a value that a YAML reader made, who has removed quotes: as `read_patterns` has them."""
    listed = elements(value)
    if listed is None and not isinstance(value, str):
        return value
    found: list[object] = []
    for element in [value] if listed is None else listed:
        for line in element.splitlines() if isinstance(element, str) else ():
            found.extend(_bare_values(_without_comment(line), notes))
        if not isinstance(element, str):
            found.append(element)
    return _distinct(found)


def split_top_level(text: str) -> list[str]:
    """Splits at commas outside braces and quotes; a brace or quote that never closes guards nothing."""
    if "," not in text:
        return [text]
    partners = _partners(text) if "{" in text else {}
    unclosed: set[str] = set()
    pieces: list[str] = []
    start = at = 0
    begun = False
    while at < len(text):
        character = text[at]
        if character == ",":
            pieces.append(text[start:at])
            start = at + 1
            begun = False
        elif character == "{":
            at = partners.get(at, at)
            begun = True
        elif not begun and not character.isspace():
            begun = True
            if character in _QUOTES and character not in unclosed:
                close = text.find(_QUOTES[character], at + 1)
                if close < 0:
                    unclosed.add(character)  # nor does any further one
                at = max(at, close)
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
            notes.append(f"`{pattern[:60]}` holds backslashes, read as the separators of a path")
            return pattern.replace("\\", "/")
    return pattern


def _taken_apart(text: str, rest: str) -> tuple[list[str] | None, str]:
    """The raw elements of a list; of anything else None, and what stands on all its lines as one text."""
    lines = [_without_comment(line) for line in rest.split("\n")] if rest.strip() else []
    if _BLOCK_TEXT.match(text):
        # To YAML, comments alone are a text and not nothing: they match nothing, rather than everything.
        kept = [line for line in lines if line] or rest.strip().split("\n")
        text = ",".join(line.strip().removeprefix("- ") for line in kept)
    else:
        text = _without_comment(text)
        if not text and (items := _block_items(rest)) is not None:
            return items, ""
        text = " ".join([text, *lines]).strip()
    if text.startswith("[") and text.endswith("]"):
        return split_top_level(text[1:-1]), ""
    return None, text


def _item_values(item: str, notes: list[str]) -> list[object]:
    item = item.strip()
    if not item:
        return []
    quoted = unquote(item)
    if quoted != item:
        return [_clean(piece, notes) for piece in split_top_level(quoted)]
    plain = resolve(item)
    return _bare_values(item, notes) if isinstance(plain, str) else [plain]


def _bare_values(item: str, notes: list[str]) -> list[object]:
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


def _partners(text: str) -> dict[int, int]:
    """Where each opening brace that has one finds its closing brace."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            found[opened.pop()] = match.start()
    return found
