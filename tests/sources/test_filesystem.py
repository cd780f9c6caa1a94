"""One file read: what is refused, and that a link cannot be put in its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from xcsh.sources import filesystem
from xcsh.sources.filesystem import ReadRefusedError, lies_in, read_bytes, refusal

LIMIT = 1_000


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """A project's folder that holds `rule.md` and `other/rule.md`, beside a secret that no link may reach."""
    folder = Path(os.path.realpath(tmp_path)) / "project"
    (folder / "other").mkdir(parents=True)
    (folder / "rule.md").write_text("rule")
    (folder / "other" / "rule.md").write_text("other rule")
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "rule.md").write_text("secret")
    return folder


@pytest.fixture(params=["system", "elsewhere"])
def no_proc(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system as it is, and one that cannot say where an open file lies."""

    readlink = os.readlink

    def without_proc(path: str) -> str:
        if str(path).startswith("/proc/"):
            raise FileNotFoundError(path)
        return readlink(path)

    if request.param == "elsewhere":
        monkeypatch.setattr(filesystem.os, "readlink", without_proc)


@pytest.fixture
def descriptors() -> Iterator[None]:
    """Sees to it that no descriptor is left open."""
    before = len(os.listdir("/dev/fd"))
    yield
    assert len(os.listdir("/dev/fd")) == before


def refused(path: Path, folder: Path) -> ReadRefusedError:
    with pytest.raises(ReadRefusedError) as caught:
        read_bytes(str(path), LIMIT, within=str(folder))
    return caught.value


# R-15a
@pytest.mark.usefixtures("no_proc", "descriptors")
def test_files_and_links_inside_the_folder_are_read(inside: Path) -> None:
    (inside / "link.md").symlink_to(inside / "other" / "rule.md")
    (inside / "far.md").symlink_to("link.md")
    assert read_bytes(str(inside / "rule.md"), LIMIT, within=str(inside)) == b"rule"
    for name in ("link.md", "far.md"):
        assert read_bytes(str(inside / name), LIMIT, within=str(inside)) == b"other rule"


# R-15a
@pytest.mark.usefixtures("no_proc", "descriptors")
def test_a_link_that_was_put_in_the_place_of_a_judged_file_is_not_followed(inside: Path) -> None:
    secret = inside.parent / "outside" / "rule.md"
    (inside / "rule.md").unlink()
    (inside / "rule.md").symlink_to(secret)
    problem = refused(inside / "rule.md", inside)
    assert (problem.reason, problem.code) == ("outside-project", "outside-project")
    assert str(secret) in problem.message
    assert read_bytes(str(inside / "rule.md"), LIMIT) == b"secret"


# R-15a
@pytest.mark.usefixtures("no_proc", "descriptors")
def test_a_link_whose_target_changes_between_the_look_and_the_opening_is_not_followed(
    inside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inside / "link.md").symlink_to(inside / "other" / "rule.md")
    resolve = os.path.realpath

    def swapping(path: str) -> str:
        real = resolve(path)
        if not (inside / "other").is_symlink():
            (inside / "other").rename(inside / "moved")
            (inside / "other").symlink_to(inside.parent / "outside")
        return real

    monkeypatch.setattr(filesystem.os.path, "realpath", swapping)
    assert refused(inside / "link.md", inside).reason == "outside-project"


#
@pytest.mark.usefixtures("descriptors")
def test_a_file_that_vanished_is_not_taken_for_a_link(inside: Path) -> None:
    for folder in ("", str(inside)):
        with pytest.raises(ReadRefusedError, match="vanished") as caught:
            read_bytes(str(inside / "gone.md"), LIMIT, within=folder)
        assert (caught.value.reason, caught.value.code) == ("unreadable", "unreadable-file")


#
@pytest.mark.usefixtures("descriptors")
def test_a_link_that_leads_nowhere_or_round_in_a_circle_is_dangling(inside: Path) -> None:
    (inside / "nowhere.md").symlink_to("gone.md")
    (inside / "circle.md").symlink_to("circle.md")
    for name in ("nowhere.md", "circle.md"):
        for folder in ("", str(inside)):
            with pytest.raises(ReadRefusedError) as caught:
                read_bytes(str(inside / name), LIMIT, within=folder)
            assert caught.value.reason == "dangling-link"


def test_an_error_names_its_own_path_where_none_is_given(inside: Path) -> None:
    (inside / "nowhere.md").symlink_to("gone.md")
    reasons: list[str] = []
    for name in ("nowhere.md", "gone.md"):
        with pytest.raises(FileNotFoundError) as caught:
            os.stat(inside / name)
        reasons.append(refusal(caught.value).reason)
    assert reasons == ["dangling-link", "unreadable"]


def test_a_folder_is_not_taken_for_one_whose_name_begins_so() -> None:
    assert lies_in("/a/b", "/a/b")
    assert lies_in("/a/b/c", "/a/b")
    assert lies_in("/a", "/")
    assert not lies_in("/a/bc", "/a/b")
    assert not lies_in("", "/a")
