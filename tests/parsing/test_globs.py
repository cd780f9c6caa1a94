"""Path globs: what a bracket, a brace and a backslash mean, and that none of them takes long."""

from __future__ import annotations

import re

import bracex
import pytest

from xcsh.parsing import glob_parts
from xcsh.parsing.glob_parts import git_expressions, part_expression
from xcsh.parsing.globs import compile_names, compile_path, matches, too_many_alternatives

MATCH = [
    ("src/a\\!b", "src/a!b"),
    ("a\\!b", "a!b"),
    ("a\\*b", "a*b"),
    ("a\\?", "a?"),
    ("a\\[b", "a[b"),
    ("a\\]*", "a]c"),
    ("[[:alpha:]]*", "src"),
    ("[[:digit:][:upper:]]", "7"),
    ("[[:digit:][:upper:]]", "A"),
    ("[![:space:]]", "a"),
    ("[[:punct:]]a", "_a"),
    ("[[]*", "[x"),
    ("[[ab]", "["),
    ("[[ab]x", "bx"),
    ("[]a]", "]"),
    ("[!]a]", "b"),
    ("[a-c]", "b"),
    ("[a-]", "-"),
    ("[-a]", "-"),
    ("[^a]", "b"),
    ("[a^]", "^"),
    ("[a\\]b]", "]"),
    ("*a*b*", "xaxbx"),
    ("a**b", "axb"),
    ("**a", "xa"),
    ("a\nb*", "a\nbc"),
    ("a?b", "a\nb"),
]
NO_MATCH = [
    ("src/a\\!b", "src/ab"),
    ("a\\*b", "axb"),
    ("[[:alpha:]]", "1"),
    ("[[:alpha:]]", "\u00e9"),
    ("[[:upper:]]", "a"),
    ("[[]*", "x"),
    ("x[!a]y", "x/y"),
    ("[c-a]", "b"),
    ("*a*b*", "xbxax"),
]
NAMES = [
    ("app/[[...slug]]/*.tsx", "app/[[...slug]]/page.tsx"),
    ("app/[...slug]/*.tsx", "app/[...slug]/page.tsx"),
    ("routes/[[lang]]/*", "routes/[[lang]]/a"),
    ("a[b/*", "a[b/c"),
    ("a[b*", "a[bc"),
    ("[z-a]*", "[z-a]x"),
    ("[[:word:]]*", "[[:word:]]x"),
    ("[]*", "[]x"),
    ("a]*", "a]b"),
    ("a[b[c[*", "a[b[c[d"),
    ("src/a[b/c]d*", "src/a[b/c]de"),
]


# T-5
@pytest.mark.parametrize(("pattern", "path"), MATCH)
def test_a_pattern_matches(pattern: str, path: str) -> None:
    assert matches(pattern, path)
    if "/" not in path:
        assert compile_path(pattern)(path)
        assert compile_names([pattern])(path)


# T-5
@pytest.mark.parametrize(("pattern", "path"), NO_MATCH)
def test_a_pattern_does_not_match(pattern: str, path: str) -> None:
    assert not matches(pattern, path)
    assert not compile_path(pattern)(path)


# T-5, R-23: folders of web frameworks are named so
@pytest.mark.parametrize(("pattern", "path"), NAMES)
def test_brackets_that_are_part_of_a_name_stand_for_themselves(pattern: str, path: str) -> None:
    assert matches(pattern, path)


# what git gives up on matches nothing in an ignore file
@pytest.mark.parametrize("pattern", ["a[b", "*[", "[]", "[!]", "[[:alpha:]", "[[:word:]]", "a\\", "[a\\]", "a[b/c"])
def test_a_pattern_that_git_gives_up_on_matches_nothing_in_an_ignore_file(pattern: str) -> None:
    assert git_expressions(pattern) is None
    for path in (pattern, "a", "[", "a/c", "w"):
        assert not compile_path(pattern)(path)
        assert not compile_names([pattern])(path)
    assert compile_names([pattern, "b*"])("b")


#
def test_a_class_in_an_ignore_file_may_hold_a_slash_and_never_matches_one() -> None:
    assert compile_path("x[a/b]y")("xay")
    assert not compile_path("x[a/b]y")("x/y")
    assert not compile_path("x[!a]y")("x/y")
    assert not compile_path("/x[/]y")("x/y")
    assert not matches("x[a/b]y", "xay")


#
def test_stars_alone_between_slashes_stand_for_any_folders_in_an_ignore_file() -> None:
    for stars in ("**", "***", "****"):
        assert compile_path(f"a/{stars}/b")("a/b")
        assert compile_path(f"a/{stars}/b")("a/x/y/b")
        assert compile_path(f"/{stars}")("a/b")
        assert compile_names([stars])("a")


# T-5, R-24: time and memory grow with the input, whatever the input
@pytest.mark.parametrize(
    "pattern", ["{a," * 5_000, "{a}" * 65, "{" * 65, "{a,b}" + "c" * 5_000, "{" + "a," * 3_000 + "}", "a{b,c}" * 5_000]
)
def test_a_pattern_of_too_many_braces_is_not_looked_at(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def expand(pattern: str, **_: object) -> list[str]:
        raise AssertionError(pattern)

    monkeypatch.setattr(bracex, "expand", expand)
    assert too_many_alternatives(pattern)
    assert not matches(pattern, "a")


def test_a_long_pattern_without_braces_and_one_of_some_braces_are_matched() -> None:
    assert matches("a" * 5_000 + "*", "a" * 5_001)
    assert matches("{a,b}" * 9, "ab" * 4 + "a")
    assert not too_many_alternatives("a" * 5_000)


# time and memory grow with the input, whatever the input
@pytest.mark.parametrize(
    "unit", ["[", "[[", "[a", "[[:", "[[:alpha:]", "[:", "[a-", "[z-a", "[...", "[!", "[]", "[[:a:]", "[z-a]", "[[ab]]"]
)
@pytest.mark.parametrize("end", ["", "]", ":]"])
def test_every_bracket_is_looked_at_once(unit: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    class Counting:
        def match(self, text: str, at: int) -> re.Match[str] | None:
            looked.append(at)
            return member.match(text, at)

    member = glob_parts._MEMBER
    monkeypatch.setattr(glob_parts, "_MEMBER", Counting())
    pattern = unit * 2_000 + end
    for read in (part_expression, git_expressions):
        looked.clear()
        read(pattern)
        assert len(looked) <= len(pattern)
