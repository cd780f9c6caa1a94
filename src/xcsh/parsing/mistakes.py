"""What an author did where frontmatter is no YAML, in words, and what to do: by the lines themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from xcsh.parsing.entries import KEY_LINE
from xcsh.parsing.keys import ALL_KEYS, PATTERN_KEYS, REGEX_KEYS, canonical
from xcsh.parsing.pattern_lists import CURLY_QUOTES

_GLUED = re.compile(r"[ \t]*(?P<key>[A-Za-z_][\w-]*):(?P<value>[^\s:/].*)", re.ASCII)
_EQUALS = re.compile(r"[ \t]*(?P<key>[A-Za-z_][\w-]*)[ \t]*=[ \t]*(?P<value>.*)", re.ASCII)
_ITEM = re.compile(r"([ \t]*)-[ \t]")
_ITEM_OR_END = re.compile(r"[ \t]*(?:-(?:[ \t]|$)|[\]})#]|$)")
_CURLY_END = re.compile(rf"(?:^|[ \t,\[])([{CURLY_QUOTES}])|([{CURLY_QUOTES}])(?=[ \t,\]]|$)", re.MULTILINE)
"""A curly quote at the beginning or the end of an item: an apostrophe in a name is none."""
_KEPT = "@`%&!|>*?,]}"
"""Characters with which YAML begins something else than a text."""
_DOUBLE = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_SINGLE = re.compile(r"'(?:''|[^'])*'", re.DOTALL)
_PAIRS = {"[": "]", "{": "}"}
_SHOWN = 40


class LineMistake(NamedTuple):
    """What is wrong in a line, what to do, and where: the line counted from 0, the column from 0, and a length."""

    message: str
    hint: str
    line: int
    column: int
    length: int
    loses_key: bool = False
    """Whether a key stands there that is not read."""


class _Fault(NamedTuple):
    """What is wrong in a line, and whether its indentation is."""

    message: str
    hint: str
    at_margin: bool = False
    loses_key: bool = False


def first_mistake(lines: Sequence[str]) -> LineMistake | None:
    """The first of the lines that can be no part of YAML as it stands."""
    return next((found for number in range(len(lines)) if (found := mistake_at(lines, number))), None)


def mistake_at(lines: Sequence[str], number: int, *, below: str = "") -> LineMistake | None:
    """What is wrong in the line at which a reader gave up. `below`: the key under which the lines stand."""
    line = lines[number] if number < len(lines) else ""
    fault = _fault_of(line, below)
    if fault is None and (item := _ITEM.match(line)):
        first = next((found for each in lines[:number] if (found := _ITEM.match(each))), item)
        if first[1] != item[1]:
            message = "an item of the list is indented otherwise than the one above it"
            fault = _Fault(message, "indent both alike", at_margin=True)
    if fault is None:
        return None
    indent = len(line) - len(line.lstrip())
    column = 0 if fault.at_margin else indent
    length = indent if column < indent else len(line.strip())
    return LineMistake(fault.message, fault.hint, number, column, max(1, length), fault.loses_key)


def mistake_of_opening(lines: Sequence[str], number: int, column: int, opened: str) -> LineMistake:
    """What is wrong where a bracket or a quote stands that nothing closes."""
    if opened in _PAIRS:
        return LineMistake(f"the `{opened}` is not closed", _close_bracket(opened), number, column, 1)
    curly = _CURLY_END.search(lines[number], column)
    hint = _straight(curly[1] or curly[2]) if curly else _close_quote(opened)
    return LineMistake("the quote that begins here is not closed", hint, number, column, 1)


def _fault_of(line: str, below: str) -> _Fault | None:
    indent = line[: len(line) - len(line.lstrip())]
    if not line.strip():
        return None
    if found := (indent and _fault_of_indentation(line, indent, below)):
        return found
    for form, what in ((_GLUED, "no space behind its colon"), (_EQUALS, "a `=` behind it")):
        found = form.match(line)
        if found and canonical(found["key"]) in ALL_KEYS:
            hint = f"write `{found['key']}: {_cut(found['value'])}`"
            return _Fault(f"`{found['key']}` has {what}, and is not read", hint, loses_key=True)
    if line.startswith("//"):
        return _Fault("`//` begins no comment", "begin comments with `#`")
    if indent or KEY_LINE.match(line) or _ITEM_OR_END.match(line):
        return None
    message = f"`{_cut(line.strip())}` is no `key: value`"
    if below:
        hint = f"indent the line, if it goes on with `{below}`; else put it below the closing `---`"
        return _Fault(message, hint)
    return _Fault(message, "write `key: value`, or put the text below the closing `---`")


def _fault_of_indentation(line: str, indent: str, below: str) -> _Fault | None:
    key = KEY_LINE.match(line)
    if key and canonical(key["key"]) in ALL_KEYS:
        by = "a tab" if "\t" in indent else "spaces"
        part = f", so that it belongs to `{below}` and is not read" if below else ""
        message = f"`{key['key']}` is indented by {by}{part}"
        return _Fault(message, "begin the key at the start of its line", at_margin=True, loses_key=bool(below))
    if "\t" in indent:
        message = "a line is indented by a tab, which YAML does not allow"
        return _Fault(message, "indent it with spaces", at_margin=True)
    if "\u00a0" in indent:
        message = "a line is indented by no-break spaces, which YAML does not count"
        return _Fault(message, "indent it with ordinary spaces", at_margin=True)
    return None


def hint_for(key: str, value: str, below: str) -> tuple[str, bool]:
    """What to do about a value that is no YAML, and whether no tool can read it so; empty where the usual hint fits.

    `value` is what stands on the key's line, `below` what follows it.
    """
    first = value[:1]
    if curly := _curly_in(key, value, below):
        return _straight(curly), True
    if canonical(key) in REGEX_KEYS:
        return _quoted(key, value, below) if first in ("'", '"') and _end_of(value, first) < 0 else ("", False)
    if first in _PAIRS and _PAIRS[first] not in value + below:
        return _close_bracket(first), True
    if first and first in "\"'":
        return _quoted(key, value, below)
    if not first or canonical(key) in PATTERN_KEYS:
        return "", False
    if first in _KEPT:
        mark = "a backtick" if first == "`" else f"`{first}`"
        return f"put the value in quotes: YAML has a use of its own for {mark} at the beginning", False
    if ": " in value or value.endswith(":"):
        return "put the value in quotes: a colon with a space behind it ends a key in YAML", False
    return "", False


def hint_for_no_mapping(block: str) -> str | None:
    """What to do about a block that holds no key; None where the usual hint fits."""
    text = block.lstrip()
    if text.startswith("{"):
        return "write a line `key: value` for each key, without braces, quotes and commas"
    if text.startswith("- "):
        return "take away the `- ` in front of the keys"
    found = _fault_of(text.partition("\n")[0], "")
    return found.hint if found else None


def _close_bracket(opened: str) -> str:
    return f"close the `{opened}`: put a `{_PAIRS[opened]}` behind the last item"


def _curly_in(key: str, value: str, below: str) -> str:
    """A curly quote that was meant to be a quote; empty where there is none."""
    if value and value[0] in CURLY_QUOTES:
        return value[0]
    found = _CURLY_END.search(f"{value}\n{below}") if canonical(key) in PATTERN_KEYS else None
    return (found[1] or found[2]) if found else ""


def _straight(curly: str) -> str:
    return f"use straight quotes: YAML takes {curly} for a part of the text"


def _close_quote(quote: str) -> str:
    return f"close the quote: put a {quote} at the end of the value"


def _quoted(key: str, value: str, below: str) -> tuple[str, bool]:
    quote = value[0]
    end = _end_of(value, quote)
    if end < 0:
        if _end_of(value + below, quote) >= 0 and quote not in value[1:]:
            return "", False
        return _close_quote(quote), True
    behind = value[end + 1 :].strip()
    if behind == ",":
        return "take the comma at the end of the line away", True
    if behind and not behind.startswith("#") and canonical(key) not in PATTERN_KEYS:
        other = "'" if quote == '"' else '"'
        return f"put the whole value in {other}: the second {quote} ends it", False
    if quote == '"' and "\\" in value:
        return "put the value in single quotes: in double ones a backslash begins an escape", False
    return "", False


def _end_of(value: str, quote: str) -> int:
    """Where the quote closes that the value begins with; -1 for nowhere."""
    found = (_DOUBLE if quote == '"' else _SINGLE).match(value)
    return found.end() - 1 if found else -1


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
