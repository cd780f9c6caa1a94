"""The matcher: every chunking gives what one search of the finished text gives, and no pattern stalls it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xcsh.guard.condition import Condition
from xcsh.guard.engine import compile_javascript
from xcsh.guard.form import ENDLESS, form_of
from xcsh.guard.window import Found, Watch, Window

PATTERNS = (
    r": any\b", r"any\B", r"foo$", r"(?m)foo$", r"^foo", r"(?m)^foo", r"\bfoo\b", r"foo(?!bar)", r"foo(?=bar)",
    r"(?<=: )any", r"(?<!\w)any!?", r"(?i)FOO\s*bar", r"a.{2}b", r"😀+", r"[^a-z\s]foo", r"(?:foo|any)\b", r"(f)oo\1",
    r"foo\b.*", r"any(?=[^;]*!)", r"(?=\w*bar)foo", r"\s*[^b]$", r"[^b](?!b)o?\b", r"fo{2,3}", r"x?any", r"any(?:;|$)", r"(?s)foo.bar\b", r"\boo|\Bny\b", r"b(?!\s)", r".\b(?:\B)?foo",
    r"(?i)\bé", r"a(?!r )", r"foo\s+\S", r"(?:any){2}", r"\u0061ny\b", r"$", r"foo\b(?!:)", r"(?<=^foo )bar\b",
    r"(f)oo\1?\b", r"(?<n>o)\k<n>\b", r"foo\b|bar$", r"(?i)any$|\bFOO\B", r"😀\B|é$", r"[^]$", r"(?=(o+))\1\b",
    r"(?m)foo[^;\n]*$", r"(?m)^.{1,3}$", r";\S{0,2}\B", r"foo[^!]{0,4}\b", r"(?m)[^-b;]+$", r"foo[\W;]*$", r"o.{0,9}$",
    r"(?m)foo.*$", r"(?s)foo.*$", r"(?i)foo[^B]*$", r"foo\D{0,3}\b(?!;)", r"(?<!b)o\S*$", r"(?<$o>f)\k<$o>?[^;]*$",
)  # fmt: skip
PIECES = (
    "foo",
    "bar",
    "any",
    ": any",
    "thing",
    "😀",
    "é",
    "É",
    " ",
    "\n",
    "a",
    "b",
    "o",
    "!",
    ";",
    "FOO",
    "𝒳",
    "\u2028",
)
WHOLE = {pattern: compile_javascript(pattern) for pattern in PATTERNS}
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def stream(condition: Condition, chunks: list[str]) -> list[Found]:
    window = Window(Watch([condition]))
    found = [hit for chunk in chunks for hit in window.feed(chunk)]
    return found + window.finish()


def cut(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(place % (len(text) + 1) for place in cuts)})
    return [text[start:end] for start, end in itertools.pairwise(places)]


# each text is tried with all patterns: to make it up costs more than to search it
@settings(max_examples=400, deadline=None, database=None)
@given(texts, st.lists(st.integers(0, 60), max_size=40))
def test_any_chunking_fires_where_one_search_of_the_finished_stream_does(text: str, cuts: list[int]) -> None:
    # T-7, T-7a: "Any chunking fires the same rules at the same start as one whole-buffer search."
    chunks = cut(text, cuts)
    for pattern, whole in WHOLE.items():
        match = whole.search(text, 0) if text else None
        found = stream(Condition("r", pattern), chunks)
        assert [hit.start for hit in found] == ([match[0]] if match else []), pattern


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 7, 100])
def test_a_prefix_of_a_longer_word_is_no_match(chunk: int) -> None:
    # T-7a
    text = "const x: anything = 1; const y: anyway"
    assert stream(Condition("r", r": any\b"), [text[at : at + chunk] for at in range(0, len(text), chunk)]) == []


def test_a_match_that_more_text_could_undo_waits_for_it() -> None:
    # T-7a
    window = Window(Watch([Condition("r", r": any\b")]))
    assert window.feed("x: any") == []
    assert [(hit.start, hit.end) for hit in window.feed(";")] == [(1, 6)]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?m)return [^;\n]+$", "return x; done"), (r"(?m)^# .{0,20}$", "# a line that is longer than twenty\n"),
        (r"(?m)log\([^)]*$", "log(x)\n"), (r"-\S{0,2}\B", "-a "), (r"import [^'\"]+\b(?!')", "import foo'"),
    ],
)  # fmt: skip
def test_any_character_may_undo_a_match_that_is_still_open(pattern: str, text: str) -> None:
    # T-7a: "a match that touches the end of the buffer, and that more text could undo"
    assert stream(Condition("r", pattern), list(text)) == []


@pytest.mark.parametrize("pattern", [r"(?m)foo.*$", r"(?s)foo.+?$", r"foo\b[^;]*", r"foo(?= )[^]+\b", r"foo\b\S*.?"])
def test_an_open_match_that_ends_somewhere_in_any_case_fires_at_once(pattern: str) -> None:
    # T-8
    window = Window(Watch([Condition("r", pattern)]))
    assert [hit.start for hit in window.feed("foo ba.r")] == [0]


def test_a_match_that_nothing_can_undo_fires_at_once() -> None:
    # T-8
    window = Window(Watch([Condition("r", r"\bany")]))
    assert [hit.start for hit in window.feed("an any")] == [3]
    window = Window(Watch([Condition("r", r"foo\b.*")]))
    assert [hit.start for hit in window.feed("foo b")] == [0]


def test_an_open_look_ahead_is_held_until_the_next_delta() -> None:
    # T-7a
    window = Window(Watch([Condition("r", r"foo(?!.*bar)")]))
    assert window.feed("foo") == []
    assert [hit.start for hit in window.feed(" ")] == [0]


@pytest.mark.parametrize("chunk", [1, 2, 50])
@pytest.mark.parametrize(
    ("pattern", "text", "start"),
    [
        (r"foo(?=\s*\()", "foo    (x", 0), (r"foo(?=.*bar)", "a foo, then a bar", 2), (r"(?<n>a)b\k<n>", "caba", 1),
        (r"import\s+x", "import      x", 0), (r"(?=.*bar)foo", "foo and bar", 0),
    ],
)  # fmt: skip
def test_what_decides_a_match_may_come_much_later(pattern: str, text: str, start: int, chunk: int) -> None:
    # T-7
    chunks = [text[at : at + chunk] for at in range(0, len(text), chunk)]
    assert [hit.start for hit in stream(Condition("r", pattern), chunks)] == [start]


def test_a_match_far_into_a_stream_keeps_its_offset() -> None:
    # T-7
    condition = Condition("r", r"(?<=\s)needle\b")
    text = "hay " * 10_000 + "needle."
    assert [hit.start for hit in stream(condition, [text[at : at + 5] for at in range(0, len(text), 5)])] == [40_000]


def test_a_pattern_without_an_end_is_disarmed_and_says_so() -> None:
    # T-7
    condition = Condition("r", r"(a*)*\1c\d")
    stream(condition, ["c" + "a" * 4_000, "!"])
    assert condition.dead


@pytest.mark.parametrize(
    ("body", "least", "greatest", "ahead"),
    [
        (r": any\b", 5, 5, 1), (r"\bany", 3, 3, 0), ("a|bcd", 1, 3, 0), ("a{2,4}b*", 2, ENDLESS, 0),
        ("foo(?!ba?r)", 3, 3, 3), ("(?:a$|b)", 1, 1, 1), ("(?<=x)[a-z]", 1, 1, 0), ("😀", 2, 2, 0),
    ],
)  # fmt: skip
def test_widths_and_look_ahead_are_read_from_the_expression(
    body: str, least: float, greatest: float, ahead: float
) -> None:
    assert form_of(body)[:3] == (least, greatest, ahead)


@pytest.mark.parametrize(
    ("body", "literals"),
    [
        (r"\bconsole\.log\(", {"console.log("}), ("foo|bars", {"foo", "bars"}), ("fo*", {"f"}), ("(?:x|y)?abc", {"abc"}),
        (r"\w+", None), ("a|b*", None), ("(?=abc)d", {"d"}), ("(abc)+", {"abc"}), ("ab?cd", {"cd"}),
    ],
)  # fmt: skip
def test_required_literals_are_read_from_the_expression(body: str, literals: set[str] | None) -> None:
    assert form_of(body).literals == literals
