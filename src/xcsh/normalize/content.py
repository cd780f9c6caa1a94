"""Reports what is odd about the text and the name of an item, whatever its kind."""

from __future__ import annotations

from xcsh.model.diagnostic import Position, Report
from xcsh.model.document import Document
from xcsh.model.source import SourceText
from xcsh.parsing.finding import Finding
from xcsh.parsing.tokens import estimate_tokens

_LONG = 32_000


def report_content(source: SourceText, document: Document, report: Report, finding: Finding) -> None:
    """Hidden characters, great length, and a name that deceives or breaks a line."""
    if not source.plain:
        from xcsh.parsing.characters import report_hidden  # noqa: PLC0415 - most files are plain

        report_hidden(source.text, report, finding)
    if len(document.body) > _LONG:
        message = f"{len(document.body):,} characters, about {estimate_tokens(document.body):,} tokens"
        report(finding.make("large-rule", Position(document.body_line, 1), message))
    if not document.name.isprintable():
        report(finding.make("name-characters", None, f"the name is {document.name!r}"))
