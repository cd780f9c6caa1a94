"""A file that is replaced is the old one or the new one, and nothing stays beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xcsh.sources.replacing import replace_file
from xcsh.sources.state_folder import state_folder


def test_the_mode_of_a_file_is_kept_and_a_new_one_gets_the_one_that_is_given(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"x")
    old.chmod(0o640)
    replace_file(os.fspath(old), b"y")
    replace_file(os.fspath(new), b"z", mode=0o644)
    assert [(each.read_bytes(), each.stat().st_mode & 0o777) for each in (old, new)] == [(b"y", 0o640), (b"z", 0o644)]


def test_what_cannot_be_replaced_stays_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "around"
    (place / "folder").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        replace_file(os.fspath(place / "folder"), b"y")
    assert [each.name for each in place.iterdir()] == ["folder"]


def test_a_relative_state_folder_counts_as_none() -> None:
    home = os.path.join(os.sep, "h")
    assert state_folder({"XDG_STATE_HOME": "state"}, home) == os.path.join(home, ".local", "state", "xcsh")
    assert state_folder({"XDG_STATE_HOME": os.sep + "s"}, home) == os.path.join(os.sep, "s", "xcsh")
