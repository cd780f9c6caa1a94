"""The history of what was typed: kept per project, and walked through and searched at the prompt; long pastes."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcsh.tui.input.history import MOST, History, append_history, history_file, read_history
from xcsh.tui.input.history_search import HistorySearch
from xcsh.tui.input.pasting import Pastes


def test_a_history_is_kept_for_each_project_and_for_its_owner_alone(tmp_path: Path) -> None:
    # S-20
    path = history_file({}, os.fspath(tmp_path), "/p/a")
    assert path.startswith(os.fspath(tmp_path / ".local" / "state" / "xcsh" / "history"))
    assert path != history_file({}, os.fspath(tmp_path), "/p/b")
    assert history_file({"XDG_STATE_HOME": "/state"}, "/h", "/p/a").startswith("/state/xcsh/history/")
    append_history(path, "one\ntwo")
    append_history(path, "three \x1b[2J")
    append_history(path, "one\ntwo")
    assert read_history(path) == ["three \x1b[2J", "one\ntwo"]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_several_programs_may_write_at_once(tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "h.jsonl")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: append_history(path, f"text {number} " + "x" * 5_000), range(80)))
    assert len(read_history(path)) == 80


def test_damaged_lines_are_left_out_and_a_file_that_is_none_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    path.write_bytes(b'{"text": "a"}\n{"te\n[1]\n{"text": 5}\n\xff\xfe\n{"text": "b"}\n')
    assert read_history(os.fspath(path)) == ["a", "b"]
    assert read_history(os.fspath(tmp_path / "gone")) == []
    assert read_history(os.fspath(tmp_path)) == []


def test_a_file_that_has_grown_too_long_keeps_the_newest(tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "h.jsonl")
    for number in range(3_000):
        append_history(path, f"text {number}", most_bytes=20_000)
    assert os.path.getsize(path) <= 21_000
    assert read_history(path)[-1] == "text 2999"
    append_history(path, "x" * 30_000)
    assert read_history(path)[-1] == "text 2999"


def test_a_file_that_cannot_be_read_is_not_replaced_by_an_empty_one(tmp_path: Path) -> None:
    # S-20
    pipe = tmp_path / "h.jsonl"
    os.mkfifo(pipe)
    other_end = os.open(pipe, os.O_RDWR)
    try:
        with pytest.raises(OSError, match="seek"):
            append_history(os.fspath(pipe), "text", most_bytes=-1)
    finally:
        os.close(other_end)
    assert pipe.is_fifo()


def test_a_text_that_begins_with_a_space_is_not_kept() -> None:
    past = History()
    assert past.add("said")
    assert not past.add(" secret")
    assert not past.add("said")
    assert list(past.texts) == ["said"]


def test_a_walk_comes_back_to_what_was_being_typed() -> None:
    past = History(["a", "b"])
    assert (past.older("draft"), past.older("b"), past.older("a")) == ("b", "a", None)
    assert (past.newer(), past.newer(), past.newer()) == ("b", "draft", None)
    assert History().older("draft") is None


@given(st.lists(st.text(" ab", max_size=3), max_size=20), st.lists(st.text("ab", min_size=1, max_size=2), max_size=5))
def test_a_history_holds_a_text_once_and_no_more_than_it_may(said: list[str], kept: list[str]) -> None:
    past = History()
    for text in said:
        past.add(text)
    past.load(kept)
    assert len(set(past.texts)) <= len(past.texts) <= MOST
    assert all(text.strip() and not text.startswith(" ") for text in past.texts)


def test_the_search_finds_the_newest_that_begins_so_and_gives_back_what_was_there() -> None:
    # S-20: prefix search
    search = HistorySearch(History(["fix the cart", "the fix", "fix the shop"]))
    assert search.key("ctrl+r", None, "draft") == (True, None)
    assert search.key("f", "f", "draft") == (True, "fix the shop")
    assert search.key("ctrl+r", None, "") == (True, "fix the cart")
    assert search.key("ctrl+r", None, "") == (True, "the fix")
    assert search.key("ctrl+r", None, "") == (True, "the fix")
    assert "search the history: f_" in search.title
    assert search.key("x", "x", "") == (True, "draft")
    assert "nothing holds this" in search.title
    assert search.key("escape", None, "") == (True, "draft")
    assert not search.is_open
    search.key("ctrl+r", None, "draft")
    assert search.key("left", None, "") == (False, None)
    assert not search.is_open


def test_pasted_texts_and_the_history_hold_a_bounded_number_of_letters() -> None:
    # S-20
    pastes = Pastes(most_letters=50_000)
    mark = pastes.fold("a" * 10_000)
    others = [pastes.fold(f"{number:05}" * 2_000, f"see {mark}") for number in range(100)]
    held = [each for each in (mark, *others) if pastes.unfold(each) != each]
    assert held == [mark, *others[-4:]]  # what stands in the prompt, and what was pasted last
    assert pastes.lost(f"{others[0]} {others[-1]} {mark} [pasted 3 lines]") == [others[0]]
    again = pastes.fold("00000" * 2_000, mark)
    assert again not in (mark, *others)  # undo may bring the old mark back: it must not stand for something else
    assert pastes.unfold(again) == "00000" * 2_000

    past = History(most_letters=1_000)
    for number in range(100):
        past.add(f"{number:02}" * 50)
    assert list(past.texts) == [f"{number:02}" * 50 for number in range(90, 100)]
    past.add("x" * 5_000)
    assert list(past.texts) == ["x" * 5_000]


def test_a_long_paste_is_one_mark_that_stands_for_all_of_it() -> None:
    pastes = Pastes()
    long = "\n".join(f"line {number}" for number in range(214))
    mark = pastes.fold(long)
    assert mark == "[pasted 214 lines]"
    other = pastes.fold(long.upper())
    assert other == "[pasted 214 lines #2]"
    assert pastes.fold(long) == mark
    assert pastes.fold("x" * 5_000) == "[pasted 5,000 letters]"
    assert pastes.fold("a\r\nb") == "a\nb"
    assert pastes.unfold(f"see {mark} and {other}, not [pasted 3 lines]") == (
        f"see {long} and {long.upper()}, not [pasted 3 lines]"
    )
    assert pastes.unfold(pastes.fold(f"{mark}\n" * 20)) == f"{mark}\n" * 20
