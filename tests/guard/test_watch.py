"""Many conditions in one window, over streams that are longer than what is kept of them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.guard.test_window import PATTERNS, cut, texts

from xcsh.guard.condition import Condition
from xcsh.guard.engine import compile_javascript
from xcsh.guard.window import Watch, Window

CONDITIONS = [Condition("r", pattern) for pattern in PATTERNS]
WATCH = Watch(CONDITIONS)
WHOLE = {pattern: compile_javascript(pattern) for pattern in PATTERNS}
LEAD = "hay bail 1; " * 1_000
LEADS = [0, 0, 5_110, 10_236, 11_900]
"""Characters before the text: none, about as many as are looked at, and where the window forgets its beginning."""


@settings(max_examples=150, deadline=None, database=None)
@given(texts, st.lists(st.integers(0, 60), max_size=40), st.sampled_from(LEADS), st.sampled_from([400, 20_000]))
def test_conditions_do_not_see_each_other_and_forget_nothing_that_counts(
    text: str, cuts: list[int], before: int, chunk: int
) -> None:
    # T-7, T-7a: "Any chunking fires the same rules at the same start as one whole-buffer search."
    lead = LEAD[:before]
    window = Window(WATCH)
    chunks = [lead[at : at + chunk] for at in range(0, before, chunk)] + cut(text, cuts)
    found = [hit for piece in chunks for hit in window.feed(piece)] + window.finish()
    starts = {hit.condition.source: hit.start for hit in found}
    assert len(starts) == len(found)
    searched = {pattern: whole.search(lead + text, 0) for pattern, whole in WHOLE.items() if lead + text}
    assert starts == {pattern: match[0] for pattern, match in searched.items() if match is not None}
    assert not any(condition.dead for condition in CONDITIONS)
