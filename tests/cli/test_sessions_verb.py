"""`xcsh sessions`, as a person and as a program calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
from tests.cli.conftest import Xcsh
from tests.cli.shapes import check_shape
from tests.cli.test_conventions import DENIED
from tests.session.store.conversations import as_json, asked, called, returned, said, turn

from xcsh.session.store import SessionFile, read_session, sessions_folder

Make = Callable[..., str]


@pytest.fixture
def make(xcsh: Xcsh) -> Make:
    """Writes a session of one turn and returns its id."""

    def write(prompt: str = "prompt 1", cwd: str = "", title: str = "") -> str:
        folder = sessions_folder({}, str(xcsh.project.home))
        with SessionFile.create(folder, cwd=cwd or str(xcsh.project.root), model="fake", title=title) as file:
            file.prompt(prompt)
            file.messages([asked(prompt), called("a"), returned("a", content="x = 1\n" * 9), said("It is **one**.")])
            file.turn("completed", {"input_tokens": 1200, "output_tokens": 34})
            return file.id

    return write


def path_of(xcsh: Xcsh, session: str) -> Path:
    return Path(sessions_folder({}, str(xcsh.project.home)), f"{session}.jsonl")


# S-13
def test_the_sessions_of_this_folder_are_listed_and_the_others_counted(xcsh: Xcsh, make: Make) -> None:
    first, other, second = make("first words\nof it"), make(cwd="/elsewhere"), make("x", title="A title")
    outcome = xcsh("sessions")
    heading, *rows = outcome.out.splitlines()
    assert heading.split() == ["id", "age", "turns", "tokens", "prompt"]
    assert [row.split() for row in rows] == [
        [second, "now", "1", "1,234", "A", "title"], [first, "now", "1", "1,234", "first", "words", "of", "it"],
    ]  # fmt: skip
    assert outcome.err == "1 session of other folders: xcsh sessions --all\n"
    everything = xcsh("sessions", "list", "--all")
    assert [row.split()[0] for row in everything.out.splitlines()[1:]] == [second, other, first]
    assert "/elsewhere" in everything.out
    assert everything.err == ""


def test_where_there_are_none_that_is_said(xcsh: Xcsh, make: Make) -> None:
    assert (xcsh("sessions").code, xcsh("sessions").err) == (0, "there are no sessions yet\n")
    make(cwd="/elsewhere")
    outcome = xcsh("sessions")
    assert outcome.err == "no session of this folder; 1 session of other folders: xcsh sessions --all\n"
    assert outcome.out == ""


# U-3
@pytest.mark.parametrize("arguments", [["--json"], ["list", "--json"], ["--json", "list"]], ids=" ".join)
def test_the_list_as_json_is_as_the_schema_says(xcsh: Xcsh, make: Make, arguments: list[str]) -> None:
    make()
    path_of(xcsh, "19990101-000000-aaaaaa").write_bytes(b"\xff\n")
    check_shape("sessions", xcsh("sessions", *arguments).json)
    shape = xcsh("sessions", "--all", *arguments).json
    check_shape("sessions", shape)
    assert [item["problem"] for item in shape["sessions"]] == ["its first line is damaged", None]


# U-3
def test_a_session_as_json_is_as_the_schema_says_shown_or_exported(xcsh: Xcsh, make: Make) -> None:
    session = make()
    with path_of(xcsh, session).open("a") as file:
        file.write('{"t":"torn')
    shown = xcsh("sessions", "show", "--json", session)
    check_shape("session", shown.json)
    stored = read_session(str(path_of(xcsh, session)))
    assert shown.json["messages"] == as_json(stored.messages)
    assert [item["code"] for item in shown.json["diagnostics"]] == ["session-line"]
    assert xcsh("sessions", "export", session, "--format", "json").json == shown.json


# U-4
def test_a_list_of_sessions_loads_no_framework(xcsh: Xcsh, make: Make) -> None:
    make()
    code = (
        "import sys; from xcsh.cli.main import main\n"
        f"main(['-C', {str(xcsh.project.root)!r}, 'sessions'])\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    env = {**os.environ, "HOME": str(xcsh.project.home)}
    bare = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], env=env, capture_output=True, text=True, check=True)  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "prompt 1" in done.stdout
    assert not (set(done.stderr.split()) - set(bare.stdout.split())) & DENIED


def test_a_session_is_shown_with_what_its_tools_did_cut_short(xcsh: Xcsh, make: Make) -> None:
    outcome = xcsh("sessions", "show", make()[:17])
    assert outcome.code == 0
    assert "turn 1" in outcome.out
    assert "  user\n    prompt 1\n" in outcome.out
    assert "  call read_file\n" in outcome.out
    assert outcome.out.count("    x = 1\n") == 6
    assert "    … 3 more lines\n" in outcome.out
    assert outcome.out.endswith("  answer\n    It is **one**.\n")


def test_an_id_may_be_cut_short_as_long_as_it_means_one_session(xcsh: Xcsh, make: Make) -> None:
    first, second = make("one"), make("two")
    assert "    two\n" in xcsh("sessions", "show", "latest").out
    assert "    one\n" in xcsh("sessions", "show", first).out
    outcome = xcsh("sessions", "show", "2")
    assert outcome.code == 1
    assert "2 sessions start with '2'" in outcome.err
    assert second in outcome.err
    wrong = first[:-1] + ("0" if first[-1] != "0" else "1")
    outcome = xcsh("sessions", "show", wrong)
    assert outcome.code == 1
    assert f"no session has the id {wrong!r}" in outcome.err
    assert "did you mean" in outcome.err
    assert first in outcome.err


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "/etc/passwd", "\x1b[2J"])
def test_a_name_leads_nowhere_else(xcsh: Xcsh, make: Make, name: str) -> None:
    make()
    outcome = xcsh("sessions", "show", name)
    assert outcome.code == 1
    assert "no session has the id" in outcome.err
    assert "\x1b" not in outcome.err


def test_latest_is_that_of_the_folder(xcsh: Xcsh, make: Make) -> None:
    make("here")
    make("there", cwd="/elsewhere")
    assert "    here\n" in xcsh("sessions", "show", "latest").out


def test_an_export_goes_to_a_new_file_and_overwrites_none(xcsh: Xcsh, make: Make) -> None:
    session = make()
    page = xcsh("sessions", "export", session).out
    assert page.startswith("# `prompt 1`\n")
    assert xcsh("sessions", "export", session, "-o", "talk.md").out == ""
    assert xcsh.project.path("talk.md").read_text() == page
    again = xcsh("sessions", "export", session, "--format", "json", "-o", "talk.md")
    assert again.code == 2
    assert "there already" in again.err
    assert xcsh.project.path("talk.md").read_text() == page
    assert xcsh("sessions", "export", session, "-o", "none/talk.md").code == 2


# U-1
def test_nothing_is_deleted_unasked(xcsh: Xcsh, make: Make) -> None:
    session = make()
    outcome = xcsh("sessions", "delete", session)
    assert (outcome.code, "add --yes" in outcome.err) == (2, True)
    assert path_of(xcsh, session).exists()
    assert xcsh("sessions", "delete", session, "nonsense", "--yes").code == 1
    assert path_of(xcsh, session).exists(), "all names are looked up first"
    outcome = xcsh("sessions", "delete", session[:20], session, "--yes")
    assert (outcome.code, outcome.err) == (0, "1 session deleted\n")
    assert not path_of(xcsh, session).exists()


def test_what_lies_beside_a_session_goes_with_it(xcsh: Xcsh, make: Make) -> None:
    first, second = make("one"), make("two")
    contents = path_of(xcsh, first).with_suffix(".files")
    contents.mkdir()
    (contents / "a").write_text("x")
    link = path_of(xcsh, second).with_suffix(".files")
    link.symlink_to(xcsh.project.root)
    assert xcsh("sessions", "delete", first, second, "--yes").code == 0
    assert not contents.exists()
    assert link.is_symlink()
    assert xcsh.project.root.is_dir()


# S-13
def test_a_session_in_use_is_not_deleted_and_the_others_are(xcsh: Xcsh, make: Make) -> None:
    first, second = make("one"), make("two")
    file, _ = SessionFile.resume(str(path_of(xcsh, first)))
    outcome = xcsh("sessions", "delete", first, second, "--yes")
    assert outcome.code == 1
    assert f"the session {first} is in use by process {os.getpid()}" in outcome.err
    assert "1 session deleted" in outcome.err
    file.prompt("still here")
    file.close()
    assert read_session(file.path).unanswered == ("still here",)


@pytest.mark.parametrize(("answer", "left"), [("y\n", False), ("n\n", True), ("\n", True)])
def test_a_person_is_asked_before_a_session_is_deleted(xcsh: Xcsh, make: Make, answer: str, left: bool) -> None:  # noqa: FBT001
    session = make("precious \x1b[2J")
    child = pexpect.spawn(
        sys.executable, ["-m", "xcsh", "-C", str(xcsh.project.root), "sessions", "delete", session],
        env={**os.environ, "HOME": str(xcsh.project.home), "NO_COLOR": "1"}, encoding="utf-8", timeout=20,
    )  # fmt: skip
    child.expect_exact("delete it for good? [y/N] ")
    assert "precious" in str(child.before)
    assert "\x1b" not in str(child.before)
    child.send(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == int(left)
    assert path_of(xcsh, session).exists() == left


def test_what_stands_in_a_session_cannot_drive_a_terminal(xcsh: Xcsh, make: Make) -> None:
    evil = "owned\x1b]0;x\x07 \u202e \r gone"
    session = make(evil, cwd="/tmp/\x1b[31m", title=evil)
    for arguments in (["--all"], ["show", session], ["export", session]):
        out = xcsh("sessions", *arguments).out
        assert "owned" in out
        assert not {"\x1b", "\x07", "\u202e", "\r"} & set(out)


def test_a_session_of_a_later_version_is_listed_and_said_to_be_one(xcsh: Xcsh, make: Make) -> None:
    path = path_of(xcsh, make())
    path.write_text(path.read_text().replace('"v":1', '"v":2'))
    assert "it was written by a later xcsh" in xcsh("sessions", "--all").out
    outcome = xcsh("sessions", "show", "latest")
    assert outcome.code == 1
    assert "was written by a later xcsh (format 2; this one reads 1)" in outcome.err
    assert "update xcsh" in outcome.err


def test_a_turn_is_never_listed_twice(xcsh: Xcsh, make: Make) -> None:
    session = make()
    file, stored = SessionFile.resume(str(path_of(xcsh, session)))
    file.messages([*stored.messages, *turn(2, 200_000)])
    file.close()
    (shape,) = xcsh("sessions", "--json").json["sessions"]
    assert (shape["turns"], shape["tokens"]) == (1, 1234)
