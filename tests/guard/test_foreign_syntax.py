"""Expressions that are written for another engine, and compile."""

from __future__ import annotations

import time

import pytest
from tests.guard.rules import findings, guard, rule, stream
from tests.support import Project

from xcsh.diagnosis import with_stream_findings
from xcsh.guard.expressions import foreign_syntax
from xcsh.normalize.foreign_syntax import advice_on
from xcsh.parsing.patterns import problem_of
from xcsh.parsing.scopes import meant_scope, parse_scope


# T-2: "every translation difference is documented"
@pytest.mark.parametrize(
    ("source", "reading", "advice"),
    [
        ("/todo/i", "the slashes around it and the `i` behind it are read as text", "write `(?i)todo`"),
        ("/todo/g", "the slashes around it and the `g`", "write `todo`"),
        (r"/a\/b[/]c/gim", "`gim`", r"write `(?im)a\/b[/]c`"),
        (r"\Atodo", r"`\A` is read as the letter A", r"for the start write `^`, for a backslash `\\A`"),
        (r"todo\Z", r"`\Z` is read as the letter Z", "for the end write `$`"),
        (r"\h+x", r"`\h` is read as the letter h", r"write `[ \t]`"),
        (r"\Qa.b\E", r"`\Q`", "a backslash before each"),
        (r"C:\Users", r"`\U` is read as the letter U", r"write for a backslash `\\U`"),
        (r"[\A]x", r"`\A`", "`^`"),
        ("[[:alpha:]]", "no classes such as `[:alpha:]`", "[A-Za-z]"),
        (r"\p{L}", r"`\p{L}` is read as the text `p{L}`", "range"),
        (r"\u{1F600}", r"`\u{1F600}` is read as the text `u{1F600}`", "the character itself"),
        (r"\x{41}", r"`\x{41}`", "the character itself"),
        ("a{,3}b", "`{,3}` is read as text", "write `{0,3}`"),
    ],
)
def test_a_part_that_another_engine_reads_differently_is_found(source: str, reading: str, advice: str) -> None:
    assert problem_of(source) is None
    (item,) = [item for item in findings(rule("r", source)) if item.code == "foreign-syntax"]
    assert item.severity == "warning"
    assert reading in item.message
    assert advice in item.hint


def test_an_expression_that_is_mended_as_the_hint_says_matches_what_was_meant() -> None:
    # T-2
    assert stream(guard(rule("r", "/todo/i")), "a ToDo", source="text") == []
    assert stream(guard(rule("r", "(?i)todo")), "a ToDo", source="text")
    assert stream(guard(rule("r", r"\Atodo")), "todo", source="text") == []
    assert stream(guard(rule("r", "^todo")), "todo", source="text")


# T-2: what JavaScript knows, and texts that only look alike
@pytest.mark.parametrize(
    "source",
    [
        r"\d\D\w\W\s\S\bx\B", r"\cA\x41\u0041\f\v\t\r\n\0", r"(?<n>a)\k<n>\1", r"\\A", r"\/x\/i", "/api/v1", "/etc/",
        "/a/b/i", "/x/gg", "[[:]a", r"a\{,3}", r"\<b\>", r"\.\-\@", "a{0,3}b", "(?i)todo", r"\\p{L}",
    ],
)  # fmt: skip
def test_an_expression_in_javascripts_syntax_is_no_finding(source: str) -> None:
    assert problem_of(source) is None
    assert foreign_syntax(source) is None


def test_a_backslash_before_a_letter_that_needs_none_is_for_information(project: Project) -> None:
    # T-2: it may well be harmless
    registry = project({".xcsh/rules/a.md": "---\ncondition: foo\\y[0-9]\n---\nBody."})
    (item,) = with_stream_findings(registry).diagnostics
    assert (item.code, item.severity, item.position) == ("foreign-syntax", "information", (2, 12))


# time grows with the input, whatever the input
@pytest.mark.parametrize("part", ["[", "[[", "/[", "(?P<", "a  ", "  ", "\\p{", "{,", "(?", "[:", '"', ",", "*+", "/a"])
def test_long_expressions_and_scopes_are_looked_at_in_a_moment(part: str) -> None:
    text = part * (120_000 // len(part))
    begun = time.process_time()
    for source in (text, f"x{text}]", f"/{text}/i"):
        foreign_syntax(source)
        advice_on(source, "nothing to repeat")
        meant_scope(source)
        parse_scope(f"tool:edit({source})")
    assert time.process_time() - begun < 5
