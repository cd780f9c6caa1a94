"""What a path is really called on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xcsh.sources.spelling import real_spelling, spelled


def test_links_are_followed_and_what_is_not_there_keeps_its_name(tmp_path: Path) -> None:
    #
    (tmp_path / "src").mkdir()
    (tmp_path / "link").symlink_to("src")
    root = os.path.realpath(tmp_path)
    assert real_spelling(f"{root}/link/New.tsx", root) == f"{root}/src/New.tsx"
    assert real_spelling(f"{root}/no/such/file", root) == f"{root}/no/such/file"
    assert real_spelling("/", root) == "/"


@pytest.mark.parametrize("path", ["a\x00b", "x" * 5000, "loop/a"])
def test_what_no_system_can_look_at_stays_as_it_is(tmp_path: Path, path: str) -> None:
    #
    (tmp_path / "loop").symlink_to("loop")
    root = os.path.realpath(tmp_path)
    assert real_spelling(f"{root}/{path}", root) == f"{root}/{path}"


def test_two_files_that_differ_in_case_are_two_where_the_system_says_so(tmp_path: Path) -> None:
    #
    (tmp_path / "Cart.tsx").touch()
    root = os.path.realpath(tmp_path)
    ignores_case = os.path.exists(f"{root}/cart.TSX")
    expected = "Cart.tsx" if ignores_case else "cart.TSX"
    assert real_spelling(f"{root}/cart.TSX", root) == f"{root}/{expected}"
    (tmp_path / "cart.TSX").touch()
    assert real_spelling(f"{root}/cart.TSX", root) == f"{root}/{expected}"


def test_a_name_is_spelled_as_its_folder_has_it_where_case_and_composition_are_no_difference() -> None:
    # what a system that ignores case is asked for
    assert spelled("cart.tsx", ["a", "Cart.tsx"]) == "Cart.tsx"
    assert spelled("cart.tsx", ["Cart.tsx", "cart.tsx"]) == "cart.tsx"
    assert spelled("cafe\u0301", ["caf\u00e9"]) == "caf\u00e9"
    assert spelled("new", ["old"]) == "new"
