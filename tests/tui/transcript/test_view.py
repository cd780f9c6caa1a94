"""The part of a transcript that is in view: it stays where it is, and what is kept of the rest is bounded."""

from __future__ import annotations

import pytest

import xcsh.tui.transcript.view as view_module
from xcsh.tui.transcript.column import Column
from xcsh.tui.transcript.entries import Note
from xcsh.tui.transcript.painter import Painter
from xcsh.tui.transcript.view import View

HEIGHT = 20


def view_of(count: int, lines: int = 1) -> tuple[View, Column]:
    column = Column()
    for at in range(count):
        column.append(Note("\n".join([f"note {at}", *["more"] * (lines - 1)])))
    view = View(column)
    view.painter = Painter(40, {})
    return view, column


def at_line(view: View, number: int) -> str:
    found = view.line(number)
    return found[2].text if found is not None else ""


def test_the_end_is_in_view_until_the_user_scrolls_and_then_that_place_is() -> None:
    # S-25
    view, column = view_of(100)
    assert view.settle(HEIGHT) == column.height - HEIGHT
    top = 100
    view.moved(top, is_end=False)
    assert view.settle(HEIGHT) == top
    assert at_line(view, top + 1) == "note 50"
    for at in range(100):
        column.append(Note(f"late {at}"))
    assert view.settle(HEIGHT) == top
    view.moved(column.height - HEIGHT, is_end=True)
    column.append(Note("the last"))
    assert at_line(view, view.settle(HEIGHT) + HEIGHT - 1) == "the last"


def test_heights_that_turn_out_different_above_do_not_move_what_is_in_view() -> None:
    # S-25
    view, column = view_of(200, lines=3)
    view.settle(HEIGHT)
    view.moved(column.top(100), is_end=False)
    view.settle(HEIGHT)
    view.forget(12)
    view.painter = Painter(20, {})
    for entry in column:
        assert isinstance(entry, Note)
        entry.text = "word " * 40
    while view.has_unmeasured:
        view.measure_some()
        y = view.settle(HEIGHT)
        assert column.at(y)[0] == 100


def test_a_long_transcript_keeps_few_painted_lines_and_lets_the_oldest_go_with_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # S-20
    for name, smaller in (("_MOST_LINES", 4_000), ("_KEPT_LINES", 3_200), ("_MOST_PAINTED", 40)):
        monkeypatch.setattr(view_module, name, smaller)
    view, column = view_of(900, lines=5)
    for entry in column:
        entry.estimate(40)
    y = view.settle(HEIGHT)
    assert 3_000 < column.height <= 4_000
    assert column.entries[0].plain == "… what was before is no longer shown: /export has all of it"
    assert at_line(view, y + HEIGHT - 1) == "more"
    while y > 0:
        y = max(0, y - HEIGHT)
        view.moved(y, is_end=False)
        view.settle(HEIGHT)
    assert sum(entry.strips is not None for entry in column) <= 50
