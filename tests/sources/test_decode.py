"""Bytes to text, and where they are no UTF-8."""

from __future__ import annotations

import pytest
from tests.support import Project, entry_of

from xcsh.model.diagnostic import Diagnostic
from xcsh.parsing.finding import Finding
from xcsh.sources.decode import decode

MARK = b"\xef\xbb\xbf"
PLACES = {
    "first": (b"\xe9", (1, 1)),
    "after a line feed": (b"ab\nc\xe9", (2, 2)),
    "after a carriage return": (b"ab\rc\xe9", (2, 2)),
    "after both": (b"ab\r\nc\xe9", (2, 2)),
    "after three ends": (b"a\rb\nc\r\nd\xe9", (4, 2)),
    "right behind a carriage return": (b"ab\r\xe9", (2, 1)),
}


def read(data: bytes) -> tuple[str, list[Diagnostic]]:
    diagnostics: list[Diagnostic] = []
    return decode(data, diagnostics.append, Finding("/p/a.md")), diagnostics


# the place of a byte that is no UTF-8 counts lines as the decoded text does, without a mark
@pytest.mark.parametrize("mark", [b"", MARK], ids=["plain", "marked"])
@pytest.mark.parametrize(("data", "place"), PLACES.values(), ids=PLACES)
def test_the_place_of_a_bad_byte_is_its_place_in_the_text(mark: bytes, data: bytes, place: tuple[int, int]) -> None:
    text, [finding] = read(mark + data)
    assert (finding.code, finding.position) == ("not-utf8", place)
    line, column = place
    assert text.split("\n")[line - 1][column - 1] == "\u00e9"


#
@pytest.mark.parametrize("bad", [b"\xe9", b"\x81"], ids=["Windows-1252", "Latin-1"])
def test_a_mark_is_removed_before_a_text_that_is_no_utf8(bad: bytes) -> None:
    text, [finding] = read(MARK + b"---\nglobs: a.ts\n---\n" + bad)
    assert text.startswith("---\n")
    assert finding.position == (4, 1)


# a failure never widens
def test_a_marked_file_with_a_bad_byte_keeps_what_its_frontmatter_says(project: Project, *, reference: bool) -> None:
    data = MARK + b"---\nalwaysApply: false\nglobs: src/a.ts\n---\ncaf\xe9"
    registry = project({".cursor/rules/a.mdc": data, ".clinerules/b.md": MARK + b"---\npaths: src/**\n---\ncaf\xe9"})
    assert entry_of(registry, "a").rule.globs == ("src/a.ts",)
    assert entry_of(registry, "a").rule.content == "caf\u00e9"
    assert entry_of(registry, "b").bucket != "always_apply"
