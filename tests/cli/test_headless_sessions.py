"""`xcsh -p` that goes on with a session: which one, where, with which model, and what stands in the way."""

from __future__ import annotations

import io
import json
import shutil
import signal
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.cli.test_headless_output import SLOW, hung_up, start
from tests.cli.turns import Turn, says
from tests.llm.threaded_server import served
from tests.warm import WarmPrograms

from xcsh.llm.reply import Reply, text
from xcsh.session.store import SessionFile, read_session

READS = {"reply": [{"tool": "read_file", "arguments": {"path": "src/a.ts"}}]}


def begun(turn: Turn, answer: str = "one") -> str:
    """The id of a session with one turn, whose model is the recording `r.jsonl`."""
    assert turn(says(answer), prompt="first") == 0
    return Path(turn.sessions()[-1]).stem


def record(turn: Turn, name: str, *exchanges: dict[str, Any]) -> str:
    path = turn.project.root.parent / name
    path.write_text("".join(json.dumps(line) + "\n" for line in ({"recording": 1}, *exchanges)))
    return f"replay:{path}"


def test_continue_goes_on_with_the_last_session_of_this_folder_and_says_which(turn: Turn, tmp_path: Path) -> None:
    # S-13, S-15, U-2
    session = begun(turn)
    other = tmp_path / "other"
    other.mkdir()
    assert turn.elsewhere("-C", str(other), "--model", record(turn, "o.jsonl", says("x")), "hi") == 0
    assert turn({"expect": {"user": "second"}, **says("two")}, prompt="second", options=("--continue",)) == 0
    assert turn.out == "two\n"
    assert turn.err.splitlines()[0] == f"going on with {session} in {turn.project.root} (1 turn, begun with: first)"
    stored = read_session(next(path for path in turn.sessions() if session in path))
    assert (stored.turns, len(stored.messages)) == (2, 4)


def test_continue_without_a_session_of_this_folder_is_a_usage_error(turn: Turn) -> None:
    # U-1, U-5
    assert turn(says("x"), options=("--continue",)) == 2
    assert turn.err.startswith(f"xcsh: there is no session of {turn.project.root} yet\n")


def test_resume_goes_to_the_folder_of_the_session_unless_another_is_named(
    turn: Turn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-13
    session = begun(turn)
    other = tmp_path / "other"
    (other / "src").mkdir(parents=True)
    (other / "src" / "a.ts").write_text("elsewhere")
    monkeypatch.chdir(other)
    here = record(turn, "here.jsonl", READS, {"expect": {"tool_result": "let a"}, **says("ok")})
    assert turn.elsewhere("--resume", session[:-2], "--model", here, "go on") == 0
    there = record(turn, "there.jsonl", READS, {"expect": {"tool_result": "elsewhere"}, **says("ok")})
    assert turn.elsewhere("-C", ".", "--resume", session, "--model", there, "go on") == 0
    assert read_session(turn.sessions()[0]).cwd == str(other)


def test_resume_restores_the_model_unless_a_flag_or_the_environment_names_one(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-11, S-13
    turn.project.write({"~/.xcsh/agent/settings.toml": "model = 'nope:x'\n"})
    session = begun(turn)
    record(turn, "r.jsonl", says("as it was"))
    assert turn.run("--resume", session, "on") == 0
    assert turn.out == "as it was\n"
    monkeypatch.setenv("XCSH_MODEL", record(turn, "environment.jsonl", says("environment")))
    assert turn.run("--resume", session, "on") == 0
    assert turn.out == "environment\n"
    flag = record(turn, "flag.jsonl", says("flag"))
    assert turn.run("--resume", session, "--model", flag, "on") == 0
    assert turn.out == "flag\n"
    assert read_session(turn.sessions()[0]).model == flag


def test_a_model_of_a_session_that_is_gone_is_said_to_be_the_sessions(turn: Turn) -> None:
    # U-5
    session = begun(turn)
    turn.project.root.parent.joinpath("r.jsonl").unlink()
    assert turn.run("--resume", session, "on") == 2
    assert "r.jsonl" in turn.err


def test_a_session_whose_folder_is_gone_says_so_and_goes_on_in_another(turn: Turn, tmp_path: Path) -> None:
    # S-13, U-5
    session = begun(turn)
    model = record(turn, "o.jsonl", says("two"))
    shutil.rmtree(turn.project.root)
    assert turn.elsewhere("--resume", session, "--model", model, "on") == 2
    assert turn.err == (
        f"xcsh: the folder of the session {session} is gone: {turn.project.root}\n"
        f"  go on with it in another: xcsh -p --resume {session} -C DIR\n"
    )
    assert turn.elsewhere("-C", str(tmp_path), "--resume", session, "--model", model, "on") == 0
    assert turn.out == "two\n"


def test_a_session_that_another_process_has_is_left_alone(turn: Turn, warm: WarmPrograms) -> None:
    # S-13: two processes never write one session
    begins = Event()
    with served(SLOW, Reply((text("never"),)), begun=begins) as server:
        running = start(warm, turn.project)
        assert begins.wait(60)
        assert turn.run("--continue", "--output", "json", "--model", "openai-chat:fake", "hi") == 2
        assert len(server.exchanges) == 1
        running.send_signal(signal.SIGINT)
        running.ended()
    assert f"is in use by process {running.pid}" in turn.err
    assert turn.out == ""


def test_a_damaged_file_goes_on_with_what_can_be_read_and_says_what_cannot(turn: Turn) -> None:
    # S-13
    session = begun(turn)
    path = Path(turn.sessions()[0])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *[b"{torn\n"] * 8, *lines[2:]]))
    exchange = {"expect": {"user": "second"}, **says("two")}
    assert turn(exchange, prompt="second", options=("--resume", session)) == 0
    assert len(read_session(str(path)).messages) == 4
    assert turn.err.count("warning[session-line]") == 6
    assert "and 3 more findings" in turn.err


def test_a_file_that_is_no_session_is_a_usage_error(turn: Turn) -> None:
    # S-13, U-5
    session = begun(turn)
    Path(turn.sessions()[0]).write_text("nothing of the kind\n")
    assert turn(says("x"), options=("--resume", session)) == 2
    assert "is no session" in turn.err


def test_an_id_that_is_none_names_those_that_are_near(turn: Turn) -> None:
    # U-5
    session = begun(turn)
    assert turn(says("x"), options=("--resume", session[:-1] + "_")) == 2
    assert turn.err == f"xcsh: no session has the id {session[:-1] + '_'!r}\n  did you mean {session}?\n"
    assert turn(says("x"), options=("--resume", "")) == 2


def test_what_was_cut_by_max_turns_goes_on_from_there(turn: Turn) -> None:
    # S-13, S-15
    assert turn(READS, says("x"), prompt="look", options=("--max-turns", "1")) == 1
    assert "xcsh: no answer within 1 request to the model (--max-turns)\n" in turn.err
    session = Path(turn.sessions()[0]).stem
    assert f"go on: xcsh -p --resume {session} …" in turn.err
    exchange = {"expect": {"tool_result": "let a", "user": "go on"}, **says("It is one.")}
    assert turn(exchange, prompt="go on", options=("--continue", "--max-turns", "1")) == 0
    assert turn.out == "It is one.\n"


def test_a_timeout_closes_the_connection_and_the_session_goes_on(turn: Turn) -> None:
    # S-13, S-15
    with served(SLOW) as server:
        assert turn.run("--model", "openai-chat:fake", "--timeout", "1.5", "first") == 1
        assert hung_up(server)
    assert "xcsh: no answer within 1.5 seconds\n" in turn.err
    assert turn({"expect": {"user": "again"}, **says("two")}, prompt="again", options=("--continue",)) == 0
    assert read_session(turn.sessions()[0]).turns == 2


def test_what_is_piped_in_is_context_of_a_session_too(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    # S-15
    session = begun(turn)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"an error\n")))
    exchange = {"expect": {"user": "why?\n\n<stdin>\nan error\n</stdin>"}, **says("ok")}
    options = ("--resume", session, "--output", "json", "--max-turns", "1", "--timeout", "60")
    assert turn(exchange, prompt="why?", options=options) == 0
    assert turn.result["session"] == session


def test_a_command_grants_its_tools_and_chooses_its_model_for_its_turn(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C-41
    steps = (
        {"reply": [{"tool": "shell", "arguments": {"command": "touch made"}}]},
        {"reply": [{"tool": "shell", "arguments": {"command": "touch2 other"}}]},
        {"expect": {"tool_result": "Not done"}, **says("reviewed")},
    )
    model = record(turn, "review.jsonl", *steps)
    turn.project.write({
        "~/.xcsh/agent/commands/review.md": f"---\nmodel: {json.dumps(model)}\nallowed-tools: Bash(touch:*)\n---\nReview $1.",
    })  # fmt: skip
    monkeypatch.setenv("XCSH_MODEL", record(turn, "session.jsonl", says("the session's model")))
    assert turn.run("--output", "json", "/review src") == 0
    assert turn.result["text"] == "reviewed"
    assert f"/review is answered by {model}\n" in turn.err
    assert turn.project.path("made").exists()
    assert (
        turn(
            {"expect": {"user": "and now"}, **runs_touch("later")},
            says("no"),
            prompt="and now",
            options=("--continue",),
        )
        == 0
    )
    assert not turn.project.path("later").exists()


def test_a_model_that_a_flag_names_goes_before_that_of_a_command(turn: Turn) -> None:
    # C-41, S-11
    model = record(turn, "review.jsonl", says("the command's model"))
    turn.project.write({"~/.xcsh/agent/commands/review.md": f"---\nmodel: {json.dumps(model)}\n---\nReview $1."})
    assert turn(says("the flag's model"), prompt="/review src") == 0
    assert turn.out == "the flag's model\n"
    assert f"/review wants the model '{model}', and the turn takes the session's\n" in turn.err


def test_a_command_that_names_a_model_needs_no_other(turn: Turn) -> None:
    # C-41, S-11
    model = record(turn, "review.jsonl", says("the command's model"))
    turn.project.write({
        "~/.xcsh/agent/commands/review.md": f"---\nmodel: {json.dumps(model)}\n---\nReview $1.",
        "~/.xcsh/agent/commands/short.md": "---\nmodel: sonnet\n---\nReview $1.",
    })  # fmt: skip
    assert turn.run("/review src") == 0
    assert turn.out == "the command's model\n"
    assert f"/review is answered by {model}\n" in turn.err
    assert turn.run("/short src") == 2
    assert turn.err.startswith("xcsh: no model is named, and none was found\n")


def runs_touch(name: str) -> dict[str, Any]:
    return {"reply": [{"tool": "shell", "arguments": {"command": f"touch {name}"}}]}


def test_what_waited_is_sent_after_the_answer_and_counted_in(turn: Turn) -> None:
    # S-2, S-13: nothing that was acknowledged is lost
    session = begun(turn)
    with SessionFile.resume(turn.sessions()[0])[0] as file:
        file.prompt("and test it", kind="follow_up")
        file.queue([], ["and test it"])
    script = (says("two"), {"expect": {"user": "and test it"}, **says("tested")})
    assert turn(*script, prompt="second", options=("--resume", session, "--output", "json")) == 0
    assert turn.result["text"] == "two\n\ntested"
    assert turn.result["usage"]["requests"] == 2
    assert "sending what waited: and test it" in turn.err


def test_no_session_writes_nothing_down(turn: Turn) -> None:
    # S-15
    assert turn(says("ok"), options=("--no-session", "--output", "json")) == 0
    assert turn.result["session"] is None
    assert turn.sessions() == []


def test_a_sandbox_that_is_missing_is_a_usage_error_and_leaves_no_session(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-12: nothing runs outside it instead
    monkeypatch.setenv("PATH", str(turn.project.home))
    assert turn(says("ok"), options=("--sandbox", "bubblewrap")) == 2
    assert "bwrap" in turn.err or "Linux" in turn.err
    assert turn.sessions() == []
    turn.project.write({"~/.xcsh/agent/settings.toml": 'sandbox = "bubblewrap"\n'})
    assert turn(says("ok")) == 2
    assert turn(says("ok"), options=("--sandbox", "none")) == 0
    assert turn(says("ok"), options=("--sandbox", "vm")) == 2
