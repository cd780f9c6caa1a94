"""Images in the prompt: pasted, dropped and mentioned, over a real session and both sides of the wire."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from tests.llm.wire_models import bodies, until
from tests.session.images.pictures_of import GIF, JPEG, PNG, images_in
from tests.session.sessions import says, slow
from tests.support import Project
from tests.tui.chatting import chat, shown, typed
from textual.events import Paste
from textual.pilot import Pilot

from xcsh.session.images.reading import Image, ImageError
from xcsh.tui.app import ChatApp
from xcsh.tui.input.images import PastedImages, Places, exchange, may_be_dropped, mentions, read_dropped


@pytest.fixture
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with images that people have."""
    folder = tmp_path_factory.mktemp("pictures")
    for name, content in {"shot.png": PNG, "a b 'c'.jpg": JPEG, "x.gif": GIF, "text.png": b"no image"}.items():
        (folder / name).write_bytes(content)
    return folder


async def paste(pilot: Pilot[None], text: str) -> None:
    app = pilot.app
    assert isinstance(app, ChatApp)
    app.prompt.post_message(Paste(text))
    await pilot.pause()


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("what is @shot.png?", ["shot.png"]),
        ("@a/b.PNG, @c.webp. (@d.gif)", ["a/b.PNG", "c.webp"]),
        ('see @"my shots/a b.jpeg" and @\'it"s.jpg\'', ["my shots/a b.jpeg", 'it"s.jpg']),
        (r"@/tmp/a\ b.png", ["/tmp/a b.png"]),
        ("@file:///tmp/a%20b.png @~/c.png", ["file:///tmp/a%20b.png", "~/c.png"]),
        ("me@shot.png @shot.png.txt @shot.pngx @shot @src/a.py @ shot.png @shot.png-old", []),
        ("@" * 5_000 + ".pn", []),
    ],
)
def test_an_image_is_mentioned_by_its_ending_in_quotes_or_without(text: str, paths: list[str]) -> None:
    # S-20
    assert [each.path for each in mentions(text)] == paths
    marks = {each.text: "MARK" for each in mentions(text)}
    assert exchange(text, marks).count("MARK") == len(paths)


def test_a_long_word_takes_no_longer_than_a_line_of_them() -> None:
    # S-20
    began = time.process_time()
    assert mentions(("@" + "a." * 50_000) + " " + '@"' * 20_000) == []
    assert time.process_time() - began < 5


def test_a_dropped_file_is_known_however_the_terminal_writes_it(pictures: Path) -> None:
    # S-20
    places = Places(os.fspath(pictures), os.fspath(pictures))
    odd = os.fspath(pictures / "a b 'c'.jpg")
    for pasted in (
        odd,
        f"{odd}\n",
        f'"{odd}"',
        odd.replace(" ", "\\ ").replace("'", "\\'"),
        "'" + odd.replace("'", "'\\''") + "' ",
        "file://" + odd.replace(" ", "%20").replace("'", "%27"),
        "~/a b 'c'.jpg",
    ):
        assert may_be_dropped(pasted)
        [(_, image)] = read_dropped(pasted, places)
        assert isinstance(image, Image)
        assert image.data == JPEG
    shot = os.fspath(pictures / "shot.png")
    for several in (f"{shot} {pictures}/x.gif", f"{shot}\r\n{odd}", f"'{shot}' \"{pictures}/x.gif\""):
        assert len(read_dropped(several, places)) == 2
    (_, fine), (path, wrong) = read_dropped(f"{shot} {pictures}/text.png", places)
    assert isinstance(fine, Image)
    assert isinstance(wrong, ImageError)
    assert path == f"{pictures}/text.png"


@pytest.mark.parametrize(
    "pasted",
    [
        "shot.png",
        "see ./shot.png",
        "/nowhere/shot.png",
        "https://example.org/shot.png",
        "don't ./x.png",
        "./shot.png text",
    ],
)
def test_a_text_that_is_more_than_paths_of_files_stays_one(pictures: Path, pasted: str) -> None:
    # S-20
    assert read_dropped(pasted, Places(os.fspath(pictures), "/")) == []


def test_two_images_of_one_name_are_told_apart_and_only_the_last_are_held() -> None:
    # S-20
    pasted = PastedImages()
    marks = [pasted.add(Image("/a/[x]\x1b.png", "image/png", bytes([number]))) for number in (1, 2, 1)]
    assert marks[0] == marks[2] != marks[1]
    assert all(mark.isprintable() for mark in marks)
    assert [each.image is not None for each in pasted.in_text(f"{marks[1]} {marks[0]} [image other.png]")] == [
        True, True, False,
    ]  # fmt: skip
    for number in range(40):
        pasted.add(Image(f"{number}.png", "image/png", b""))
    assert pasted.in_text(marks[0])[0].image is None
    assert pasted.add(Image("/a/[x]\x1b.png", "image/png", b"3")) not in marks  # undo may bring them back


def test_an_image_that_stands_in_the_prompt_or_was_pasted_again_is_held() -> None:
    # S-20
    pasted = PastedImages()
    images = [Image(f"{number}.png", "image/png", bytes([number])) for number in range(80)]
    first, second = pasted.add(images[0]), pasted.add(images[1])
    for image in images[2:32]:
        pasted.add(image, first)
    assert pasted.add(images[1], first) == second  # now it is the newest
    for image in images[32:50]:
        pasted.add(image, first)
    assert [each.image for each in pasted.in_text(f"{first} {second}")] == images[:2]
    many = ""
    for image in images:
        many += pasted.add(image, many)
    assert None not in [each.image for each in pasted.in_text(many)]


async def test_a_pasted_path_becomes_an_image_which_is_sent_as_it_was_when_it_was_pasted(
    project: Project, pictures: Path
) -> None:
    # S-20
    async with chat(project, says("a button"), says("ok")) as (app, pilot, server):
        await paste(pilot, f"'{pictures}/shot.png' ")
        await until(lambda: app.prompt.text == "[image shot.png] ")
        (pictures / "shot.png").write_bytes(PNG + b"changed")
        app.prompt.insert("what is it?")
        await pilot.press("enter")
        await until(lambda: len(server.exchanges) == 1)
        assert images_in(bodies(server)[0]) == [(0, "image/png", PNG)]
        await until(lambda: "[image shot.png] what is it?" in shown(app))
        await until(lambda: "a button" in shown(app))
        await typed(pilot, "[image shot.png] once more, and [image gone.png]")
        await until(lambda: len(server.exchanges) == 2)
        assert len(images_in(bodies(server)[1])) == 1
        await until(lambda: "[image gone.png] stands for no image here any more" in shown(app))


async def test_the_path_comes_back_with_undo_and_in_a_shell_command_it_stays_a_path(
    project: Project, pictures: Path
) -> None:
    # S-20
    path = os.fspath(pictures / "shot.png")
    async with chat(project) as (app, pilot, _):
        await paste(pilot, path)
        await until(lambda: app.prompt.text == "[image shot.png]")
        await pilot.press("ctrl+z")
        assert app.prompt.text == path
        app.prompt.put("!ls ")
        await paste(pilot, path)
        await pilot.pause(0.05)
        assert app.prompt.text == f"!ls {path}"


async def test_enter_at_once_waits_for_the_image_and_a_text_with_its_name_stays_text(
    project: Project, pictures: Path
) -> None:
    # S-20
    async with chat(project, says("ok"), says("ok")) as (app, pilot, server):
        app.prompt.post_message(Paste(f"{pictures}/shot.png"))
        await pilot.press("enter")
        await until(lambda: len(server.exchanges) == 1)
        assert len(images_in(bodies(server)[0])) == 1
        await paste(pilot, f"{pictures}/text.png")
        await until(lambda: any("text.png is no image" in note.message for note in app._notifications))
        assert app.prompt.text == f"{pictures}/text.png"


async def test_a_mentioned_image_goes_with_the_text_or_a_sentence_says_why_not(project: Project) -> None:
    # S-20
    project.write({"text.png": "no image", "ui/x": ""})
    (project.root / "ui" / "my shot.png").write_bytes(PNG)
    async with chat(project, says("ok"), says("ok")) as (app, pilot, server):
        await typed(pilot, 'what is @"ui/my shot.png"?')
        await until(lambda: len(server.exchanges) == 1)
        assert images_in(bodies(server)[0]) == [(0, "image/png", PNG)]
        assert bodies(server)[0]["messages"][-1]["content"][0]["text"] == "what is [image ui/my shot.png]"
        await until(lambda: "ok" in shown(app))
        await typed(pilot, "and @text.png, @none.png?")
        await until(lambda: len(server.exchanges) == 2)
        assert bodies(server)[1]["messages"][-1]["content"] == "and @text.png, @none.png?"
        for words in ("text.png is no image", "none.png cannot be read: no such file"):
            assert words in " ".join(shown(app).split())


async def test_what_is_typed_while_a_turn_runs_takes_its_image_along_in_order(project: Project) -> None:
    # S-2, S-20
    project.write({"x": ""})
    (project.root / "shot.png").write_bytes(PNG)
    async with chat(project, slow("a long answer " * 8), says("ok"), says("ok")) as (_, pilot, server):
        await typed(pilot, "go")
        await until(lambda: bool(server.exchanges))
        await typed(pilot, "look at @shot.png", "ctrl+t")
        await typed(pilot, "and then this", "ctrl+t")
        await until(lambda: len(server.exchanges) == 3)
        assert [len(images_in(body)) for body in bodies(server)] == [0, 1, 1]
        assert bodies(server)[2]["messages"][-1]["content"] == "and then this"
