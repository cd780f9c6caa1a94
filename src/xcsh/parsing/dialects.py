"""The slow path of frontmatter: YAML, and where it fails or misleads, what the dialects mean."""

from __future__ import annotations

import re

from xcsh.model.diagnostic import Position, Report
from xcsh.model.document import BlockState, FieldValue
from xcsh.parsing.block import Block
from xcsh.parsing.entries import RawEntry, split_entries
from xcsh.parsing.finding import Finding
from xcsh.parsing.intent import holds_narrowing_key
from xcsh.parsing.keys import ALL_KEYS, WRAPPER_KEYS, canonical
from xcsh.parsing.meant import Problem, error_alone, meant_value
from xcsh.parsing.mistakes import LineMistake, first_mistake, hint_for_no_mapping, mistake_at, mistake_of_opening
from xcsh.parsing.plain import Fields, repaired
from xcsh.parsing.scalars import UNKNOWN
from xcsh.parsing.values import mapping
from xcsh.parsing.yaml_reader import YamlError, YamlValue, read_mapping

_FALLBACK_LINE = re.compile(r"^(\w+):\s*(.*)$", re.ASCII)


def read_strict(block: Block, report: Report, finding: Finding) -> tuple[Fields, str]:
    """R-22: YAML, or where that fails each `key: value` line as a string."""
    values, error = _whole_yaml(block)
    if error is None:
        return ({} if values is None else _from_yaml(values, block, report, finding)), BlockState.READ
    _report_invalid(error, block, "read line by line, every value as text", report, finding)
    fields: Fields = {}
    for number, line in enumerate(block.text.split("\n")):
        if match := _FALLBACK_LINE.match(line):
            fields[match[1]] = FieldValue(match[2].strip(), _at(block, number, match.start(2)), len(match[2]))
    return fields, BlockState.FALLBACK


def read_meant(block: Block, report: Report, finding: Finding) -> tuple[Fields, str]:
    """R-23, for a block that is not plain."""
    values, error = _whole_yaml(block)
    entries = split_entries(block)
    if error is None:
        if values is None:
            message = "the block between the fences is no mapping of keys; it is kept as body"
            hint = hint_for_no_mapping(block.text)
            report(finding.make("frontmatter-not-mapping", block.position, message, hint=hint))
            return {}, BlockState.FAILED
        entries = [entry for entry in entries if entry.key in values]  # the others stand inside a value
    if error is not None and not any(canonical(entry.key) in ALL_KEYS for entry in entries):
        _report_invalid(error, block, "none of its lines is a known key", report, finding)
        return {}, BlockState.FAILED
    fields: Fields = {} if error or values is None else _from_yaml(values, block, report, finding)
    mended = False
    explained = error is not None and bool(entries) and _report_head(block, entries[0].line, report, finding)
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
            mended = True
            explained = explained or problem.breaks_yaml
            _report_problem(problem, entry, field, block, report, finding)
    _lift_wrapped(fields, report, finding)
    if error is not None and not explained:
        _report_invalid(error, block, "each key is read on its own", report, finding)
        return fields, BlockState.FALLBACK
    if error is not None and any(holds_narrowing_key(entry.rest) for entry in entries):
        return fields, BlockState.FALLBACK  # a wrong indentation made a key a part of the one above
    return fields, BlockState.REPAIRED if mended else block.state


def _lift_wrapped(fields: Fields, report: Report, finding: Finding) -> None:
    """Brings known keys that an author nested one level down to the top."""
    for key in WRAPPER_KEYS & fields.keys():
        wrapped = fields[key]
        for inner, value in (mapping(wrapped.value) or {}).items():
            if isinstance(inner, str) and canonical(inner) in ALL_KEYS and inner not in fields:
                fields[inner] = FieldValue(value, wrapped.position, wrapped.length)
                message = f"`{inner}` stands inside `{key}`; read as if it stood at the top"
                hint = "move it to the top of the block"
                report(finding.make("frontmatter-repaired", wrapped.position, message, hint=hint))


def _whole_yaml(block: Block) -> tuple[dict[str, YamlValue] | None, YamlError | None]:
    try:
        return read_mapping(block.text), None
    except YamlError as error:
        return None, error


def _from_yaml(values: dict[str, YamlValue], block: Block, report: Report, finding: Finding) -> Fields:
    fields: Fields = {}
    for key, found in values.items():
        place = _at(block, found.line, found.column)
        if found.duplicate_of is not None:
            report(finding.make("duplicate-key", place, f"`{key}` is given twice; the last one counts"))
        fields[key] = FieldValue(found.value, place)
    return fields


def _report_problem(
    problem: Problem, entry: RawEntry, field: FieldValue, block: Block, report: Report, finding: Finding
) -> None:
    if not problem.breaks_yaml:
        report(repaired(finding, entry.key, field, problem.message, problem.code, hint=problem.hint))
    elif mistake := _mistake_below(entry):
        consequence = "the other keys are read" if mistake.loses_key else "each key is read on its own"
        _report_line(mistake, block, entry.line + 1, consequence, report, finding)
    else:
        message, code = problem.message, problem.code
        report(repaired(finding, entry.key, field, message, code, raw=entry.first, below=entry.rest))


def _mistake_below(entry: RawEntry) -> LineMistake | None:
    """What is wrong in a line below the key's own, as far as a line can tell."""
    error = error_alone(entry.first, entry.rest) if entry.rest.strip() else None
    if error is None or error[0] == 0:
        return None
    line, column, opened = error
    lines = entry.rest.split("\n")
    if opened:
        return mistake_of_opening(lines, line - 1, column, opened)
    return mistake_at(lines, line - 1, below=entry.key)


def _report_head(block: Block, end: int, report: Report, finding: Finding) -> bool:
    """Reports a line above the first key that is no YAML; whether there is one."""
    mistake = first_mistake(block.text.split("\n")[:end])
    if mistake is not None:
        consequence = "the other keys are read" if mistake.loses_key else "each key is read on its own"
        _report_line(mistake, block, 0, consequence, report, finding)
    return mistake is not None


def _report_line(
    mistake: LineMistake, block: Block, start: int, consequence: str, report: Report, finding: Finding
) -> None:
    message = f"the frontmatter is not YAML: {mistake.message}; {consequence}"
    place = _at(block, start + mistake.line, mistake.column)
    report(finding.make("invalid-frontmatter", place, message, length=mistake.length, hint=mistake.hint))


def _report_invalid(error: YamlError, block: Block, consequence: str, report: Report, finding: Finding) -> None:
    lines = block.text.split("\n")
    if error.opened:
        mistake = mistake_of_opening(lines, error.line, error.column, error.opened)
    else:
        mistake = mistake_at(lines, error.line)
    if mistake is not None:
        _report_line(mistake, block, 0, consequence, report, finding)
        return
    message = f"the frontmatter is not YAML ({error.problem}); {consequence}"
    report(finding.make("invalid-frontmatter", _at(block, error.line, error.column), message))


def _at(block: Block, line: int, column: int) -> Position:
    """The place in the file of a 0-based line and column in the block."""
    extra = block.position.column - 1 if line == 0 else 0
    return Position(block.position.line + line, column + 1 + extra)
