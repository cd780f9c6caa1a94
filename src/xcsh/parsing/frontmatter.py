"""Reads the fields of a frontmatter block: strictly as the reference does, or as the dialects mean them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from xcsh.model.diagnostic import Diagnostic, Position, Report
from xcsh.model.document import BlockState, FieldValue
from xcsh.parsing.block import KEY_LINE, Block
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import ALL_KEYS, BOOL_KEYS, PATTERN_KEYS, REGEX_KEYS, TEXT_KEYS, TOKEN_KEYS, WRAPPER_KEYS, canonical
from xcsh.parsing.meant import meant_value
from xcsh.parsing.pattern_lists import read_patterns
from xcsh.parsing.scalars import BROKEN, UNKNOWN, UNUSUAL, classify

if TYPE_CHECKING:
    from xcsh.parsing.yaml_reader import YamlError, YamlValue

Fields = dict[str, FieldValue]

_FALLBACK_LINE = re.compile(r"^(\w+):\s*(.*)$", re.ASCII)
_FAST_LINE = re.compile(r"([A-Za-z_][\w-]*):(?: +(.*))?\Z", re.ASCII)
_LARGEST_BLOCK = 131_072
_FLOW_OF_QUOTED = re.compile(r"\[ *(?:\"[^\"\\]*\"|'[^']*')(?: *, *(?:\"[^\"\\]*\"|'[^']*'))* *\]\Z")
_RAW_KEYS = PATTERN_KEYS | TEXT_KEYS | BOOL_KEYS | TOKEN_KEYS


class RawEntry(NamedTuple):
    """A key as it stands in the text: value on its own line, lines below up to the next key, place of the value."""

    key: str
    first: str
    rest: str
    line: int
    column: int


def read_strict(block: Block, report: Report, finding: Finding) -> tuple[Fields, str]:
    """R-22: YAML, or where that fails each `key: value` line as a string."""
    if (plain := _read_plain(block, report, finding, repair=False)) is not None:
        return plain
    values, error = _whole_yaml(block)
    if error is None:
        return ({} if values is None else _from_yaml(values, block, report, finding)), BlockState.READ
    _report_invalid(error, block, "read line by line, every value as text", report, finding)
    fields = {}
    for number, line in enumerate(block.text.split("\n")):
        if match := _FALLBACK_LINE.match(line):
            fields[match[1]] = FieldValue(match[2].strip(), _at(block, number, match.start(2)), len(match[2]))
    return fields, BlockState.FALLBACK


def read_meant(block: Block, report: Report, finding: Finding) -> tuple[Fields, str]:
    """R-23: YAML where it is YAML, and where it is not, or says something else than its author meant, the meaning."""
    if (plain := _read_plain(block, report, finding, repair=True)) is not None:
        return plain
    if len(block.text) > _LARGEST_BLOCK:
        message = f"the frontmatter is larger than {_LARGEST_BLOCK} characters and is not read"
        report(finding.make("frontmatter-too-large", block.position, message))
        return {}, BlockState.FAILED
    return _read_slowly(block, report, finding)


def _read_plain(block: Block, report: Report, finding: Finding, *, repair: bool) -> tuple[Fields, str] | None:
    """The fast path: a block of one-line values on which no YAML reader could disagree. None leaves it to one."""
    text = block.text
    if UNUSUAL.search(text) or "&" in text or block.position.column != 1:
        return None
    fields: Fields = {}
    broken: list[tuple[str, FieldValue]] = []
    number = block.position.line - 1
    for line in text.split("\n"):
        number += 1
        match = _FAST_LINE.match(line)
        if match is None:
            if line:
                return None
            continue
        key = match[1]
        raw = (match[2] or "").strip(" ")
        if key in fields:
            return None
        place = Position(number, match.start(2) + 1 if raw else len(key) + 2)
        known = canonical(key) if repair else key
        value = classify(raw)
        if value is UNKNOWN and not (known in PATTERN_KEYS and repair and _FLOW_OF_QUOTED.match(raw)):
            return None
        if repair and known in _RAW_KEYS and raw:
            if value is BROKEN and known not in PATTERN_KEYS:
                return None
            if known in PATTERN_KEYS:
                if "\\" in raw or not raw.isascii():
                    return None
                notes: list[str] = []
                field = FieldValue(read_patterns(raw, "", notes), place, len(raw))
                if notes:
                    return None
                if value is BROKEN:
                    broken.append((key, field))
                fields[key] = field
                continue
            if known in BOOL_KEYS and isinstance(value, str):
                return None
            if known in TOKEN_KEYS:
                return None
        if value is BROKEN:
            return None
        fields[key] = FieldValue(value, place, len(raw))
    for key, field in broken:
        report(_repaired(finding, key, field))
    return fields, BlockState.REPAIRED if broken else block.state


def _read_slowly(block: Block, report: Report, finding: Finding) -> tuple[Fields, str]:
    values, error = _whole_yaml(block)
    entries = _split(block)
    if error is not None and not any(canonical(entry.key) in ALL_KEYS for entry in entries):
        _report_invalid(error, block, "none of its lines is a known key", report, finding)
        return {}, BlockState.FAILED
    fields: Fields = {} if error or values is None else _from_yaml(values, block, report, finding)
    repaired = explained = False
    last = {entry.key: entry for entry in entries}
    for entry in entries:
        place = _at(block, entry.line, entry.column)
        whole = values.get(entry.key) if values else None
        if values is not None and last[entry.key] is not entry:
            continue  # reported as a duplicate already
        value, problem = meant_value(entry.key, entry.first, entry.rest, whole=whole.value if whole else UNKNOWN)
        if error is not None and entry.key in fields:
            report(finding.make("duplicate-key", place, f"`{entry.key}` is given twice; the last one counts"))
        fields[entry.key] = field = FieldValue(value, place, len(entry.first))
        if problem:
            repaired = True
            explained = explained or problem.breaks_yaml
            report(_repaired(finding, entry.key, field, problem.message, problem.code))
    if error is not None and not explained:
        _report_invalid(error, block, "each key is read on its own", report, finding)
    _lift_wrapped(fields, report, finding)
    return fields, BlockState.REPAIRED if repaired or error is not None else block.state


def _lift_wrapped(fields: Fields, report: Report, finding: Finding) -> None:
    """Brings known keys that an author nested one level down to the top."""
    for key in WRAPPER_KEYS & fields.keys():
        wrapped = fields[key]
        if not isinstance(wrapped.value, dict):
            continue
        for inner, value in wrapped.value.items():
            if isinstance(inner, str) and canonical(inner) in ALL_KEYS and inner not in fields:
                fields[inner] = FieldValue(value, wrapped.position, wrapped.length)
                message = f"`{inner}` stands inside `{key}`; read as if it stood at the top"
                report(finding.make("frontmatter-repaired", wrapped.position, message))


def _whole_yaml(block: Block) -> tuple[dict[str, YamlValue] | None, YamlError | None]:
    from xcsh.parsing import yaml_reader  # noqa: PLC0415 - a fifth of a light verb's time, and most blocks need none

    try:
        return yaml_reader.read_mapping(block.text), None
    except yaml_reader.YamlError as error:
        return None, error


def _from_yaml(values: dict[str, YamlValue], block: Block, report: Report, finding: Finding) -> Fields:
    fields: Fields = {}
    for key, found in values.items():
        place = _at(block, found.line, found.column)
        if found.duplicate_of is not None:
            report(finding.make("duplicate-key", place, f"`{key}` is given twice; the last one counts"))
        fields[key] = FieldValue(found.value, place)
    return fields


def _split(block: Block) -> list[RawEntry]:
    """The block's entries: every key line at the block's own indentation, with what follows it."""
    matches = list(KEY_LINE.finditer(block.text))
    if not matches:
        return []
    indent = matches[0]["indent"]
    matches = [match for match in matches if match["indent"] == indent]
    ends = [match.start() for match in matches[1:]] + [len(block.text)]
    entries: list[RawEntry] = []
    line = counted = 0
    for match, end in zip(matches, ends, strict=True):
        line += block.text.count("\n", counted, match.start())
        counted = match.start()
        first, _, rest = block.text[match.end() : end].partition("\n")
        lead = len(first) - len(first.lstrip()) if first.strip() else 0
        column = match.end() - match.start() + lead
        entries.append(RawEntry(match["key"], first.strip(), rest.rstrip("\n"), line, column))
    return entries


def _repaired(finding: Finding, key: str, field: FieldValue, message: str = "", code: str = "frontmatter-repaired") -> Diagnostic:
    hint = None
    if canonical(key) in REGEX_KEYS:
        hint = "put the expression in single quotes, in which YAML has no escapes"
    if canonical(key) in PATTERN_KEYS and not message:
        message = f"`{key}` is no YAML; read as the pattern it plainly is"
        hint = (
            'put the patterns in quotes: globs: ["**/*.ts"]'
            if finding.quotes_help
            else "the owning tool needs it exactly so; nothing to do. Tools that read strict YAML drop this block"
        )
    return finding.make(code, field.position, message, length=field.length, hint=hint)


def _report_invalid(error: YamlError, block: Block, consequence: str, report: Report, finding: Finding) -> None:
    message = f"the frontmatter is not YAML ({error.problem}); {consequence}"
    report(finding.make("invalid-frontmatter", _at(block, error.line, error.column), message))


def _at(block: Block, line: int, column: int) -> Position:
    """The place in the file of a 0-based line and column in the block."""
    extra = block.position.column - 1 if line == 0 else 0
    return Position(block.position.line + line, column + 1 + extra)
