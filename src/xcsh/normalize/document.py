"""Takes a file apart into fields and body (R-20 to R-23)."""

from __future__ import annotations

from xcsh.model.diagnostic import Report
from xcsh.model.document import BlockState, Document
from xcsh.model.source import SourceText
from xcsh.parsing.block import find_strict
from xcsh.parsing.finding import Finding
from xcsh.parsing.frontmatter import find_meant, read_meant, read_strict


def read_document(source: SourceText, report: Report, finding: Finding, *, repair: bool) -> Document:
    """The document of a file. A block that was begun and cannot be read stays in the body, in state FAILED."""
    text = source.text
    block = find_meant(text, report, finding) if repair else find_strict(text)
    if block is None:
        return plain_document(source)
    if block.state == BlockState.FAILED:
        return plain_document(source, BlockState.FAILED)
    fields, state = (read_meant if repair else read_strict)(block, report, finding)
    if state == BlockState.FAILED:
        return plain_document(source, BlockState.FAILED)
    body = text[block.body_start :]
    blank = len(body) - len(body.lstrip())
    line = text.count("\n", 0, block.body_start + blank) + 1
    return Document(source.name, source.origin, body.strip(), fields, line, state, source.rank, text)


def plain_document(source: SourceText, state: str = BlockState.ABSENT) -> Document:
    """A file whose whole text is its body, as it stands."""
    return Document(source.name, source.origin, source.text, {}, 1, state, source.rank, source.text)
