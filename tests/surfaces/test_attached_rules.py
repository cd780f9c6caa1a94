"""The text of attached rules, and which rules a text holds."""

from __future__ import annotations

import pytest
from hypothesis import given as generated
from hypothesis import strategies as st
from tests.guard.rules import rule

from xcsh.surfaces.attached_rules import Given, blocks, given, given_in, held_back, opened

PIECES = [
    "<project-rule ",
    'name="a" path="b" for="c">',
    "\n",
    "</project-rule>",
    "< /project-rule",
    '"',
    "x",
    "\\",
    "é",
]
CONTENT = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)


@generated(st.lists(st.tuples(st.text(max_size=5), CONTENT), min_size=1, max_size=4), st.text(max_size=8))
def test_what_is_written_is_read_again_whole(rules: list[tuple[str, str]], file: str) -> None:
    # "Which rules were delivered is read from the messages"
    written = [rule(name, "x")._replace(content=content) for name, content in rules]
    text = opened(blocks(written, file, "/project"))
    assert given_in(text) == {given(each) for each in written}
    assert given_in(text + "\n" + text) == given_in(text)


@pytest.mark.parametrize("end", [1, 5, 16])
def test_a_block_without_its_end_is_none(end: int) -> None:
    #
    text = blocks([rule("a", "x")], "f", "")
    assert given_in(text) == {Given("a", "content")}
    assert given_in(text[:-end]) == set()


@pytest.mark.parametrize(
    "piece", ["<project-rule ", '<project-rule name="', '<project-rule name="a" path="b" for="c">\n']
)
def test_a_text_of_openings_takes_no_time(piece: str) -> None:
    # a text that would take minutes if it were looked at from every opening
    assert given_in(piece * 200_000) == set()


def test_the_same_change_is_held_back_in_the_same_words() -> None:
    #
    assert held_back("f", [rule("a", "x")]) == held_back("f", [rule("a", "y")])
    assert held_back('f">\n', [rule('a"', "x")]).count("\n") == 0
