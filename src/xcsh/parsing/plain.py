"""The fast path of frontmatter: blocks of one-line values that need no YAML reader."""

from __future__ import annotations

import re

from xcsh.model.diagnostic import Diagnostic, Position, Report, Severity
from xcsh.model.document import BlockState, FieldValue
from xcsh.parsing.block import Block
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import BOOL_KEYS, PATTERN_KEYS, REGEX_KEYS, TEXT_KEYS, TOKEN_KEYS, canonical
from xcsh.parsing.pattern_lists import read_patterns
from xcsh.parsing.scalars import BROKEN, UNKNOWN, classify, usual
from xcsh.parsing.values import elements

Fields = dict[str, FieldValue]

_LINE = re.compile(r"([A-Za-z_][\w-]*):(?: +(.*))?\Z", re.ASCII)
NOT_A_TEXT = "YAML would make something else of it"
_BRACKETED_WORDS = re.compile(r"\[[A-Za-z][\w /.|<>=-]*\]\Z", re.ASCII)
"""A list for YAML, and a hint for its author."""
_LONGEST_EXAMPLE = 60
_RAW_KEYS = PATTERN_KEYS | TEXT_KEYS | BOOL_KEYS | TOKEN_KEYS


def read_plain(block: Block, report: Report, finding: Finding, *, repair: bool) -> tuple[Fields, str] | None:
    """The fields of a block on which no YAML reader could disagree. None leaves it to one.

    Values stand on one line; where dialects are read, pattern keys may have a list below them, and text keys a text.
    """
    text = block.text
    if not usual(text) or "&" in text or block.position.column != 1:
        return None
    value_of = _meant if repair else _strict
    fields: Fields = {}
    mended: list[tuple[str, str]] = []
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        match = _LINE.match(line)
        if match is None:
            if line:
                return None
            continue
        key = match[1]
        raw = (match[2] or "").strip(" ")
        place = Position(block.position.line + number - 1, match.start(2) + 1 if raw else len(key) + 2)
        if number < len(lines) and lines[number][:1] == " ":
            below = _indented(lines, number)
            number += len(below)
            value = _value_below(canonical(key), raw, below) if repair else UNKNOWN
        else:
            value = value_of(key, raw, mended)
        if value is UNKNOWN or key in fields:
            return None
        fields[key] = FieldValue(value, place, len(raw))
    for key, message in mended:
        line = lines[fields[key].position.line - block.position.line]
        raw = "" if message else line[fields[key].position.column - 1 :].strip(" ")
        report(repaired(finding, key, fields[key], message, raw=raw))
    return fields, BlockState.REPAIRED if mended else block.state


def _indented(lines: list[str], start: int) -> list[str]:
    """The lines from `start` that belong to the value above them."""
    end = start
    while end < len(lines) and lines[end][:1] == " ":
        end += 1
    return lines[start:end]


def _value_below(known: str, raw: str, below: list[str]) -> object:
    """A list of patterns, or a block text, that stands below its key; UNKNOWN for anything less simple."""
    first = below[0]
    margin = first[: len(first) - len(first.lstrip(" "))]
    bare = [line[len(margin) :] for line in below]
    if any(not line.startswith(margin) or line[len(margin) : len(margin) + 1] in ("", " ") for line in below):
        return UNKNOWN
    if known in TEXT_KEYS and raw in (">-", ">", "|", "|-"):
        if any(line[-1] == " " for line in bare):
            return UNKNOWN
        value = (" " if raw[0] == ">" else "\n").join(bare)
        return value if "\n" not in value and raw[-1] == "-" else " ".join(value.split())
    if known not in PATTERN_KEYS or raw:
        return UNKNOWN
    for line in bare:
        item = line[2:].strip(" ")
        if line[:2] != "- " or "\\" in item or not item.isascii() or not isinstance(classify(item), str) or not item:
            return UNKNOWN
    notes: list[str] = []
    patterns = read_patterns("", "\n".join(below), notes)
    return UNKNOWN if notes else patterns


def _strict(key: str, raw: str, mended: list[tuple[str, str]]) -> object:
    """The value that YAML gives; UNKNOWN where only YAML can say, or would reject it."""
    del key, mended
    value = classify(raw)
    return UNKNOWN if value is BROKEN else value


def _meant(key: str, raw: str, mended: list[tuple[str, str]]) -> object:
    """The value as its author meant it. A key that YAML rejects or misreads for certain is added to `mended`."""
    known = canonical(key)
    value = classify(raw)
    if not raw or known not in _RAW_KEYS:
        return UNKNOWN if value is BROKEN else value
    if known in PATTERN_KEYS:
        return _pattern(key, raw, value, mended)
    if known in TEXT_KEYS and _BRACKETED_WORDS.match(raw):
        mended.append((key, f"`{key}` is read as text; {NOT_A_TEXT}"))
        return raw
    if value is BROKEN or known in TOKEN_KEYS or (known in BOOL_KEYS and isinstance(value, str)):
        return UNKNOWN
    return value


def _pattern(key: str, raw: str, value: object, mended: list[tuple[str, str]]) -> object:
    if "\\" in raw or not raw.isascii() or (value is UNKNOWN and not _quoted_list(raw)):
        return UNKNOWN
    notes: list[str] = []
    patterns = read_patterns(raw, "", notes)
    if notes:
        return UNKNOWN
    if value is BROKEN:
        mended.append((key, ""))
    return patterns


def _quoted_list(text: str) -> bool:
    """Whether the text is a list in brackets of texts in one kind of quotes, which YAML reads as it stands."""
    quote, other = ('"', "'") if '"' in text else ("'", '"')
    if text[0] != "[" or text[-1] != "]" or other in text:
        return False
    pieces = text[1:-1].split(quote)
    outside = [piece.strip(" ") for piece in pieces[::2]]
    return (
        len(outside) > 1 and len(pieces) % 2 == 1 and not outside[0] and not outside[-1] and set(outside[1:-1]) <= {","}
    )


def repaired(
    finding: Finding,
    key: str,
    field: FieldValue,
    message: str = "",
    code: str = "frontmatter-repaired",
    *,
    raw: str = "",
    below: str = "",
    hint: str | None = None,
) -> Diagnostic:
    """The diagnostic for a value that was read as meant; a pattern's hint is one that its owning tool can live with.

    `raw` is the value as it stands, where YAML rejects it, and `below` what follows it on other lines.
    `hint` is what to do, where that is known already.
    """
    severity = None
    cause, decisive = _cause(key, raw, below)
    if canonical(key) in REGEX_KEYS:
        hint = "put the expression in single quotes, in which YAML has no escapes"
    if canonical(key) in PATTERN_KEYS and not message:
        message = f"`{key}` is no YAML; read as the pattern it plainly is"
        hint = f"put the patterns in quotes: {key}: {_in_quotes(field.value)}"
        if not finding.quotes_help:
            hint = "nothing to do: its own tool needs it so. Tools that read strict YAML drop this block"
            severity = Severity.INFORMATION
    elif canonical(key) == "argument-hint" and not finding.quotes_help:
        hint, severity = "nothing to do: its own tool reads it so", Severity.INFORMATION
    if cause and (decisive or hint is None):
        hint, severity = cause, None
    return finding.make(code, field.position, message, length=field.length, hint=hint, severity=severity)


def _cause(key: str, raw: str, below: str) -> tuple[str, bool]:
    unquoted_star = raw[:1] == "*" and canonical(key) in PATTERN_KEYS and (raw + below).isascii()
    if not raw or unquoted_star:  # by far the most usual one, and its usual hint fits
        return "", False
    from xcsh.parsing.mistakes import hint_for  # noqa: PLC0415 - most files have none

    return hint_for(key, raw, below)


def _in_quotes(value: object) -> str:
    """The patterns as YAML has them, or an example where they are long or have quotes of their own."""
    patterns = [item for item in elements(value) or () if isinstance(item, str)]
    text = ", ".join(f'"{pattern}"' for pattern in patterns)
    plain = patterns and len(text) <= _LONGEST_EXAMPLE and not any(char in "".join(patterns) for char in '"\\')
    return f"[{text}]" if plain else '["**/*.ts"]'
