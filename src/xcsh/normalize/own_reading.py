"""Says what the owning tool reads otherwise than this project does: files, patterns, texts and lengths (R-62).

What is said changes nothing here. A hint is a spelling that both read as it is meant.
"""

from __future__ import annotations

from collections.abc import Iterable

from xcsh.model.diagnostic import Report, Severity
from xcsh.model.document import Document, FieldValue
from xcsh.model.provider import OwnReading, RuleTable, Spelling
from xcsh.model.source import Source, SourceText
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import WRAPPER_KEYS
from xcsh.parsing.values import elements, mapping

_QUOTES = "\"'`"
_BLOCK_TEXTS = (">", "|")
_HINTS = {
    Spelling.LINE: "write the patterns behind the key, with commas and without quotes",
    Spelling.TEXT: "write one text with commas between the patterns: applyTo: '**/*.ts,**/*.tsx'",
    Spelling.LIST: 'write a list of patterns in quotes: paths: ["**/*.ts"]',
    Spelling.UNSPLIT: 'write a list of patterns in quotes: globs: ["**/*.ts", "**/*.tsx"]',
}


def report_own_reading(
    document: Document, source: Source, table: RuleTable, title: str, report: Report, finding: Finding
) -> None:
    """One finding for each thing that the tool reads otherwise."""
    path, own = document.origin.path, table.own
    if own.ignored and path.endswith(own.ignored):
        message = f"{title} reads no files that end in {path[path.rfind('.') :]} here; this one counts all the same"
        hint = f"let its name end in {source.extensions[0]}"
        report(finding.make("unread-by-tool", None, message, severity=Severity.WARNING, hint=hint))
    if source.limit and len(document.text) > source.limit:
        message = f"{len(document.text):,} characters; {title} takes the first {source.limit:,}"
        report(finding.make("cut-by-tool", None, message))
    if not document.fields:
        return
    key = table.owner.key if table.owner.patterns else table.owner.pattern_key or "globs"
    field = document.fields.get(key) if own.patterns and key is not None else None
    if (
        field is not None
        and key is not None
        and field.value
        and not (_is_bare(field) and own.patterns == Spelling.LINE)
    ):
        _report_patterns(document, key, field, own, title, report, finding)
    field = document.fields.get("description")
    if field is not None and isinstance(field.value, str) and (len(field.value) != field.length or " #" in field.value):
        _report_description(document, field, field.value, own, title, report, finding)
    for key in WRAPPER_KEYS:
        if key in document.fields and mapping(document.fields[key].value):
            message = f"{title} sees no key inside `{key}`; they count here"
            hint = "move the keys to the top of the block"
            report(finding.make("read-otherwise", document.fields[key].position, message, hint=hint))


def _is_bare(field: FieldValue) -> bool:
    """Whether patterns stand behind their key and take no more room there than they have to."""
    listed = elements(field.value) or ()
    return sum(len(each) if isinstance(each, str) else -1 for each in listed) + len(listed) - 1 == field.length


def _report_patterns(
    document: Document, key: str, field: FieldValue, own: OwnReading, title: str, report: Report, finding: Finding
) -> None:
    raw = _raw(document, field)
    listed = not raw or raw.startswith(("[", "- ", "#"))
    what = ""
    if own.patterns == Spelling.LINE:
        what = "takes a list for no patterns" if listed else "takes the quotes for a part of the pattern"
        what = what if listed or raw[0] in _QUOTES else ""
    elif own.patterns == Spelling.TEXT and listed:
        what = "takes a list for no key"
    elif own.patterns == Spelling.LIST and not listed:
        what = "takes a text for no key"
    elif own.patterns == Spelling.UNSPLIT and not listed and "," in raw:
        what = "takes a text for one pattern, commas and all"
    if what:
        message = f"`{key}`: {title} {what}{own.unseen}; read here as meant"
        hint = _HINTS[own.patterns]
        report(finding.make("read-otherwise", field.position, message, length=field.length, hint=hint))


def _report_description(
    document: Document, field: FieldValue, text: str, own: OwnReading, title: str, report: Report, finding: Finding
) -> None:
    raw = _raw(document, field)
    if own.patterns == Spelling.LINE and raw.startswith(_BLOCK_TEXTS):
        message = f"`description`: {title} takes what stands behind the key, `{raw[:3]}`, and not the lines below it"
        report(finding.make("read-otherwise", field.position, message, hint="write it on the line of the key"))
    elif " #" in raw and raw[0] not in _QUOTES and not raw.startswith(_BLOCK_TEXTS) and " #" in text:
        message = f"`description`: a reader of YAML ends it before ` #`, at {raw.partition(' #')[0]!r}"
        report(finding.make("read-otherwise", field.position, message, hint="leave the ` #` away"))


def report_total(texts: Iterable[SourceText], own: OwnReading, report: Report, provider: str) -> None:
    """One finding on the file at which all of them together become more than the tool takes."""
    total = 0
    for text in texts:
        size = len(text.text.encode("utf-8", "replace"))
        total += size
        if total > own.total_bytes:
            lost = min(size, total - own.total_bytes)
            message = (
                f"{own.total_by} takes {own.total_bytes:,} bytes of such files together; of this one {lost:,} are cut"
            )
            report(Finding(text.origin.path, provider).make("cut-by-tool", None, message))
            return


def _raw(document: Document, field: FieldValue) -> str:
    """What stands behind a key on its own line."""
    line, column = field.position
    lines = document.text.split("\n", line)
    return lines[line - 1][column - 1 :].strip() if line <= len(lines) else ""
