"""What an author did where a text is no TOML, in words, and what to do: by the line at which a reader gave up."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from xcsh.model.diagnostic import Position
from xcsh.parsing.block import position_at
from xcsh.parsing.pattern_lists import CURLY_QUOTES

_KEY = re.compile(r"[ \t]*([\w.\"'-]+)[ \t]*=[ \t]*")
_ANOTHER_KEY = re.compile(r"[ \t]*,?[ \t]*[\w-]+[ \t]*=")
_LONE_MARK = re.compile(r"[ \t]*([,;])[ \t]*(?:#.*)?$")
_WORDS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "yes": "true", "no": "false"}
_TRIPLES = ('"""', "'''")
_UNENDED = ("Unterminated", 'Expected "\'"', "Expected \"'''\"")
_OTHERWISE = "correct the line: TOML has `key = value` lines, with texts in quotes"


class TomlMistake(NamedTuple):
    """What is wrong, what to do, and where, if somewhere else than where the reader gave up."""

    message: str
    hint: str = _OTHERWISE
    position: Position | None = None


def explain_toml(reason: str, text: str, place: Position) -> TomlMistake:
    """`reason` is what the reader said at `place`, the end of the text included."""
    if text.startswith("---"):
        hint = 'write `description = "…"` and `prompt = """…"""` in place of the block and the text below it'
        return TomlMistake("it begins with frontmatter, which files in TOML have not", hint, Position(1, 1))
    if reason.startswith(_UNENDED):
        return _unended(text, place)
    lines = text.split("\n")
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    rest = line[place.column - 1 :]
    name = _name_in(line)
    explain = next((explain for part, explain in _BY_REASON if part in reason.lower()), None)
    return explain(reason, line, rest, name) if explain else TomlMistake(reason)


def _name_in(line: str) -> str:
    key = _KEY.match(line)
    return key[1] if key else "key"


def _unended(text: str, place: Position) -> TomlMistake:
    triple = max(_TRIPLES, key=text.rfind)
    at = text.rfind(triple)
    if at >= 0:
        hint = f"put {triple} behind it"
        return TomlMistake(f"the text that begins here with {triple} has no end", hint, position_at(text, at))
    last = text.rstrip("\n")
    name = _name_in(last[last.rfind("\n") + 1 :])
    return _not_closed(name, position_at(text, len(last)) if place.column == 1 else place)


def _not_closed(name: str, position: Position | None = None) -> TomlMistake:
    hint = f'close the quote at the end of the line; a text of several lines stands so: {name} = """…"""'
    return TomlMistake(f"the text of `{name}` is not closed on its line", hint, position)


def _escape(reason: str, line: str, rest: str, name: str) -> TomlMistake:
    del line, rest, name
    what = (
        "a backslash begins an escape there" if "hex value" in reason.lower() else f"{reason[:1].lower()}{reason[1:]}"
    )
    return TomlMistake(f"invalid escape: {what}", "double the backslash, or put the text between ''' and '''")


def _character(reason: str, line: str, rest: str, name: str) -> TomlMistake:
    del line
    return (
        TomlMistake(reason.lower(), "take the character away, or write it as an escape") if rest else _not_closed(name)
    )


def _twice(reason: str, line: str, rest: str, name: str) -> TomlMistake:
    del reason, rest
    given = "a table" if line.startswith("[") else f"`{name}`"
    return TomlMistake(f"{given} is given twice", "remove one of the two")


def _no_equals(reason: str, line: str, rest: str, name: str) -> TomlMistake:
    del reason, name
    key = line[: len(line) - len(rest)].strip()
    if rest.lstrip().startswith(":"):
        return TomlMistake(f"`{key}` has a `:` behind it", f"write `{key} = …`: keys and values stand around a `=`")
    hint = 'the text of the command stands under a key: prompt = """…"""'
    return TomlMistake("a line is no `key = value`", hint)


def _more_behind(reason: str, line: str, rest: str, name: str) -> TomlMistake:
    del reason
    if _ANOTHER_KEY.match(rest):
        return TomlMistake("two keys stand on one line", "begin each key on a line of its own")
    if lone := _LONE_MARK.match(rest):
        what = "comma" if lone[1] == "," else "semicolon"
        return TomlMistake(
            f"a {what} stands behind the value of `{name}`", f"take the {what} away: a line end is enough"
        )
    before = line[: len(line) - len(rest)].rstrip()
    if before.endswith(_TRIPLES):
        triple, other = before[-3:], _TRIPLES[before.endswith(_TRIPLES[0])]
        return TomlMistake(f"{triple} ends the text here", f"put the text between {other} and {other}")
    if before.endswith("'"):
        return TomlMistake("the ' in the text ends it here", f'put it between double quotes: {name} = "…"')
    if before.endswith('"'):
        return TomlMistake(
            'the " in the text ends it here', f"""write \\" inside, or put it between ''': {name} = '''…'''"""
        )
    return TomlMistake(f"something stands behind the value of `{name}`", f'put a text in quotes: {name} = "…"')


def _no_value(reason: str, line: str, rest: str, name: str) -> TomlMistake:
    del reason, line
    word = rest.strip().partition(" ")[0]
    if not word or word.startswith("#"):
        return TomlMistake(f"`{name}` has no value", f'give it one: {name} = "…"')
    if word[0] in CURLY_QUOTES:
        return TomlMistake(f"{word[0]} is no quote in TOML", f'use straight quotes: {name} = "…"')
    if word in _WORDS:
        return TomlMistake(f"`{word}` is no value in TOML", f"write {_WORDS[word]}, or a text in quotes")
    return TomlMistake(f"the value of `{name}` is a text without quotes", f'put it in quotes: {name} = "…"')


def _no_statement(reason: str, line: str, rest: str, name: str) -> TomlMistake:
    del reason, line, name
    if rest.startswith("//"):
        return TomlMistake("`//` begins no comment", "begin comments with `#`")
    return TomlMistake("a line is no `key = value`")


def _bracket(reason: str, line: str, rest: str, name: str) -> TomlMistake:
    del reason, line, rest, name
    return TomlMistake("a bracket is not closed", "put the other half behind the last item, or behind the table's name")


_BY_REASON: tuple[tuple[str, Callable[[str, str, str, str], TomlMistake]], ...] = (
    ("escape", _escape), ("hex value", _escape), ("illegal character", _character), ("invalid character", _character),
    ("cannot overwrite", _twice), ("cannot declare", _twice), ("expected '=' after a key", _no_equals),
    ("expected newline or end of document", _more_behind), ("invalid value", _no_value),
    ("invalid statement", _no_statement), ("table declaration", _bracket), ("unclosed", _bracket),
)  # fmt: skip
"""Parts of a reader's reasons, with what explains them; it gets the reason, the line, its rest there and its key."""
