"""Which files can be sent as images, and what is said of those that cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.session.images.pictures_of import PNG

from xcsh.session import ImageError, read_image
from xcsh.session.images.reading import MOST_BYTES
from xcsh.session.store.marks import MARK, new_mark, without_tokens


def why_not(path: Path, project: str = "") -> str:
    with pytest.raises(ImageError) as raised:
        read_image(path, name="it", project=project)
    assert raised.value.hint
    return str(raised.value)


def test_a_file_is_an_image_by_its_content_and_not_by_its_name(tmp_path: Path) -> None:
    # S-1, S-27
    (tmp_path / "odd.txt").write_bytes(PNG)
    assert read_image(tmp_path / "odd.txt", name="odd").media_type == "image/png"
    (tmp_path / "text.png").write_text("no image")
    (tmp_path / "sound.webp").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    (tmp_path / "empty.gif").touch()
    for name in ("text.png", "sound.webp", "empty.gif"):
        assert why_not(tmp_path / name) == "it is no image: what is in it is no PNG, JPEG, GIF or WebP"


def test_a_huge_file_is_not_read_and_the_largest_that_goes_is(tmp_path: Path) -> None:
    # S-1
    huge = tmp_path / "huge.png"
    huge.write_bytes(PNG)
    os.truncate(huge, 10**12)
    assert why_not(huge) == "it has 1,000,000.0 MB, and an image may have 3.75 MB"
    os.truncate(huge, MOST_BYTES)
    assert len(read_image(huge).data) == MOST_BYTES


def test_folders_pipes_devices_and_what_is_not_there_are_no_images(tmp_path: Path) -> None:
    # S-1
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    assert why_not(tmp_path / "folder.png") == "it is a folder, and no image"
    assert why_not(tmp_path / "pipe.png") == "it is no regular file, and no image"
    assert why_not(Path("/dev/zero")) == "it is no regular file, and no image"
    assert why_not(tmp_path / "none.png") == "it cannot be read: no such file or directory"
    assert why_not(tmp_path / "none\0.png") == "'it' cannot be read: no path holds a null character"


def test_a_link_is_followed_but_not_out_of_the_project(tmp_path: Path) -> None:
    # S-1
    project, outside = tmp_path / "project", tmp_path / "mine.png"
    (project / "sub").mkdir(parents=True)
    outside.write_bytes(PNG)
    (project / "real.png").write_bytes(PNG)
    (project / "out.png").symlink_to(outside)
    (project / "sub" / "in.png").symlink_to("../real.png")
    (project / "up").symlink_to(tmp_path)
    inside = os.fspath(project)
    assert read_image(project / "sub" / "in.png", project=inside).data == PNG
    for name in ("out.png", "up/mine.png"):
        assert why_not(project / name, inside) == "it is a link that leads out of the project"
    assert read_image(outside, project=inside).data == PNG
    assert read_image(project / "out.png").data == PNG
    (tmp_path / "way-in.png").symlink_to(project / "real.png")
    assert read_image(tmp_path / "way-in.png", project=inside).data == PNG


@pytest.mark.parametrize(
    "name", ["a.png", "a b/[c] 'd'#.png", "日本.webp", "x" * 300 + ".gif", "/", "", "new\nline.png", "c:\\x\\y.png"]
)
def test_a_mark_is_one_word_that_is_found_again_whatever_the_name(name: str) -> None:
    # S-1
    mark = str(new_mark(name))
    assert MARK.fullmatch(mark)
    assert len(mark.split()) == 1
    assert len(mark) < 80
    assert without_tokens(f"a {mark} b").startswith("a [image ")
    assert "#" not in without_tokens(mark)
