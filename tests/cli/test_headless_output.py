"""`xcsh -p --output json|jsonl`: one result at the end of every call, whatever ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.cli.shapes import check_shape
from tests.cli.turns import Turn, lines_of, says
from tests.llm.threaded_server import served
from tests.support import Project
from tests.warm import A_TURN, WarmProcess, WarmPrograms

from xcsh.cli import calls
from xcsh.cli.main import main
from xcsh.llm.reply import Delay, Reply, cut, text
from xcsh.llm.reply import Text as Deltas
from xcsh.llm.sse_server import FakeModelServer
from xcsh.session.store import read_session
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust

FORMATS = pytest.mark.parametrize("form", ["json", "jsonl"])
COMMANDS = {
    ".xcsh/extensions/hello.py": (
        "def register(xcsh):\n"
        "    @xcsh.command('hello', description='greets')\n"
        "    def hello(context, args):\n"
        "        context.say(f'hello {args}')\n"
        "        context.say('again')\n"
        "    @xcsh.command('broken', description='raises')\n"
        "    def broken(context, args):\n"
        "        raise ValueError('no')\n"
    ),
}
READS = {"reply": [{"text": "I look."}, {"tool": "read_file", "arguments": {"path": "src/a.ts"}}]}
STOPS: dict[str, tuple[tuple[dict[str, Any], ...], tuple[str, ...], str, str, str]] = {
    "the provider": (
        ({"fail": {"status": 401, "message": "no"}},),
        (),
        "hi",
        "failed",
        "the provider answered HTTP 401",
    ),
    "the recording": (({"expect": {"user": "other"}, **says("x")},), (), "hi", "failed", "the recording"),
    "--max-turns": (
        (READS, says("x")),
        ("--max-turns", "1"),
        "hi",
        "failed",
        "no answer within 1 request to the model",
    ),
    "--timeout": (
        ({"reply": [{"text": "a"}, {"delay": 60}, {"text": "b"}]},),
        ("--timeout", "0.3"),
        "hi",
        "aborted",
        "no answer within 0.3 seconds",
    ),
    "a command": ((says("x"),), (), "/broken", "failed", "ValueError: no"),
}


def trusted(turn: Turn) -> None:
    turn.project.write(COMMANDS)
    trust(make_environment(os.fspath(turn.project.root), os.fspath(turn.project.home)))


def test_json_is_one_object_with_the_answer(turn: Turn) -> None:
    # S-15, U-3
    assert turn(READS, says("It is one."), options=("--output", "json")) == 0
    assert turn.result["outcome"] == "completed"
    assert turn.result["text"] == "It is one."
    assert turn.result["usage"]["requests"] == 2
    assert turn.result["session"] in turn.sessions()[0]
    assert turn.result["error"] is None


def test_jsonl_is_every_event_and_the_result_at_the_end(turn: Turn) -> None:
    # S-14, S-15, U-3
    assert turn(READS, says("It is one."), options=("--output", "jsonl")) == 0
    kinds = [line["type"] for line in lines_of(turn.out)]
    assert kinds[0] == "turn_started"
    assert kinds[-2:] == ["turn_completed", "result"]
    assert kinds.index("tool_called") < kinds.index("tool_returned")
    assert kinds.count("message_completed") == 2


@FORMATS
@pytest.mark.parametrize(("script", "options", "prompt", "outcome", "says_"), STOPS.values(), ids=STOPS)
def test_a_turn_without_an_answer_has_a_result_and_is_said_on_standard_error(
    turn: Turn, form: str, script: Any, options: tuple[str, ...], prompt: str, outcome: str, says_: str
) -> None:
    # S-15, U-1, U-2, U-5
    trusted(turn)
    assert turn(*script, prompt=prompt, options=("--output", form, *options)) == 1
    result = lines_of(turn.out)[-1]
    assert form == "jsonl" or turn.out.count("\n") == 1
    assert result["outcome"] == outcome
    assert says_ in result["error"]["message"]
    assert result["error"]["hint"]
    what, hint = turn.err.splitlines()[-2:]
    assert what == f"xcsh: {result['error']['message']}"
    assert hint == f"  {result['error']['hint']}"


@FORMATS
@pytest.mark.parametrize(
    "options", [("--model", "nope"), ("--resume", "nope"), ("--allow", "all"), ("--timeout", "x"), ()]
)
def test_a_call_that_is_refused_leaves_standard_output_empty(turn: Turn, form: str, options: tuple[str, ...]) -> None:
    # U-1: usage is 2
    assert turn.run("--output", form, *options, "hi") == 2
    assert turn.out == ""
    assert turn.err


def test_a_call_that_is_refused_after_the_first_line_still_ends_with_a_result(turn: Turn) -> None:
    # S-15: a custom command has said something before it turns out that there is no model
    turn.project.write({".xcsh/commands/ask.py": ASKS})
    trusted(turn)
    assert turn.run("--output", "jsonl", "--model", "nope", "/ask") == 2
    said, result = lines_of(turn.out)
    assert said == {"type": "command_said", "text": "thinking of a question"}
    assert result["outcome"] == "failed"
    assert "'nope'" in result["error"]["message"]


ASKS = "def run(context, args):\n    context.say('thinking of a question')\n    return 'What is it?'\n"


@FORMATS
def test_a_bug_of_ours_has_a_result_too(turn: Turn, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # U-1: a bug is 3

    async def broken(*_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(calls, "prepare_call", broken)
    assert turn(says("x"), options=("--output", form)) == 3
    (result,) = lines_of(turn.out)
    assert result["error"]["message"] == "a bug in xcsh: KeyError: 'x'"


def test_what_a_command_says_is_an_event_and_the_text_of_the_result(turn: Turn) -> None:
    # S-1, S-15
    trusted(turn)
    assert turn.run("--output", "jsonl", "/hello you") == 0
    first, second, result = lines_of(turn.out)
    assert (first["text"], second["text"]) == ("hello you", "again")
    assert (result["outcome"], result["text"], result["model"]) == ("handled", "hello you\n\nagain", None)


def test_arguments_that_are_no_json_do_not_break_a_line(turn: Turn) -> None:
    # U-3: NaN is a number to a model's JSON, and none to any other reader's
    call = {"reply": [{"tool": "read_file", "arguments": '{"path": "src/a.ts", "limit": NaN, "x": 1e999}'}]}
    turn(call, says("ok"), options=("--output", "jsonl"))
    assert "NaN" not in turn.out
    lines_of(turn.out)


def start(warm: WarmPrograms, project: Project, *options: str, **streams: Any) -> WarmProcess:
    """`xcsh -p` as a process of its own, which asks the server that the environment names."""
    env = {**os.environ, "HOME": str(project.home)}
    return warm.start(*command(project, *options), env=env, imports=A_TURN, **streams)


def command(project: Project, *options: str) -> tuple[str, ...]:
    return ("-m", "xcsh", "-C", str(project.root), "-p", "--model", "openai-chat:fake", *options, "hi")


SLOW = Reply((Deltas(cut("a long answer")), Delay(120), text("never")))


def hung_up(server: FakeModelServer) -> bool:
    """Whether the client has closed the connection before the end."""
    for _ in range(1_000):
        if server.exchanges[0].closed_at is not None:
            return server.exchanges[0].sent < server.exchanges[0].planned
        Event().wait(0.005)
    return False


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_turn_with_a_result_and_130(
    warm: WarmPrograms, project: Project, form: str, number: signal.Signals
) -> None:
    # U-1, S-13, S-15
    begun = Event()
    with served(SLOW, begun=begun) as server:
        running = start(warm, project, "--output", form)
        assert begun.wait(60)
        running.send_signal(number)
        code, out, err = running.ended()
        assert hung_up(server)
    assert (code, "Traceback" in err) == (130, False)
    if form == "text":
        assert out == ""
        return
    result = lines_of(out)[-1]
    assert result["outcome"] == "aborted"
    assert result["error"]["message"] == "the turn was interrupted"
    assert result["session"] in result["error"]["hint"]
    stored = read_session(str(next(project.home.rglob("*.jsonl"))))
    assert stored.id == result["session"]
    assert stored.turns == 1


def test_a_reader_who_leaves_ends_the_turn_quietly_and_what_was_said_is_kept(
    warm: WarmPrograms, project: Project
) -> None:
    # S-13, S-15: xcsh -p --output jsonl | head -1
    pieces = (Deltas(cut("first")), *(Delay(0.2), text("and so on ")) * 600)
    begun = Event()
    with served(Reply(pieces), begun=begun) as server:
        running = start(warm, project, "--output", "jsonl")
        assert running.stdout is not None
        check_shape("event", json.loads(running.stdout.readline()))
        assert begun.wait(60)
        running.stdout.close()
        code, _, err = running.ended()
        assert code == 0
        assert hung_up(server)
    assert err.splitlines() == [
        "the model may not use write_file, edit_file, shell; to let it: --allow write,edit,shell"
    ]
    stored = read_session(str(next(project.home.rglob("*.jsonl"))))
    assert (stored.turns, stored.unanswered) == (1, ())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_an_answer_that_cannot_be_written_is_said(warm: WarmPrograms, project: Project, form: str) -> None:
    # U-5
    with served(Reply((text("Hello."),))), open("/dev/full", "wb") as full:
        code, _, err = start(warm, project, "--output", form, stdout=full).ended()
    assert code == 1
    assert "xcsh: the output could not be written: No space left on device" in err
    assert "Traceback" not in err


def test_remarks_that_nobody_reads_take_nothing_from_the_answer(project: Project) -> None:
    # U-2: this process is one that nothing was loaded for
    reading, writing = os.pipe()
    os.close(reading)
    program = [sys.executable, *command(project, "--output", "json")]
    with served(Reply((text("Hello."),))), open(writing, "wb") as nobody:
        env = {**os.environ, "HOME": str(project.home), "PYTHONUNBUFFERED": ""}
        done = subprocess.run(
            program, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=nobody, check=False
        )
    assert (done.returncode, json.loads(done.stdout)["text"]) == (0, "Hello.")


def test_control_c_ends_the_wait_for_standard_input(warm: WarmPrograms, project: Project) -> None:
    # U-1: an inherited pipe may never end
    with served(SLOW):
        running = start(warm, project, "--output", "json", stdin=subprocess.PIPE)
        assert running.stderr is not None
        assert running.stderr.readline().startswith(b"waiting for the end of standard input")
        running.send_signal(signal.SIGINT)
        code, out, _ = running.ended()
    assert code == 130
    assert json.loads(out)["outcome"] == "aborted"


def test_a_process_that_was_told_to_end_before_the_turn_ends_with_a_result(
    turn: Turn, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # U-1
    def killed(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("xcsh.cli.kept_session.past_of", killed)
    assert main(["-C", str(turn.project.root), "-p", "--output", "json", "hi"]) == 130
    assert json.loads(capsys.readouterr().out)["outcome"] == "aborted"
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
