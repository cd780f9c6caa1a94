"""The value of a pattern key, from its raw text."""

from __future__ import annotations

import pytest

from xcsh.parsing import yaml_reader
from xcsh.parsing.pattern_lists import needs_yaml, patterns_of, read_patterns, split_top_level

BOTH = ["a/**", "b/**"]
COMMENTED = {
    "behind the bracket": ("[ # frontend", '  "a/**",\n  "b/**" ]'),
    "behind an element": ("['a/**' , # x", " 'b/**']"),
    "on lines of their own": ("[", "  # one\n  a/**,\n  # two\n  b/**\n  # three\n]"),
    "behind the last bracket": ("[a/**,", "b/**] # x"),
    "below the last bracket": ("[a/**,", "b/**]\n# x"),
    "above a list": ("# x", "  - a/**\n  - b/**"),
    "in a list": ("", "  # x\n  - a/** # y\n  # z\n  - b/**"),
    "behind a plain line": ("a/**, # x", "  b/**"),
    "in a text": ("|", "  # x\n  a/**\n  # y\n  b/** # z"),
    "behind the mark of a text": ("| # x", "  a/**\n  b/**"),
    "in a folded text": (">-", "  a/** # x\n  # y\n  b/**"),
    "in a text with a list": ("|", "  # x\n  - a/**\n  - b/**"),
    "in a text with brackets": ("|", '  ["a/**", # x\n   "b/**"]'),
}


#
@pytest.mark.parametrize(("first", "rest"), COMMENTED.values(), ids=COMMENTED)
def test_a_comment_is_no_part_of_a_list_and_ends_none(first: str, rest: str) -> None:
    assert read_patterns(first, rest, []) == BOTH


#
def test_a_hash_inside_quotes_or_a_name_is_no_comment() -> None:
    assert read_patterns("['a # b/**',", "c#/**]", []) == ["a # b/**", "c#/**"]
    assert read_patterns("|", "  a#/**", []) == ["a#/**"]


# a rule that says in vain where it applies is not widened
def test_a_text_of_comments_alone_matches_nothing_rather_than_everything() -> None:
    assert read_patterns("|", "  # x\n\n  # y", []) == ["# x", "# y"]
    assert read_patterns("|", "", []) is None
    assert read_patterns("|", " \n", []) is None


NODES = {
    "anchored list": "paths: &a [a/**, b/**]",
    "anchored list below": "paths: &a\n  - a/**\n  - b/**",
    "tagged list": "paths: !!seq [a/**, b/**]",
    "tag in full": "paths: !<tag:yaml.org,2002:seq> [a/**, b/**]",
    "anchored text": "paths: &a a/**, b/**",
    "anchored quoted text": 'paths: &a "a/**, b/**"',
    "anchored text of lines": "paths: &a |\n  # x\n  a/**\n  b/**",
    "tagged text": "paths: !!str a/**, b/**",
    "alias of a list": "foo: &a [a/**, b/**]\npaths: *a",
    "alias of a text": "foo: &a a/**,b/**\npaths: *a",
    "alias and comment": "foo: &a [a/**, b/**]\npaths: *a # x",
    "alias below": "foo: &a [a/**, b/**]\npaths:\n  *a",
    "aliases in a list": "foo: &a a/**\nbar: &b b/**\npaths:\n  - *a\n  - *b",
    "aliases in brackets": "foo: &a a/**\nbar: &b b/**\npaths: [*a, *b]",
    "anchor in a list": "paths:\n  - &a a/**\n  - b/**",
    "anchor in brackets": "paths: [a/**, &a b/**]",
}


#
@pytest.mark.parametrize("text", NODES.values(), ids=NODES)
def test_anchors_aliases_and_tags_are_followed_by_the_yaml_reader(text: str) -> None:
    values = yaml_reader.read_mapping(text)
    assert values is not None
    first, _, rest = text[text.index("paths:") + 6 :].partition("\n")
    assert needs_yaml(first, rest)
    assert patterns_of(values["paths"].value, []) == BOTH


#
@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ("a/**", ""),
        ("a/**, *b", ""),
        ("[a/**, b]", ""),
        ("!src/**", ""),
        ("!src/**, b", ""),
        ("! b", ""),
        ("**/*.ts", ""),
        ("*/a", ""),
        ('"*a"', ""),
        ("'&a'", ""),
        ("", "  - a\n  - '*b'\n  - '!c'"),
        ("# &a", "  - b"),
        ("|", "  *a\n  &b"),
        ("", ""),
    ],
)
def test_no_pattern_is_taken_for_an_anchor_an_alias_or_a_tag(first: str, rest: str) -> None:
    assert not needs_yaml(first, rest)


def test_a_value_of_a_yaml_reader_that_is_no_text_keeps_its_type() -> None:
    assert patterns_of(None, []) is None
    assert patterns_of(1, []) == 1
    assert patterns_of(["a", 1, "a, b", True, ""], []) == ["a", 1, "b", True]
    assert patterns_of(yaml_reader.NESTED, []) is yaml_reader.NESTED


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a,b", ["a", "b"]),
        ("{a,b},c", ["{a,b}", "c"]),
        ("{a,{b,c}},d", ["{a,{b,c}}", "d"]),
        ("{a,b", ["{a", "b"]),
        ("{a,{b,c},d", ["{a", "{b,c}", "d"]),
        ("}a,b{,c}", ["}a", "b{,c}"]),
        ("'a,b',c", ["'a,b'", "c"]),
        (" 'a,b' ,c", [" 'a,b' ", "c"]),
        ("don't,won't", ["don't", "won't"]),
        ("'a,b", ["'a", "b"]),
        ("'{a',b}", ["'{a'", "b}"]),
        ("\u201ca,b\u201d,c", ["\u201ca,b\u201d", "c"]),
        (",,", ["", "", ""]),
    ],
)
def test_commas_inside_braces_and_quotes_separate_nothing(text: str, pieces: list[str]) -> None:
    assert split_top_level(text) == pieces


class Counting(str):
    """A text that counts how many characters are looked at in it by searches and cuts."""

    __slots__ = ()
    looked = 0

    def find(self, *arguments: object) -> int:
        found = super().find(*arguments)
        start = arguments[1] if len(arguments) > 1 else 0
        Counting.looked += (found if found >= 0 else len(self)) - start
        return found

    def __getitem__(self, key: object) -> str:
        found = super().__getitem__(key)
        Counting.looked += len(found)
        return found


# time and memory grow with the input, whatever the input
@pytest.mark.parametrize("unit", ["{", "'", "'a", "\u201c,", "{,", "},{", " ", "' "])
def test_a_list_of_thousands_of_braces_or_quotes_is_gone_over_once(unit: str) -> None:
    for text in (f"a{unit * 20_000},b", f"{unit * 20_000},b"):
        Counting.looked = 0
        pieces = split_top_level(Counting(text))
        assert ",".join(pieces) == text
        assert Counting.looked < 4 * len(text)
