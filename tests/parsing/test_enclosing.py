"""Text between tags that nothing in it can leave."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from xcsh.parsing.enclosing import attribute, closing_of, enclosed

CLOSING = closing_of("project-rule")
PIECES = st.lists(
    st.sampled_from(["<", "/", " ", "\n", "\\", "project-rule", "PROJECT-RULE", ">", "a", '"']), max_size=12
)


@given(PIECES)
def test_no_content_ends_its_block(pieces: list[str]) -> None:
    # R-54, T-10: "content unable to close its block"
    content = "".join(pieces)
    kept = enclosed(content, CLOSING)
    assert not re.search(r"(?i)<\s*/\s*project-rule", kept)
    assert re.sub(r"<(\s*)\\/", r"<\1/", kept) == re.sub(r"<(\s*)\\/", r"<\1/", content)


def test_a_name_that_is_no_text_becomes_one() -> None:
    # a file name of other bytes
    assert attribute("a\udcff") == "a\\udcff"


@given(st.text())
def test_no_attribute_ends_before_its_quote_or_holds_a_line_break_or_a_tag(text: str) -> None:
    # R-54, T-10
    assert not set(attribute(text)) & set('"<>\n\r\t')
