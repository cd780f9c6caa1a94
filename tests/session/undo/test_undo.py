"""Undo over real files: what is taken back, what is left, and that what the user wrote since is never lost."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.session.undo.journals import Journal, change, killed, outcomes, tree
from tests.support import default_settings

from xcsh.agent.changes.records import DONE, INTENT, MAX_FILE_BYTES
from xcsh.session.store import SessionFile, read_session
from xcsh.session.undo.contents import FolderKeeper, changes_of
from xcsh.session.undo.plan import Outcome
from xcsh.session.undo.taking_back import redo_last, undo, undo_last
from xcsh.session.undo.turn_changes import next_redo, next_undo


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


CONTENTS = [
    b"a\nb\nc\n",
    b"a\r\nb\r\n",
    b"no newline at the end",
    b"\xff\xfe\x80 not UTF-8 \xc3\n",
    b"",
    b"\0\1\2 binary \0",
    "ünï\u2028cøde\n".encode(),
]


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("name", ["plain.txt", "ünï cødé 日本.txt", "-rf", "a\nb", "x" * 255])
def test_a_file_is_restored_byte_for_byte(journal: Journal, work: Path, content: bytes, name: str) -> None:
    (work / name).write_bytes(content)
    change(journal, work, name, b"what the agent wrote\n")
    assert outcomes(journal.undo(work)) == {name: Outcome.RESTORED}
    assert tree(work) == {name: content}


@pytest.mark.parametrize("mode", [0o755, 0o444, 0o600, 0o640])
def test_a_file_keeps_its_mode(journal: Journal, work: Path, mode: int) -> None:
    (work / "run").write_bytes(b"#!/bin/sh\n")
    (work / "run").chmod(mode)
    if mode & 0o200 or os.geteuid() == 0:
        change(journal, work, "run", b"#!/bin/bash\n")
    journal.undo(work)
    assert stat.S_IMODE((work / "run").stat().st_mode) == mode
    assert (work / "run").read_bytes() == b"#!/bin/sh\n"


def test_a_mode_that_the_user_set_since_stays(journal: Journal, work: Path) -> None:
    (work / "run").write_bytes(b"old")
    (work / "run").chmod(0o644)
    change(journal, work, "run", b"new")
    (work / "run").chmod(0o755)
    journal.undo(work)
    assert stat.S_IMODE((work / "run").stat().st_mode) == 0o755
    assert (work / "run").read_bytes() == b"old"


def test_new_files_go_with_the_folders_that_the_turn_made(journal: Journal, work: Path) -> None:
    (work / "there").mkdir()
    change(journal, work, "there/new/deep/a.txt", b"a")
    change(journal, work, "there/new/b.txt", b"b")
    report = journal.undo(work)
    assert tree(work) == {"there": None}
    assert outcomes(report)["there/new/"] == Outcome.REMOVED


def test_a_folder_in_which_the_user_put_something_stays(journal: Journal, work: Path) -> None:
    change(journal, work, "new/a.txt", b"a")
    (work / "new" / "mine.txt").write_bytes(b"mine")
    report = journal.undo(work)
    assert tree(work) == {"new": None, "new/mine.txt": b"mine"}
    assert outcomes(report) == {"new/a.txt": Outcome.REMOVED, "new/": Outcome.LEFT_FOLDER}


def test_of_several_changes_in_a_turn_the_first_content_comes_back(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"0")
    for content in (b"1", b"2", b"1", b"3"):
        change(journal, work, "a", content)
    change(journal, work, "b", b"new")
    assert outcomes(journal.undo(work)) == {"a": Outcome.RESTORED, "b": Outcome.REMOVED}
    assert tree(work) == {"a": b"0"}


def test_a_file_that_was_changed_and_put_back_is_as_before_already(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"0")
    change(journal, work, "a", b"1")
    (work / "a").write_bytes(b"0")
    assert outcomes(journal.undo(work)) == {"a": Outcome.UNCHANGED}


LINES = [b"one\n", b"two\n", b"three\n", b"four\n", b"five\n", b"six\n"]


def test_a_users_change_elsewhere_in_the_file_is_merged(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"".join(LINES))
    change(journal, work, "a", b"".join([b"ONE\n", *LINES[1:]]))
    (work / "a").write_bytes(b"".join([b"ONE\n", *LINES[1:], b"seven, without an end"]))
    assert outcomes(journal.undo(work)) == {"a": Outcome.MERGED}
    assert (work / "a").read_bytes() == b"".join([*LINES, b"seven, without an end"])


@pytest.mark.parametrize("mine", [b"Uno\n", b"ONE\ntwo and a half\n"])
def test_a_users_change_of_the_same_or_the_next_line_is_left_and_shown(
    journal: Journal, work: Path, mine: bytes
) -> None:
    (work / "a").write_bytes(b"".join(LINES))
    change(journal, work, "a", b"".join([b"ONE\n", *LINES[1:]]))
    (work / "a").write_bytes(b"".join([mine, *LINES[2:]]))
    report = journal.undo(work)
    assert outcomes(report) == {"a": Outcome.LEFT_CHANGED}
    assert (work / "a").read_bytes() == b"".join([mine, *LINES[2:]])
    assert "-two" in report.left[0].detail
    assert report.ended
    assert "edit it by hand" in report.text


def test_a_binary_file_that_the_user_changed_is_left(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"\0\n1\n2\n3\n")
    change(journal, work, "a", b"\0\n1\n2\nX\n")
    (work / "a").write_bytes(b"\0\nmine\n1\n2\nX\n")
    assert outcomes(journal.undo(work)) == {"a": Outcome.LEFT_CHANGED}
    assert (work / "a").read_bytes() == b"\0\nmine\n1\n2\nX\n"


def test_a_new_file_to_which_the_user_added_is_left(journal: Journal, work: Path) -> None:
    change(journal, work, "new", b"agent\n")
    (work / "new").write_bytes(b"agent\nuser\n")
    assert outcomes(journal.undo(work)) == {"new": Outcome.LEFT_CHANGED}
    assert (work / "new").read_bytes() == b"agent\nuser\n"


def test_a_file_that_was_deleted_since_stays_deleted(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"old")
    change(journal, work, "a", b"new")
    (work / "a").unlink()
    report = journal.undo(work)
    assert outcomes(report) == {"a": Outcome.LEFT_DELETED}
    assert report.left
    assert tree(work) == {}


def test_a_users_change_between_two_changes_of_the_turn_stays(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"".join(LINES))
    change(journal, work, "a", b"".join([b"ONE\n", *LINES[1:]]))
    (work / "a").write_bytes(b"".join([b"ONE\n", *LINES[1:], b"mine\n"]))
    change(journal, work, "a", b"".join([b"ONE\n", b"two\n", b"THREE\n", *LINES[3:], b"mine\n"]))
    assert outcomes(journal.undo(work)) == {"a": Outcome.MERGED}
    assert (work / "a").read_bytes() == b"".join([*LINES, b"mine\n"])


def test_a_file_that_became_a_link_is_not_written_through(journal: Journal, work: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    (work / "a").write_bytes(b"old")
    change(journal, work, "a", b"new")
    secret.write_bytes(b"new")
    (work / "a").unlink()
    (work / "a").symlink_to(secret)
    assert outcomes(journal.undo(work)) == {"a": Outcome.LEFT_LINK}
    assert secret.read_bytes() == b"new"
    assert (work / "a").is_symlink()


def test_a_folder_on_the_way_that_became_a_link_is_not_followed(journal: Journal, work: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    change(journal, work, "dir/sub/new", b"new")
    (work / "dir" / "sub" / "new").rename(outside / "new")
    (work / "dir" / "sub").rmdir()
    (work / "dir" / "sub").symlink_to(outside)
    report = journal.undo(work)
    assert outcomes(report)["dir/sub/new"] == Outcome.LEFT_LINK
    assert (outside / "new").read_bytes() == b"new"
    assert (work / "dir" / "sub").is_symlink()


def test_a_pipe_in_the_place_of_a_file_is_left_and_not_waited_for(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"old")
    change(journal, work, "a", b"new")
    (work / "a").unlink()
    os.mkfifo(work / "a")
    assert outcomes(journal.undo(work)) == {"a": Outcome.LEFT_LINK}


@pytest.mark.parametrize("path", ["../victim", "/etc/passwd", "a/../../victim", "", ".", "a\0b", "\ud800"])
def test_a_damaged_record_leads_nowhere(journal: Journal, work: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "victim").write_bytes(b"new")
    before, after = journal.keeper.blob(b"old"), journal.keeper.blob(b"new")
    intent = {"id": "1", "turn": "t", "root": os.fspath(work), "path": path, "operation": "write", "before": before}
    notes = [(INTENT, {**intent, "mode": 0o644, "intended": after, "folders": [], "lost": ""})]
    report = undo_last(notes, os.fspath(work), journal.keeper)
    assert report is not None
    assert [item.outcome for item in report.items] == [Outcome.LEFT_OUTSIDE]
    assert (tmp_path / "victim").read_bytes() == b"new"


def test_a_file_of_another_folder_is_left(journal: Journal, work: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a").write_bytes(b"old")
    change(journal, other, "a", b"new")
    assert outcomes(journal.undo(work)) == {os.fspath(other / "a"): Outcome.LEFT_OUTSIDE}
    assert (other / "a").read_bytes() == b"new"


def test_a_file_whose_copy_is_damaged_or_missing_is_left(journal: Journal, work: Path) -> None:
    for name in ("a", "b"):
        (work / name).write_bytes(name.encode())
        change(journal, work, name, b"new")
    copies = {path.read_bytes(): path for path in (journal.base / "contents").rglob("*") if path.is_file()}
    copies[b"a"].write_bytes(b"X")
    copies[b"b"].unlink()
    report = journal.undo(work)
    assert set(outcomes(report).values()) == {Outcome.LEFT_LOST}
    assert tree(work) == {"a": b"new", "b": b"new"}


def test_turns_are_undone_from_the_newest_and_redone_in_reverse(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"0")
    change(journal, work, "a", b"1", "t1")
    change(journal, work, "dir/b", b"b", "t1")
    change(journal, work, "a", b"2", "t2")
    states = [{"a": b"0"}, {"a": b"1", "dir": None, "dir/b": b"b"}, {"a": b"2", "dir": None, "dir/b": b"b"}]
    for _ in range(2):
        assert journal.undo(work).undone == "t2"
        assert tree(work) == states[1]
        assert journal.undo(work).undone == "t1"
        assert tree(work) == states[0]
        assert undo_last(journal.notes, os.fspath(work), journal.keeper) is None
        assert journal.redo(work).ended
        assert tree(work) == states[1]
        assert journal.redo(work).ended
        assert tree(work) == states[2]
        assert redo_last(journal.notes, os.fspath(work), journal.keeper) is None


def test_after_a_new_turn_there_is_nothing_to_redo(journal: Journal, work: Path) -> None:
    change(journal, work, "a", b"1", "t1")
    journal.undo(work)
    change(journal, work, "b", b"1", "t2")
    turns = changes_of(journal.notes)
    assert next_redo(turns) is None
    undone = next_undo(turns)
    assert undone is not None
    assert undone.turn == "t2"


def test_redo_brings_back_what_the_turn_wrote_and_keeps_what_the_user_wrote_since(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"".join(LINES))
    change(journal, work, "a", b"".join([b"ONE\n", *LINES[1:]]))
    journal.undo(work)
    (work / "a").write_bytes(b"".join([*LINES, b"mine\n"]))
    assert outcomes(journal.redo(work)) == {"a": Outcome.MERGED}
    assert (work / "a").read_bytes() == b"".join([b"ONE\n", *LINES[1:], b"mine\n"])


def test_a_redo_does_not_overwrite_a_file_that_the_user_made_meanwhile(journal: Journal, work: Path) -> None:
    change(journal, work, "a", b"agent")
    journal.undo(work)
    (work / "a").write_bytes(b"user")
    assert outcomes(journal.redo(work)) == {"a": Outcome.LEFT_CHANGED}
    assert (work / "a").read_bytes() == b"user"


def test_a_file_with_several_names_is_restored_and_that_is_said(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"old")
    os.link(work / "a", work / "b")
    change(journal, work, "a", b"new")
    report = journal.undo(work)
    assert (work / "a").read_bytes() == b"old"
    assert "hard links" in report.items[0].detail


class FullDisk(FolderKeeper):
    """A keeper whose disk is full."""

    def blob(self, content: bytes) -> str:
        del content
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_on_a_full_disk_undo_fails_changes_nothing_and_can_be_finished_later(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"old")
    change(journal, work, "a", b"new")
    full = FullDisk(os.fspath(journal.base / "contents"), journal.note)
    report = undo_last(journal.notes, os.fspath(work), full)
    assert report is not None
    assert not report.ended
    assert "No space left on device" in report.text
    assert "undo again" in report.text
    assert tree(work) == {"a": b"new"}
    again = journal.undo(work)
    assert again.turn == report.turn
    assert tree(work) == {"a": b"old"}


def test_where_not_even_the_beginning_can_be_recorded_the_report_says_so(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"old")
    change(journal, work, "a", b"new")

    def refuse(kind: str, data: Mapping[str, object]) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    report = undo_last(journal.notes, os.fspath(work), FolderKeeper(os.fspath(journal.base / "contents"), refuse))
    assert report is not None
    assert not report.ended
    assert tree(work) == {"a": b"new"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_content_that_cannot_be_written_leaves_nothing_under_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = FolderKeeper(os.fspath(tmp_path / "contents"), lambda *_: None)
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda _, data, write=os.write: write(full, data))
            with pytest.raises(OSError, match="No space left"):
                keeper.blob(b"content")
    finally:
        os.close(full)
    assert not [path for path in (tmp_path / "contents").rglob("*") if path.is_file()]


def test_contents_are_kept_once_and_for_their_owner_only(journal: Journal) -> None:
    names = {journal.keeper.blob(b"same"), journal.keeper.blob(b"same")}
    (path,) = (path for path in (journal.base / "contents").rglob("*") if path.is_file())
    assert names == {path.name}
    assert path.parent.name == path.name[:2]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert journal.keeper.content(path.name) == b"same"


def test_a_large_file_that_was_written_over_comes_back_but_cannot_be_redone(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"small")
    change(journal, work, "a", b"large" * 100)
    report = undo_last(journal.notes, os.fspath(work), journal.keeper, max_file_bytes=100)
    assert report is not None
    assert tree(work) == {"a": b"small"}
    again = redo_last(journal.notes, os.fspath(work), journal.keeper)
    assert again is not None
    assert outcomes(again) == {"a": Outcome.LEFT_LOST}


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_change_that_never_happened_is_nothing_to_undo(journal: Journal, work: Path, *, confirmed: bool) -> None:
    (work / "a").write_bytes(b"old")
    change(journal, work, "a", None, confirm=confirmed)
    (work / "b").write_bytes(b"old")
    change(journal, work, "b", b"new")
    assert outcomes(journal.undo(work)).get("a") in (Outcome.UNCHANGED, None)
    assert tree(work) == {"a": b"old", "b": b"old"}


@pytest.mark.parametrize("left", [b"", b"the inten", b"the intended content\n"])
@pytest.mark.parametrize("existed", [True, False])
def test_a_write_that_was_cut_short_is_taken_back(journal: Journal, work: Path, left: bytes, *, existed: bool) -> None:
    if existed:
        (work / "a").write_bytes(b"old")
    change(journal, work, "a", b"the intended content\n", confirm=False)
    (work / "a").write_bytes(left)
    journal.undo(work)
    assert tree(work) == ({"a": b"old"} if existed else {})


def test_an_unconfirmed_change_to_which_the_user_added_keeps_what_was_added(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"".join(LINES))
    change(journal, work, "a", b"".join([b"ONE\n", *LINES[1:]]), confirm=False)
    (work / "a").write_bytes(b"".join([b"ONE\n", *LINES[1:], b"mine\n"]))
    journal.undo(work)
    assert (work / "a").read_bytes() == b"".join([*LINES, b"mine\n"])


def test_notes_that_are_torn_or_of_other_kinds_are_passed_over(journal: Journal, work: Path) -> None:
    (work / "a").write_bytes(b"old")
    change(journal, work, "a", b"new")
    odd: list[tuple[str, Mapping[str, object]]] = [
        ("message", {"turn": "t1"}),
        (INTENT, {}),
        (INTENT, {"id": "x", "turn": "t1"}),
        (INTENT, {"id": 1, "turn": None}),
        (DONE, {"id": "nobody", "happened": True}),
        (DONE, {}),
        ("undo_ended", {"turn": "never began", "undoes": "t1"}),
        ("undo_began", {"turn": 1}),
    ]
    report = undo_last([*odd, *journal.notes, *odd], os.fspath(work), journal.keeper)
    assert report is not None
    assert outcomes(report) == {"a": Outcome.RESTORED}


def test_a_working_folder_that_is_gone_is_reported(journal: Journal, work: Path) -> None:
    change(journal, work, "a", b"new")
    (turn,) = changes_of(journal.notes)
    report = undo(turn, os.fspath(work / "gone"), journal.keeper)
    assert not report.ended
    assert "No such file" in report.text


def test_a_sessions_own_file_keeps_the_records(work: Path, tmp_path: Path) -> None:
    # S-13
    (work / "a").write_bytes(b"old")
    with SessionFile.create(os.fspath(tmp_path / "sessions"), cwd=os.fspath(work)) as session:
        notebook = Journal(tmp_path / "journal")
        notebook.keeper = FolderKeeper(os.fspath(tmp_path / "contents"), session.note, session.sync)
        change(notebook, work, "a", b"new")
    notes = read_session(session.path).notes
    with SessionFile.resume(session.path)[0] as session:
        keeper = FolderKeeper(os.fspath(tmp_path / "contents"), session.note, session.sync)
        report = undo_last(notes, os.fspath(work), keeper)
    assert report is not None
    assert outcomes(report) == {"a": Outcome.RESTORED}
    with SessionFile.resume(session.path)[0] as session:
        keeper = FolderKeeper(os.fspath(tmp_path / "contents"), session.note, session.sync)
        assert redo_last(read_session(session.path).notes, os.fspath(work), keeper) is not None
    assert tree(work) == {"a": b"new"}


def test_the_setting_and_the_default_of_the_library_are_the_same() -> None:
    assert default_settings().number("undo.max_file_bytes") == MAX_FILE_BYTES


class Meddling(FolderKeeper):
    """A keeper during whose work somebody else writes a file: after undo has looked at it, before it is replaced."""

    meddle: Callable[[], object] = staticmethod(lambda: None)

    def blob(self, content: bytes) -> str:
        self.meddle()
        return super().blob(content)


@pytest.mark.parametrize("existed", [True, False])
def test_a_file_that_is_written_at_the_very_moment_is_left(journal: Journal, work: Path, *, existed: bool) -> None:
    if existed:
        (work / "a").write_bytes(b"old")
    change(journal, work, "a", b"new")
    keeper = Meddling(os.fspath(journal.base / "contents"), journal.note)
    keeper.meddle = lambda: (work / "a").write_bytes(b"user")
    report = undo_last(journal.notes, os.fspath(work), keeper)
    assert report is not None
    assert outcomes(report) == {"a": Outcome.LEFT_CHANGED}
    assert tree(work) == {"a": b"user"}


def test_a_file_that_is_made_at_the_very_moment_of_a_redo_is_left(journal: Journal, work: Path) -> None:
    change(journal, work, "a", b"new")
    journal.undo(work)
    keeper = Meddling(os.fspath(journal.base / "contents"), journal.note)
    keeper.meddle = lambda: (work / "a").write_bytes(b"user")
    report = redo_last(journal.notes, os.fspath(work), keeper)
    assert report is not None
    assert outcomes(report) == {"a": Outcome.LEFT_CHANGED}
    assert tree(work) == {"a": b"user"}


def test_a_folder_that_becomes_a_link_at_the_very_moment_is_not_followed(
    journal: Journal, work: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_bytes(b"new")
    (work / "dir").mkdir()
    (work / "dir" / "a").write_bytes(b"old")
    change(journal, work, "dir/a", b"new")

    def swap() -> None:
        if not (work / "dir").is_symlink():
            (work / "dir").rename(work / "moved")
            (work / "dir").symlink_to(outside)

    keeper = Meddling(os.fspath(journal.base / "contents"), journal.note)
    keeper.meddle = swap
    report = undo_last(journal.notes, os.fspath(work), keeper)
    assert report is not None
    assert outcomes(report) == {"dir/a": Outcome.LEFT_LINK}
    assert (outside / "a").read_bytes() == b"new"


def test_a_folder_in_which_nothing_may_be_written_is_reported_and_the_rest_undone() -> None:
    # Not below pytest's folder, which is closed to everybody but the user that runs the tests.
    with tempfile.TemporaryDirectory() as name:
        base, work = Path(name), Path(name) / "work"
        base.chmod(0o755)
        journal = Journal(base / "journal")
        (work / "shut").mkdir(parents=True)
        for file in ("shut/a", "open"):
            (work / file).write_bytes(b"old")
            change(journal, work, file, b"new")

        def as_somebody() -> None:
            os.chdir("/")
            if os.geteuid() == 0:  # to whom nothing is forbidden
                for path in base.rglob("*"):
                    os.chown(path, 65534, 65534)
                os.seteuid(65534)
            (work / "shut").chmod(0o555)
            report = journal.undo(work)
            assert outcomes(report) == {"shut/a": Outcome.LEFT_REFUSED, "open": Outcome.RESTORED}
            assert report.ended

        assert not killed(as_somebody)
        assert tree(work) == {"open": b"old", "shut": None, "shut/a": b"new"}
