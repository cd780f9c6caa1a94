"""Makes a SlashCommand of a Document by its provider's table (C-1, C-10 to C-13, C-41)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from xcsh.errors import FrontmatterError
from xcsh.model.command import Kind, SlashCommand
from xcsh.model.diagnostic import Diagnostic, Position, Report
from xcsh.model.document import BlockState, Document, FieldValue
from xcsh.model.provider import CommandTable
from xcsh.model.source import Level
from xcsh.normalize.keys import Fields, command_fields
from xcsh.parsing.block import position_at
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import COMMAND_KEYS
from xcsh.parsing.tool_lists import split_tools
from xcsh.parsing.values import as_text, elements, mapping

if TYPE_CHECKING:
    from xcsh.slash.inspection import TemplateNote

_CUT = 60
_MOST = 20
_FATAL = frozenset({
    "invalid-frontmatter", "unterminated-frontmatter", "frontmatter-not-mapping", "frontmatter-too-large",
})  # fmt: skip


def normalize_command(
    document: Document,
    kind: str,
    table: CommandTable,
    report: Report,
    finding: Finding,
    *,
    repair: bool,
) -> SlashCommand | None:
    """The command that a document holds; None, with a diagnostic, where it is invalid (C-1, R-3)."""
    if not document.body.strip():
        where = Position(document.body_line, 1)
        report(finding.make("empty-rule", where, f"the {kind} has no content; it is skipped and shadows nothing"))
        return None
    fields: Fields = document.fields
    if repair:
        fields = command_fields(fields, COMMAND_KEYS, report, finding)
    stem = table.naming(document.name)
    name = _name(fields, table) or stem
    if not name or any(character.isspace() for character in name):
        message = f"`/{name}` cannot be typed: the name ends at the first white space"
        report(finding.make("unreachable-command", None, message))
    _report_template(document, table, report, finding)
    if kind == Kind.SKILL and repair:
        from xcsh.normalize.skill_limits import report_limits  # noqa: PLC0415 - only where there are skills

        report_limits(document, fields, report, finding)
    sound = document.state not in (BlockState.FAILED, BlockState.FALLBACK)
    return SlashCommand(
        kind,
        name,
        document.body,
        document.origin,
        _description(fields, document, table),
        argument_hint=_text(fields.get("argument-hint")),
        allowed_tools=_tools(fields.get(table.tools_key)),
        model=_text(fields.get("model")),
        model_invocable=sound and not _is_true(fields.get("disable-model-invocation")),
        user_invocable=fields["user-invocable"].value is not False if "user-invocable" in fields else True,
        aliases=tuple(_aliases(document, table, stem)),
        arguments=_names(fields.get("arguments")),
        syntax=table.arguments,
        own_syntax=table.beyond,
        text=document.text,
        grants=table.tools_key == CommandTable._field_defaults["tools_key"],
        line=document.body_line,
        block=document.state,
        rank=document.rank,
    )


def _report_template(document: Document, table: CommandTable, report: Report, finding: Finding) -> None:
    """What is odd about the template, at its place in the file (C-24, C-27): the first 20 of a kind, then a count."""
    body = document.body
    if document.origin.level == Level.NATIVE or ("$" not in body and "{{" not in body):
        return  # what the program brings is not for its user to mend
    from xcsh.slash.inspection import inspect_template  # noqa: PLC0415 - compiles expressions, and many projects need none

    notes = [] if table.beyond else inspect_template(body)  # in another syntax these are no placeholders
    style = table.arguments.includes if table.arguments is not None else None
    if style is not None and "!" in body:
        from xcsh.normalize.include_notes import inspect_includes, places_in  # noqa: PLC0415 - as above

        fields: Fields = document.fields
        notes += inspect_includes(body, style, places_in(table, _names(fields.get("arguments"))))
    by_code: dict[str, list[TemplateNote]] = {}
    for note in notes:
        by_code.setdefault(note.code, []).append(note)
    for code, found in by_code.items():
        for number, note in enumerate(found[: _MOST + 1]):
            inside = position_at(body, note.offset)
            before = document.body_column - 1 if inside.line == 1 else 0
            place = Position(document.body_line + inside.line - 1, before + inside.column)
            message = note.message if number < _MOST else f"and {len(found) - _MOST} more places of this kind"
            report(finding.make(code, place, message, length=note.length))


def fatal_reporter(level: str, report: Report) -> Report:
    """C-13: a reporter that raises for broken frontmatter of what the program itself brings."""
    if level != Level.NATIVE:
        return report

    def raising(diagnostic: Diagnostic) -> None:
        if diagnostic.code in _FATAL:
            line, column = diagnostic.position or (1, 1)
            raise FrontmatterError(diagnostic.path, line, column, diagnostic.message)
        report(diagnostic)

    return raising


def first_line(body: str) -> str:
    """C-11: the first non-blank line, cut to 60 characters with `...` appended when cut."""
    line = next((line.strip() for line in body.split("\n") if line.strip()), "")
    return line if len(line) <= _CUT else line[:_CUT] + "..."


def _name(fields: Fields, table: CommandTable) -> str:
    """C-7: frontmatter `name`, where the provider honours it."""
    return (_text(fields.get("name")) or "").strip() if table.name_key else ""


def _aliases(document: Document, table: CommandTable, stem: str) -> Iterator[str]:
    """Names that always mean this command (C-8, C-40)."""
    if document.origin.plugin:
        yield f"{document.origin.plugin}:{stem}"
    alias = table.alias.format(name=stem, path=document.name)
    if alias and alias != stem:
        yield alias


def _description(fields: Fields, document: Document, table: CommandTable) -> str:
    field = fields.get("description")
    if field is not None and field.value is not None and _is_scalar(field.value):
        text = as_text(field.value).strip()
        if text:
            return text
    if table.description:
        return table.description.format(file=os.path.basename(document.origin.path))
    return first_line(document.body)


def _is_scalar(value: object) -> bool:
    return elements(value) is None and mapping(value) is None


def _text(field: FieldValue | None) -> str | None:
    return None if field is None or field.value is None else _as_written(field.value)


def _as_written(value: object) -> str:
    """A value as text; the list or mapping that YAML makes of an unquoted hint, in its brackets or braces again."""
    listed, mapped = elements(value), mapping(value)
    if listed is not None:
        return f"[{', '.join(_as_written(item) for item in listed)}]"
    if mapped is not None:
        return f"{{{', '.join(f'{key}: {_as_written(item)}' for key, item in mapped.items())}}}"
    return as_text(value)


def _tools(field: FieldValue | None) -> tuple[str, ...]:
    if field is None or field.value is None:
        return ()
    listed = elements(field.value)
    texts = [field.value] if listed is None else listed
    return tuple(tool for text in texts for tool in split_tools(as_text(text)))


def _names(field: FieldValue | None) -> tuple[str, ...]:
    if field is None or field.value is None:
        return ()
    listed = elements(field.value)
    return tuple(as_text(item) for item in listed) if listed is not None else tuple(as_text(field.value).split())


def _is_true(field: FieldValue | None) -> bool:
    """Whether a restriction is given; a value that says neither yes nor no restricts, since that widens nothing."""
    if field is None or field.value is None or field.value is False:
        return False
    return field.value is True or as_text(field.value).lower() not in ("false", "no", "off", "0")
