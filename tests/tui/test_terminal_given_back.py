"""Whatever ends the program: the terminal is as it was before, and the session goes on."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from tests.support import Project
from tests.tui.on_a_terminal import LEFT, Terminal, on_a_terminal

import xcsh.session.creating
import xcsh.tui.app  # noqa: F401 - as above
from xcsh.cli.main import main

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
BEGINNING = "the beginning"


@pytest.fixture
def recording(project: Project, monkeypatch: pytest.MonkeyPatch) -> str:
    """One turn that ends, then one that does not."""
    monkeypatch.setenv("HOME", os.fspath(project.home))
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    path = project.root.parent / "recording.jsonl"
    exchanges = [
        {"recording": 1, "prompt": "hi"},
        {"reply": [{"text": "It is one."}]},
        {"reply": [{"text": f"{BEGINNING} "}, {"delay": 600}, {"text": "never"}]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in exchanges))
    return os.fspath(path)


def ask(terminal: Terminal, *, streaming: bool) -> None:
    """A whole turn, and where it is wanted the beginning of another."""
    terminal.wait_for("Enter send")
    terminal.type("first\r")
    terminal.wait_for("It is one.")
    if streaming:
        terminal.type("second\r")
        terminal.wait_for(BEGINNING)


def check_session(project: Project, recording: str, capsys: pytest.CaptureFixture[str], *, streaming: bool) -> None:
    """The session is listed, what was asked is in it, and it goes on."""
    capsys.readouterr()
    assert main(["sessions", "--json"]) == 0
    (session,) = json.loads(capsys.readouterr().out)["sessions"]
    assert session["turns"] > 0
    Path(recording).write_text('{"recording": 1}\n{"expect": {"user": "third"}, "reply": [{"text": "On we go."}]}\n')
    assert main(["-p", "--continue", "--model", f"replay:{recording}", "third"]) == 0
    assert "On we go." in capsys.readouterr().out
    assert main(["sessions", "show", session["id"]]) == 0
    shown = capsys.readouterr().out
    assert "first" in shown
    assert not streaming or "second" in shown


@pytest.mark.parametrize(("mode", "streaming"), [("--full", False), ("--full", True), ("--inline", True)])
def test_sigterm_ends_the_conversation_as_leaving_does(
    project: Project, recording: str, capsys: pytest.CaptureFixture[str], mode: str, *, streaming: bool
) -> None:
    # S-13, S-26
    with on_a_terminal(mode, "--model", f"replay:{recording}", home=os.fspath(project.home)) as terminal:
        ask(terminal, streaming=streaming)
        assert terminal.modes_now != terminal.modes
        terminal.signal(signal.SIGTERM)
        assert terminal.end() == 130
        assert terminal.modes_now == terminal.modes
        check_left(terminal.seen, mode)
    check_session(project, recording, capsys, streaming=streaming)


@pytest.mark.parametrize("streaming", [False, True], ids=["idle", "mid-turn"])
def test_a_terminal_that_is_closed_ends_the_conversation(
    project: Project, recording: str, capsys: pytest.CaptureFixture[str], *, streaming: bool
) -> None:
    # S-13, S-26
    with on_a_terminal("--model", f"replay:{recording}", home=os.fspath(project.home)) as terminal:
        ask(terminal, streaming=streaming)
        terminal.hang_up()
        assert terminal.end() == 130
    check_session(project, recording, capsys, streaming=streaming)


@pytest.mark.parametrize("streaming", [False, True], ids=["idle", "mid-turn"])
def test_the_death_of_the_shell_ends_the_conversation(
    project: Project, recording: str, capsys: pytest.CaptureFixture[str], *, streaming: bool
) -> None:
    # S-13, S-26
    with on_a_terminal("--model", f"replay:{recording}", home=os.fspath(project.home), leader=False) as terminal:
        ask(terminal, streaming=streaming)
        os.kill(terminal.shell, signal.SIGKILL)
        assert terminal.end() == 130
    check_session(project, recording, capsys, streaming=streaming)


def fail_at_f2() -> None:
    from xcsh.tui.app import ChatApp

    async def fail(self: ChatApp) -> None:
        secret = "s3cr3t"  # noqa: F841 - a variable that must not be shown
        raise LookupError("a mistake of ours")

    ChatApp.action_extensions = fail  # type: ignore[method-assign]


@pytest.mark.parametrize("streaming", [False, True], ids=["idle", "mid-turn"])
def test_a_mistake_of_ours_is_one_sentence_on_a_terminal_that_is_given_back(
    project: Project, recording: str, capsys: pytest.CaptureFixture[str], *, streaming: bool
) -> None:
    # U-5, S-13
    home = os.fspath(project.home)
    with on_a_terminal("--model", f"replay:{recording}", home=home, before=fail_at_f2) as terminal:
        ask(terminal, streaming=streaming)
        terminal.type("\x1bOQ")
        assert terminal.end() == 3
        assert terminal.modes_now == terminal.modes
        check_left(terminal.seen, "--full")
    said = terminal.seen.rpartition(LEFT)[2].decode()
    assert "xcsh: a bug in xcsh: LookupError: a mistake of ours" in said
    assert "crash.log" in said
    assert "Traceback" not in said
    assert "s3cr3t" not in said
    assert "a mistake of ours" in (project.home / ".local/state/xcsh/crash.log").read_text()
    check_session(project, recording, capsys, streaming=streaming)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--allow", "nonsense", "--model", "test"), "nonsense"),
        (("--resume", "nothing", "--model", "test"), "nothing"),
    ],
)
def test_what_the_call_got_wrong_is_said_when_the_terminal_is_given_back(
    project: Project, recording: str, arguments: tuple[str, ...], what: str
) -> None:
    # U-1, U-5
    with on_a_terminal(*arguments, home=os.fspath(project.home)) as terminal:
        assert terminal.end() == 2
        assert terminal.modes_now == terminal.modes
    said = terminal.seen.rpartition(LEFT)[2].decode()
    assert said.count("\n") <= 4
    assert "xcsh: " in said
    assert what in said


def check_left(seen: bytes, mode: str) -> None:
    """The screen, the cursor, the mouse and the pasting mode are what they were."""
    if mode == "--full":
        assert seen.rindex(LEFT) > seen.rindex(b"\x1b[?1049h")
    for on, off in ((b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?1000h", b"\x1b[?1000l"), (b"\x1b[?2004h", b"\x1b[?2004l")):
        assert seen.rindex(off) > seen.rindex(on)


def never_close() -> None:
    import asyncio

    import xcsh.cli.terminal
    from xcsh.session.agent_session import AgentSession

    async def close(self: AgentSession) -> None:
        await asyncio.sleep(600)

    AgentSession.close = close  # type: ignore[method-assign]
    xcsh.cli.terminal._PATIENCE = 0.2


def test_a_conversation_that_does_not_end_is_ended_and_its_terminal_given_back(
    project: Project, recording: str
) -> None:
    # S-26
    home = os.fspath(project.home)
    with on_a_terminal("--model", f"replay:{recording}", home=home, before=never_close) as terminal:
        ask(terminal, streaming=False)
        terminal.signal(signal.SIGTERM)
        assert terminal.end() == -1
        assert os.waitstatus_to_exitcode(os.waitpid(terminal.shell, 0)[1]) == 130
        assert terminal.modes_now == terminal.modes
        terminal.read_rest()
        check_left(terminal.seen, "--full")
