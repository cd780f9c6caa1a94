"""How a call is taken apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcsh.slash.invocation import parse_invocation, split_arguments

TEXT = st.text(alphabet="ab1_=\\\"' \t\n\u00a0$é\u0301\u0940\U0001f600", max_size=30) | st.text(
    st.characters(exclude_categories=["M", "Cs", "No"]), max_size=30
)
STAND_IN = "\ufdd0"


def oracle(text: str, *, apostrophes: bool = True) -> tuple[str, ...]:
    """C-21 once more, character by character."""
    if apostrophes:  # a stand-in, which no quote is, for those that are letters
        word = r"(?:[^\W_]|[\u0300-\u036f\u0940])"
        text = re.sub(rf"(?<={word})'(?={word})", STAND_IN, text)
        return tuple(argument.replace(STAND_IN, "'") for argument in oracle(text, apostrophes=False))
    arguments: list[str] = []
    current: str | None = None
    quote = ""
    for character in text:
        if quote:
            if character == quote:
                quote = ""
            else:
                current = (current or "") + character
        elif character in "\"'":
            quote = character
            current = current or ""
        elif character.isspace():
            if current is not None:
                arguments.append(current)
            current = None
        else:
            current = (current or "") + character
    return (*arguments, current) if current is not None else tuple(arguments)


def quoted(argument: str) -> str:
    """An argument as it is typed so that it arrives: each part in the kind of quotes that it does not hold."""
    return '"\'"'.join(f"'{part}'" for part in argument.split("'"))


# C-20
@pytest.mark.parametrize(
    ("text", "name", "raw"),
    [
        ("/review", "review", ""),
        ("/review src", "review", "src"),
        ("/review   a  b  ", "review", "a  b"),
        ("/git:pr a", "git:pr", "a"),
        ("/a/b c", "a/b", "c"),
        ("//x", "/x", ""),
        ("/é\U0001f600 x", "é\U0001f600", "x"),
        ("/-- x", "--", "x"),
    ],
)
def test_a_call_is_a_name_and_the_text_behind_it(text: str, name: str, raw: str) -> None:
    invocation = parse_invocation(text)
    assert invocation is not None
    assert invocation[:2] == (name, raw)
    assert invocation.args == oracle(raw)


# C-20
@pytest.mark.parametrize(
    "text", ["", "/", "/ review", "/\treview", "/\n", " /review", "review", "see /review", "\\/review"]
)
def test_other_text_is_no_call(text: str) -> None:
    assert parse_invocation(text) is None


# EXP-17: any white space ends the name; text behind a line end keeps its line breaks
@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\f"])
def test_any_white_space_ends_the_name(space: str) -> None:
    invocation = parse_invocation(f"/cmd{space}one\n  two\n\nthree")
    assert invocation is not None
    assert invocation == ("cmd", "one\n  two\n\nthree", ("one", "two", "three"))


# C-21, EXP-17; against the report, C-21: there are no backslash escapes
@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("", ()),
        ("   ", ()),
        ("a b", ("a", "b")),
        ("a\t\nb", ("a", "b")),
        ("'a b' c", ("a b", "c")),
        ('"a b" c', ("a b", "c")),
        ('"" b', ("", "b")),
        ("''", ("",)),
        ("a' b 'c d", ("a b c", "d")),
        ('"it\'s"', ("it's",)),
        ("'say \"x\"'", ('say "x"',)),
        ("a\\ b", ("a\\", "b")),
        ('"a\\" b', ("a\\", "b")),
        ("'open to the end", ("open to the end",)),
        ("the users' data", ("the", "users data")),
        ('a "', ("a", "")),
        ('a"b c"d', ("ab cd",)),
        ("KEY='a b' c", ("KEY=a b", "c")),
        ("a_'b c'_d e", ("a_b c_d", "e")),
        ("'it'\"'\"'s one'", ("it's one",)),
        ('"', ("",)),
        ("\"a'", ("a'",)),
        ("$1 {{args}} \\1", ("$1", "{{args}}", "\\1")),
    ],
)
def test_arguments_are_split_at_white_space_outside_quotes(text: str, args: tuple[str, ...]) -> None:
    for apostrophes in (True, False):
        assert split_arguments(text, apostrophes=apostrophes) == args


# C-21, SEC-01: between two letters or digits, of any script and with accents of their own, an apostrophe is one of them
@pytest.mark.parametrize(
    ("text", "args", "in_the_reference"),
    [
        ("don't break it", ("don't", "break", "it"), ("dont break it",)),
        ("l'été d'Élise", ("l'été", "d'Élise"), ("lété dÉlise",)),
        ("cafe\u0301's o'\u0437\u0438", ("cafe\u0301's", "o'\u0437\u0438"), ("cafe\u0301s o\u0437\u0438",)),
        ("O'Brien's 5'9", ("O'Brien's", "5'9"), ("OBriens", "59")),
        ("'don't stop' now", ("don't stop", "now"), ("dont", "stop now")),
        ("KEY='it's late' x", ("KEY=it's late", "x"), ("KEY=its", "late x")),
        ("a'b c'd", ("a'b", "c'd"), ("ab cd",)),
        ("'a b'c d", ("a b'c d",), ("a bc", "d")),
    ],
)
def test_an_apostrophe_in_a_word_is_a_letter_of_it(
    text: str, args: tuple[str, ...], in_the_reference: tuple[str, ...]
) -> None:
    assert split_arguments(text) == args
    assert split_arguments(text, apostrophes=False) == in_the_reference


# C-21: "an apostrophe between two letters or digits is a letter"
@given(TEXT, st.booleans())
def test_splitting_agrees_with_the_rule_written_out(text: str, apostrophes: bool) -> None:  # noqa: FBT001
    assert split_arguments(text, apostrophes=apostrophes) == oracle(text, apostrophes=apostrophes)


# C-21
@given(st.lists(st.text(max_size=12), max_size=6), st.booleans())
def test_any_argument_can_be_quoted(args: list[str], apostrophes: bool) -> None:  # noqa: FBT001
    assert split_arguments(" ".join(quoted(arg) for arg in args), apostrophes=apostrophes) == tuple(args)


# C-20
@given(TEXT)
def test_a_call_loses_nothing_but_white_space_around_its_arguments(text: str) -> None:
    invocation = parse_invocation("/x" + text)
    assert invocation is not None
    assert invocation.name.startswith("x")
    rest = ("/x" + text).removeprefix(f"/{invocation.name}")
    assert rest.strip() == invocation.raw
    assert not invocation.raw or rest[0].isspace()
