"""Fields and body of a file, and the line on which the body starts."""

from __future__ import annotations

import pytest

from xcsh.model.document import BlockState, Document
from xcsh.model.source import Level, Origin, SourceText
from xcsh.normalize.document import read_document
from xcsh.parsing.finding import Finding
from xcsh.sources.decode import normalize_lines

BODIES = {
    "right below the fence": ("---\na: 1\n---\nBody.", 4),
    "blank lines before it": ("---\na: 1\n---\n\n \n\nBody.\nMore.", 7),
    "glued to the fence": ("---\na: 1\n---# Title\nBody.", 3),
    "an empty block": ("---\n---\nBody.", 3),
    "an empty block and blank lines": ("---\n---\n\nBody.", 4),
    "an empty line as block": ("---\n\n---\nBody.", 4),
    "blank lines above the block": ("\n\n---\na: 1\n---\nBody.", 6),
    "no opening fence": ("globs: a.ts\n---\nBody.", 3),
    "in a code fence": ("```yaml\n---\na: 1\n---\n```\nBody.", 6),
    "in a code fence, blank lines": ("```yaml\n---\na: 1\n---\n```\n\n\nBody.", 8),
    "a comment above the block": ("<!-- a\nb -->\n---\na: 1\n---\nBody.", 6),
    "a list in the block": ("---\na:\n  - 1\n  - 2\n---\n\nBody.", 7),
    "no block": ("Body.", 1),
}


def document_of(text: str, *, repair: bool) -> Document:
    source = SourceText("a", normalize_lines(text), Origin("cursor", "Cursor", Level.PROJECT, "/p/a.md", 0), (0, 0, ""))
    return read_document(source, lambda _: None, Finding("/p/a.md"), repair=repair)


#
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("repair", [True, False], ids=["repair", "strict"])
@pytest.mark.parametrize(("text", "line"), BODIES.values(), ids=BODIES)
def test_the_line_of_the_body_is_the_one_on_which_it_starts(*, text: str, line: int, repair: bool, ends: str) -> None:
    document = document_of(text.replace("\n", ends), repair=repair)
    lines = text.split("\n")
    assert document.body.split("\n")[0] in lines[document.body_line - 1]
    if repair:
        assert document.body_line == line


#
@pytest.mark.parametrize("repair", [True, False], ids=["repair", "strict"])
@pytest.mark.parametrize("text", ["\n---\n---\n", "---\n---", "---\n---\n", "---\na: 1\n---\n\n\n", "---\na: 1\n---  "])
def test_a_file_without_a_body_names_no_line_behind_its_end(*, text: str, repair: bool) -> None:
    document = document_of(text, repair=repair)
    if document.state != BlockState.ABSENT:
        assert document.body == ""
    assert 1 <= document.body_line <= text.count("\n") + 1
