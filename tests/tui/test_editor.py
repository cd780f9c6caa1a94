"""The user's editor: which it is, how it is called, and that no text is lost in it."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import pytest
from tests.llm.wire_models import until

from xcsh.errors import UsageError
from xcsh.tui.editor import Edited, edit_text, open_in_editor
from xcsh.tui.known_editors import Editor, find_editor


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for the user goes with the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(folder))


CALLS = {
    "vim": ["vim", "+7", "/f"],
    "/usr/bin/nvim -f": ["/usr/bin/nvim", "-f", "+7", "/f"],
    "nano": ["nano", "+7", "/f"],
    "emacs -nw": ["emacs", "-nw", "+7", "/f"],
    "micro": ["micro", "+7", "/f"],
    "hx": ["hx", "/f:7"],
    "code": ["code", "--goto", "/f:7"],
    "cursor": ["cursor", "--goto", "/f:7"],
    "zed": ["zed", "/f:7"],
    "subl": ["subl", "/f:7"],
    "idea": ["idea", "--line", "7", "/f"],
    "Code.exe": ["Code.exe", "--goto", "/f:7"],
    "my-own": ["my-own", "/f"],
}
WAITING = {
    "code": ["code", "--wait", "/f"],
    "code -w": ["code", "-w", "/f"],
    "subl --wait": ["subl", "--wait", "/f"],
    "gvim": ["gvim", "--nofork", "/f"],
    "idea": ["idea", "--wait", "/f"],
    "vim": ["vim", "/f"],
}


def program(folder: Path, name: str, script: str) -> str:
    """An editor of the test's own; `$f` in its script is the last of its words, the file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nfor f in "$@"; do :; done\n{script}\n', "utf-8")
    path.chmod(0o755)
    return os.fspath(path)


def surroundings(**variables: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **variables}


def test_each_editor_is_told_the_line_in_its_own_way() -> None:
    # S-23
    for words, call in CALLS.items():
        editor = Editor(tuple(words.split()))
        assert editor.call("/f", 7) == call
        assert editor.call("/f", 1)[-1] == "/f"
    for words, call in WAITING.items():
        assert Editor(tuple(words.split())).call("/f", wait=True) == call


def test_visual_comes_before_editor_and_both_before_git_and_what_the_system_has(tmp_path: Path) -> None:
    # S-23
    for name in ("a", "b", "c"):
        program(tmp_path / "bin", name, "")
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    Path(os.environ["HOME"], ".gitconfig").write_text("[core]\n\teditor = c --fast\n", "utf-8")
    environ = surroundings(PATH=path, VISUAL="a 'x y'", EDITOR="b")
    assert find_editor(environ).words == ("a", "x y")
    del environ["VISUAL"]
    assert find_editor(environ).words == ("b",)
    environ["EDITOR"] = " "
    assert find_editor(environ).words == ("c", "--fast")
    program(tmp_path / "few", "nano", "")
    assert find_editor({"PATH": os.fspath(tmp_path / "few")}).words == ("nano",)


def test_an_editor_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    # S-23
    with pytest.raises(UsageError, match="there is no editor here"):
        find_editor({"PATH": os.fspath(tmp_path)})
    with pytest.raises(UsageError, match=r"the editor gone, which \$EDITOR names, is not installed"):
        find_editor({"PATH": os.fspath(tmp_path), "EDITOR": "gone -x"})
    with pytest.raises(UsageError, match=r"\$VISUAL is no command"):
        find_editor({"PATH": os.fspath(tmp_path), "VISUAL": "'open"})


async def test_a_text_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    # S-20
    visual = program(tmp_path, "code", 'printf "two\\n" >> "$f"')
    assert await edit_text(None, "one ü\n", environ=surroundings(VISUAL=visual)) == Edited("one ü\ntwo\n")
    visual = program(tmp_path, "vim", 'printf "one\\ntwo\\n" > "$f"')
    assert await edit_text(None, "one", environ=surroundings(VISUAL=visual)) == Edited("one\ntwo")


@pytest.mark.parametrize(
    ("script", "text", "problem"),
    [
        ("exit 3", "mine", "vim ended with exit code 3"),
        ('echo saved > "$f"; exit 1', "saved", "vim ended with exit code 1"),
        ('rm "$f"', "mine", "the editor has left no file, so the text is as it was"),
        ('rm -r "$(dirname "$f")"', "mine", "the editor has left no file, so the text is as it was"),
        ("printf '\\377' > \"$f\"", "mine", "the text is as it was: what was saved is no UTF-8; it is in"),
        ('rm "$f"; mkdir "$f"', "mine", "the text is as it was: what was saved cannot be read (is a directory); it is"),
    ],
)
async def test_no_text_is_lost_whatever_the_editor_does(tmp_path: Path, script: str, text: str, problem: str) -> None:
    # S-20
    edited = await edit_text(None, "mine", environ=surroundings(VISUAL=program(tmp_path, "vim", script)))
    assert edited.text == text
    assert edited.problem.startswith(problem)


async def test_what_was_saved_stays_where_it_cannot_be_read_again(tmp_path: Path) -> None:
    # S-20
    script = 'printf saved > "$f.new"; rm "$f"; ln -s prompt.md "$f"'  # a link to itself, which nobody can open
    edited = await edit_text(None, "mine", environ=surroundings(VISUAL=program(tmp_path, "vim", script)))
    assert edited.text == "mine"
    place = Path(edited.problem.rpartition(" it is in ")[2])
    assert place.with_name("prompt.md.new").read_text("utf-8") == "saved"


async def test_what_was_saved_stays_when_the_application_ends_meanwhile(tmp_path: Path) -> None:
    # S-20
    saved = tmp_path / "saved"
    environ = surroundings(VISUAL=program(tmp_path, "vim", f'printf saved > "$f"; ln -s "$f" {saved}; exec sleep 60'))
    editing = asyncio.create_task(edit_text(None, "mine", environ=environ))
    await until(lambda: os.path.islink(saved))
    editing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await editing
    assert saved.read_text("utf-8") == "saved"


async def test_what_cannot_be_started_is_one_sentence(tmp_path: Path) -> None:
    # S-23
    broken = tmp_path / "broken"
    broken.write_text("no program", "utf-8")
    broken.chmod(0o755)
    said = await open_in_editor(None, "/f", environ=surroundings(VISUAL=os.fspath(broken)))
    assert said.startswith("broken could not be started: ")
    assert await open_in_editor(None, "/f", environ={"PATH": ""}) == (
        "there is no editor here; set the variable VISUAL or EDITOR to your editor"
    )
