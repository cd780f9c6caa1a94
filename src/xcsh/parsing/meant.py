"""What the author of one frontmatter value meant, where YAML says otherwise or nothing at all."""

from __future__ import annotations

import re
from typing import NamedTuple, cast

from xcsh.parsing.keys import BOOL_KEYS, PATTERN_KEYS, REGEX_KEYS, TEXT_KEYS, TOKEN_KEYS, canonical
from xcsh.parsing.pattern_lists import CURLY_QUOTES, needs_yaml, patterns_of, read_patterns, split_top_level, unquote
from xcsh.parsing.patterns import is_glob_shorthand
from xcsh.parsing.plain import NOT_A_TEXT
from xcsh.parsing.scalars import UNKNOWN, resolve
from xcsh.parsing.values import elements

_BLOCK_TEXT = re.compile(r"[|>][-+0-9]*(?:[ \t]+#.*)?\Z")
_TRUE_WORDS = frozenset({"true", "yes", "on"})
_FALSE_WORDS = frozenset({"false", "no", "off"})
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_COMMENT = re.compile(r"[ \t]+#.*$")
_NODE_PROPERTIES = {"!": "a tag", "&": "an anchor"}


class Problem(NamedTuple):
    """Why a value is not read as YAML has it. An empty message stands for "no YAML" said of the key."""

    message: str
    breaks_yaml: bool
    code: str = "frontmatter-repaired"
    hint: str | None = None
    """What to do, where it is not what is usual for the code."""


def meant_value(key: str, first: str, rest: str, *, whole: object = UNKNOWN) -> tuple[object, Problem | None]:
    """The value of one entry, and what was repaired.

    `first` is the value on the key's line, `rest` the lines below it; `whole` is what a reader of the whole block
    made of it, UNKNOWN where that reader gave up.
    """
    known = canonical(key)
    value, broken = (whole, False) if whole is not UNKNOWN else _alone(first, rest)
    if known in PATTERN_KEYS:
        return _patterns(first, rest, value, broken=broken)
    if known in TEXT_KEYS:
        return _text(key, first, rest, value, broken=broken)
    if known in BOOL_KEYS:
        return _boolean(key, first, value, broken=broken)
    if known in REGEX_KEYS:
        return _regex(key, first, value, broken=broken)
    if known in TOKEN_KEYS and broken:
        tokens = [unquote(piece) for piece in split_top_level(first)]
        return tokens, Problem(f"`{key}` is no YAML; read as a list of {len(tokens)}", breaks_yaml=True)
    return (value, Problem(f"`{key}` is no YAML; read as text", breaks_yaml=True)) if broken else (value, None)


def error_alone(first: str, rest: str) -> tuple[int, int, str] | None:
    """Where the value is no YAML on its own: the line, 0 for the key's own, the column, and what is never closed."""
    from xcsh.parsing import yaml_reader  # noqa: PLC0415 - see frontmatter._whole_yaml

    try:
        yaml_reader.read_mapping(f"k: {first}\n{rest}")
    except yaml_reader.YamlError as error:
        return error.line, error.column, error.opened
    return None


def _alone(first: str, rest: str) -> tuple[object, bool]:
    """The value read on its own; where even that is no YAML, its raw text and True."""
    from xcsh.parsing import yaml_reader  # noqa: PLC0415 - see frontmatter._whole_yaml

    text = f"k: {first}\n{rest}" if rest else f"k: {first}"
    for attempt in (text, text.expandtabs(2)) if "\t" in text else (text,):
        try:
            mapping = yaml_reader.read_mapping(attempt)
        except yaml_reader.YamlError:
            continue
        if mapping is not None and set(mapping) == {"k"}:
            return mapping["k"].value, attempt is not text
    return unquote(_COMMENT.sub("", first)) if not rest.strip() else f"{first}\n{rest}".strip(), True


def _patterns(first: str, rest: str, value: object, *, broken: bool) -> tuple[object, Problem | None]:
    notes: list[str] = []
    if not broken and needs_yaml(first, rest):
        patterns = patterns_of(value, notes)
    else:
        patterns = read_patterns(first, rest, notes)
    if broken and isinstance(patterns, list):
        return cast("object", patterns), Problem("", breaks_yaml=True)
    if notes:
        return patterns, Problem(notes[0], breaks_yaml=False, code="pattern-spelling")
    if not first.isascii() or not rest.isascii():
        return patterns, _curly_quote_in(patterns)
    return patterns, None


def _curly_quote_in(patterns: object) -> Problem | None:
    for each in elements(patterns) or ():
        if isinstance(each, str) and each and (each[0] in CURLY_QUOTES or each[-1] in CURLY_QUOTES):
            message = f"a curly quote is a part of the pattern `{each[:60]}`"
            hint = "use straight quotes on both sides"
            return Problem(message, breaks_yaml=False, code="pattern-spelling", hint=hint)
    return None


def _text(key: str, first: str, rest: str, value: object, *, broken: bool) -> tuple[object, Problem | None]:
    one_line = bool(first) and not rest.strip() and not _BLOCK_TEXT.match(first)
    if one_line and first[0] not in "\"'":
        if not isinstance(resolve(first), str):
            return resolve(first), None
        if broken:
            return first, Problem(f"`{key}` is no YAML; read as the text it plainly is", breaks_yaml=True)
        if value != first:
            return first, Problem(f"`{key}` is read as text; {_what_yaml_does(first, value)}", breaks_yaml=False)
        return first, None
    if broken:
        return " ".join(str(value).split()), Problem(
            f"`{key}` is no YAML; read as the text it plainly is", breaks_yaml=True
        )
    if isinstance(value, str) and "\n" in value:
        return " ".join(value.split()), None
    return value, None


def _what_yaml_does(first: str, value: object) -> str:
    """What a reader of YAML makes of an unquoted text, of which it keeps `value`."""
    if first[0] in _NODE_PROPERTIES:
        return f"YAML takes the `{first[0]}` for the beginning of {_NODE_PROPERTIES[first[0]]}"
    return "YAML would cut it at ` #`" if value == _COMMENT.sub("", first) else NOT_A_TEXT


def _boolean(key: str, first: str, value: object, *, broken: bool) -> tuple[object, Problem | None]:
    if isinstance(value, bool) or value is None:
        return value, None
    word = unquote(_COMMENT.sub("", first)).lower() if not isinstance(value, str) or broken else unquote(value).lower()
    if word in _TRUE_WORDS or word in _FALSE_WORDS:
        meant = word in _TRUE_WORDS
        plain = str(meant).lower()
        message = f"`{key}: {first}` is text in YAML; read as {plain}"
        return meant, Problem(message, breaks_yaml=broken, code="boolean-spelling")
    return value, Problem(f"`{key}` is no YAML; read as text", breaks_yaml=True) if broken else None


def _regex(key: str, first: str, value: object, *, broken: bool) -> tuple[object, Problem | None]:
    if broken and first.startswith("[") and first.endswith("]"):
        items: list[object] = [_raw_regex(piece.strip()) for piece in split_top_level(first[1:-1]) if piece.strip()]
        return items, Problem(f"`{key}` is no YAML; read as {len(items)} regular expressions", breaks_yaml=True)
    if broken:
        condition = _raw_regex(first)
        kind = "file glob" if is_glob_shorthand(condition) else "regular expression"
        return condition, Problem(f"`{key}` is no YAML; read as the {kind} it plainly is", breaks_yaml=True)
    if isinstance(value, str) and _CONTROL.search(value) and first.startswith('"'):
        message = (
            f"`{key}` stands in double quotes, where YAML reads `\\b` as a backspace; read as a regular expression"
        )
        return _raw_regex(first), Problem(message, breaks_yaml=False)
    return value, None


def _raw_regex(text: str) -> str:
    """The expression inside its quotes; in double quotes only an escaped quote or backslash is an escape."""
    bare = unquote(text)
    if text.startswith('"') and bare != text:
        return re.sub(r"\\([\"\\])", r"\1", bare)
    return bare
