"""What an author did where frontmatter is no YAML, in words, and what to do: by the lines themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from xcsh.parsing.entries import KEY_LINE
from xcsh.parsing.keys import ALL_KEYS, PATTERN_KEYS, REGEX_KEYS, canonical

_GLUED = re.compile(r"[ \t]*(?P<key>[A-Za-z_][\w-]*):(?P<value>[^\s:/].*)", re.ASCII)
_EQUALS = re.compile(r"[ \t]*(?P<key>[A-Za-z_][\w-]*)[ \t]*=[ \t]*(?P<value>.*)", re.ASCII)
_ITEM = re.compile(r"([ \t]*)-[ \t]")
_ITEM_OR_END = re.compile(r"[ \t]*(?:-(?:[ \t]|$)|[\]})#]|$)")
_CURLY = "\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
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


def mistake_in(lines: Iterable[str], *, below: str = "") -> LineMistake | None:
    """The first line that can be no part of YAML as it stands. `below`: the key under which the lines stand."""
    margin = ""
    for number, line in enumerate(lines):
        found = _mistake_of(line, below)
        if found is None and (item := _ITEM.match(line)):
            margin = margin or f"{item[1]}-"
            if f"{item[1]}-" != margin:
                found = "an item of the list is indented otherwise than the one above it", "indent both alike"
        if found is not None:
            indent = len(line) - len(line.lstrip())
            column = 0 if line[:1].isspace() and "indent" in found[0] else indent
            length = indent if column < indent else len(line.strip())
            return LineMistake(*found, number, column, max(1, length))
    return None


def _mistake_of(line: str, below: str) -> tuple[str, str] | None:
    indent = line[: len(line) - len(line.lstrip())]
    if not line.strip():
        return None
    if found := (indent and _mistake_of_indentation(line, indent, below)):
        return found
    for form, what in ((_GLUED, "no space behind its colon"), (_EQUALS, "a `=` behind it")):
        found = form.match(line)
        if found and canonical(found["key"]) in ALL_KEYS:
            return f"`{found['key']}` has {what}, and is not read", f"write `{found['key']}: {_cut(found['value'])}`"
    if line.startswith("//"):
        return "`//` begins no comment", "begin comments with `#`"
    if indent or KEY_LINE.match(line) or _ITEM_OR_END.match(line):
        return None
    message = f"`{_cut(line.strip())}` is no `key: value`"
    if below:
        return message, f"indent the line, if it goes on with `{below}`; else put it below the closing `---`"
    return message, "write `key: value`, or put the text below the closing `---`"


def _mistake_of_indentation(line: str, indent: str, below: str) -> tuple[str, str] | None:
    key = KEY_LINE.match(line)
    if key and canonical(key["key"]) in ALL_KEYS:
        by = "a tab" if "\t" in indent else "spaces"
        part = f", so that it belongs to `{below}` and is not read" if below else ""
        return f"`{key['key']}` is indented by {by}{part}", "begin the key at the start of its line"
    if "\t" in indent:
        return "a line is indented by a tab, which YAML does not allow", "indent it with spaces"
    if "\u00a0" in indent:
        return "a line is indented by no-break spaces, which YAML does not count", "indent it with ordinary spaces"
    return None


def hint_for(key: str, value: str, below: str) -> tuple[str, bool]:
    """What to do about a value that is no YAML, and whether no tool can read it so; empty where the usual hint fits.

    `value` is what stands on the key's line, `below` what follows it.
    """
    first = value[:1]
    if first and first in _CURLY:
        return f"use straight quotes: YAML takes {first} for a part of the text", True
    if canonical(key) in REGEX_KEYS:
        return _quoted(key, value, below) if first in ("'", '"') and _end_of(value, first) < 0 else ("", False)
    if first in _PAIRS and _PAIRS[first] not in value + below:
        return f"close the `{first}`: put a `{_PAIRS[first]}` behind the last item", True
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
    found = _mistake_of(text.partition("\n")[0], "")
    return found[1] if found else None


def _quoted(key: str, value: str, below: str) -> tuple[str, bool]:
    quote = value[0]
    end = _end_of(value, quote)
    if end < 0:
        if _end_of(value + below, quote) >= 0 and quote not in value[1:]:
            return "", False
        return f"close the quote: put a {quote} at the end of the value", True
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
