"""`xcsh -p`: a whole turn from the command line, over real HTTP."""

from __future__ import annotations

import builtins
import io
import json
import os
import pty
import re
import shutil
import signal
import sys
import threading
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any, TextIO

import pytest
from tests.cli.turns import REFUSED, Turn, runs, says
from tests.llm.threaded_server import served
from tests.support import PROJECT_SETTINGS

from xcsh.cli import piped_input
from xcsh.cli.main import main
from xcsh.llm.reply import Delay, Reply, text

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOP_PROMPT = "Add a total() helper to src/cart.ts; how should errors leave the API?"


pytestmark = pytest.mark.usefixtures("quiet_input")


def test_the_answer_goes_to_standard_output_and_the_rest_to_standard_error(turn: Turn) -> None:
    # U-1, U-2
    assert turn({"expect": {"user": "hi", "system": "Use tabs."}, **says("Good ", "day.")}) == 0
    assert turn.out == "Good day.\n"
    assert turn.err == REFUSED


def test_the_example_conversation_of_the_shop_is_played_to_its_end(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-11, T-8: the model begins to write what the rule no-any forbids into a file
    shop = tmp_path / "examples" / "shop"
    shutil.copytree(EXAMPLES / "shop", shop)
    recording = (EXAMPLES / "recordings" / "shop.jsonl").read_text("utf-8")
    (tmp_path / "shop.jsonl").write_text(re.sub(r'"pace": [0-9.]+', '"pace": 0', recording), "utf-8")
    model = f"replay:{tmp_path / 'shop.jsonl'}"
    code = main(["-C", str(shop), "-p", "--allow", "edit", "--model", model, SHOP_PROMPT])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert "⚡ stopped by no-any (.xcsh/rules/no-any.md)" in err
    assert "no amount is ever a" in out
    written = (shop / "src" / "cart.ts").read_text("utf-8")
    assert "export function total(items: readonly LineItem[]): Money" in written
    assert ": any" not in written
    assert json.loads(recording.split("\n", 1)[0])["prompt"] == SHOP_PROMPT


def test_off_a_terminal_each_message_is_written_when_it_is_complete_with_a_blank_line_between(turn: Turn) -> None:
    # S-15
    first = {"reply": [{"text": "I look."}, {"tool": "read_file", "arguments": {"path": "src/a.ts"}}]}
    assert turn(first, {"expect": {"tool_result": "let a"}, **says("It is one.")}) == 0
    assert turn.out == "I look.\n\nIt is one.\n"
    assert turn.err == REFUSED


def test_a_message_that_breaks_off_is_not_written_off_a_terminal(turn: Turn) -> None:
    # S-15
    with served(Reply((text("half of a sentence"), Delay(0.05), text("never read"))), drop_after=6):
        assert turn.run("--model", "openai-chat:fake", "hi") == 1
    assert turn.out == ""
    assert turn.err.splitlines()[1].startswith("xcsh: no answer from ")


def test_findings_in_rule_files_are_counted_in_one_line(turn: Turn) -> None:
    # S-10
    turn.project.write({".xcsh/rules/bad.md": '---\ncondition: "("\n---\nx', PROJECT_SETTINGS: "nonsense = 1"})
    assert turn(says("ok")) == 0
    assert re.fullmatch(r"(1 error and )?\d warnings? in rule files: xcsh doctor", turn.err.splitlines()[0])


def test_what_is_piped_in_is_added_to_the_prompt(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    # S-15
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo \xff\n")))
    expected = {"expect": {"user": "explain\n\n<stdin>\none\ntwo \N{REPLACEMENT CHARACTER}\n</stdin>"}, **says("ok")}
    assert turn(expected, prompt="explain") == 0


def test_what_is_piped_in_alone_is_the_prompt(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    # S-15
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from a pipe\n")))
    assert turn({"expect": {"user": "from a pipe"}, **says("ok")}, prompt="") == 0


def test_what_a_slow_pipe_brings_is_waited_for_and_the_wait_is_said(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-15: a turn without what was piped in would answer another question
    monkeypatch.setattr(piped_input, "_PATIENCE", 0.01)
    reading, writing = os.pipe()
    said = threading.Event()

    def say(*words: object, file: TextIO) -> None:
        print(*words, file=file)
        said.set()

    monkeypatch.setattr(piped_input, "print", say, raising=False)

    def write_late() -> None:
        said.wait(60)
        os.write(writing, b"late\n")
        os.close(writing)

    writer = threading.Thread(target=write_late)
    with open(reading, encoding="utf-8") as source:
        monkeypatch.setattr(sys, "stdin", source)
        writer.start()
        assert turn({"expect": {"user": "hi\n\n<stdin>\nlate\n</stdin>"}, **says("ok")}) == 0
    writer.join()
    assert "waiting for the end of standard input" in turn.err


def test_asking_nothing_is_a_usage_error(turn: Turn) -> None:
    # U-1, U-5
    assert turn.run() == 2
    assert turn.err.startswith("xcsh: nothing is asked\n")


def test_no_model_is_a_usage_error_that_says_how_to_get_one(turn: Turn) -> None:
    # U-1, U-5
    assert turn.run("hi") == 2
    assert turn.err.startswith("xcsh: no model is named, and none was found\n  set ANTHROPIC_API_KEY")


def test_a_bad_model_is_a_usage_error_in_two_lines(turn: Turn) -> None:
    # U-1, U-5
    assert turn.run("--model", "nope", "hi") == 2
    assert turn.err.startswith("xcsh: the model 'nope' (--model) is none that is known\n")
    assert turn.err.count("\n") == 2


def test_a_bad_recording_is_a_usage_error_in_two_lines(turn: Turn) -> None:
    # U-1, U-5
    assert turn({"reply": []}) == 2
    assert re.match(r'xcsh: .*r\.jsonl:2: "reply" must be', turn.err)
    assert turn.err.count("\n") == 2


def test_a_word_that_cannot_be_allowed_is_a_usage_error(turn: Turn) -> None:
    # U-1, U-5
    assert turn(says("ok"), options=("--allow", "everything")) == 2
    assert "choose of: write, edit, shell" in turn.err


def test_a_recording_that_does_not_fit_fails_the_turn_and_says_where(turn: Turn) -> None:
    # U-1, U-5, S-15
    assert turn({"expect": {"user": "other"}, **says("ok")}, prompt="hello") == 1
    what, hint = turn.err.removeprefix(REFUSED).splitlines()
    assert re.fullmatch(
        r'xcsh: the recording .*r\.jsonl:2, exchange 1 of 1, does not fit: expected "other" in the last user message, got "hello"',
        what,
    )
    assert hint == '  it was recorded for: xcsh -p "hi"'


def test_a_recording_that_needs_what_was_not_allowed_says_with_what_it_was_made(turn: Turn) -> None:
    # U-5, S-15
    assert turn({"expect": {"tools": ["edit_file", "shell"]}, **says("ok")}) == 1
    assert turn.err.splitlines()[-1] == "  it was recorded with: --allow edit,shell"
    assert turn({"expect": {"tool_result": "other"}, **says("ok")}) == 1
    assert turn.err.splitlines()[-1] == "  change the recording, or what is asked"


def test_an_error_of_the_provider_fails_the_turn_in_two_lines(turn: Turn) -> None:
    # U-1, U-5
    assert turn({"fail": {"status": 401, "message": "invalid x-api-key"}}) == 1
    what, hint = turn.err.removeprefix(REFUSED).splitlines()
    assert what == "xcsh: the provider answered HTTP 401 for replay: invalid x-api-key"
    assert hint == "  check the provider's key, and that it may use this model"
    assert turn.out == ""


def test_without_the_optional_packages_the_way_to_install_them_is_said(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    # U-5
    monkeypatch.setitem(sys.modules, "pydantic_ai_harness", None)
    assert turn(says("ok")) == 2
    what, hint = turn.err.splitlines()
    assert what == "xcsh: `xcsh -p` needs pydantic_ai_harness, which is not installed"
    assert hint == "  in the folder that xcsh was installed from: pip install '.[agent]'"


def test_allowed_tools_change_files_and_nothing_is_said_of_them(turn: Turn) -> None:
    # S-12
    write = {
        "expect": {"tools": ["write_file", "shell"]},
        "reply": [{"tool": "write_file", "arguments": {"path": "b.txt", "content": "b"}}],
    }
    assert turn(write, says("ok"), options=("--allow", "write,shell")) == 0
    assert turn.project.path("b.txt").read_text() == "b"
    assert turn.err == ""


def test_a_pattern_allows_its_commands_and_what_else_is_refused_is_said_with_how_to_allow_it(turn: Turn) -> None:
    # S-12: headless runs set the policy by flag
    turn.project.write({"~/.xcsh/agent/settings.toml": 'consent.allow = ["shell(mkdir:*)", "shell(a;b)"]\n'})
    steps = (runs("touch made"), runs("mkdir sub"), runs("touch 'a b'; \x1b[31mtouch c"), runs("date -u"), says("ok"))
    assert turn(*steps, options=("--allow", "shell(touch:*)")) == 0
    assert turn.project.path("made").exists()
    assert turn.project.path("sub").is_dir()
    assert not turn.project.path("c").exists()
    finding, told, first, second = turn.err.splitlines()
    assert finding.startswith("warning[invalid-consent-pattern] ")
    assert told == (
        "the model may not use write_file, edit_file; to let it: --allow write,edit; "
        "allowed is only shell(mkdir:*), shell(touch:*)"
    )
    why = "it runs a command, which may do anything that you may do, and nobody is here to consent. "
    assert first.startswith("Not done: `touch 'a b'; ")
    assert "\x1b" not in first
    assert first.endswith(f"touch c`: {why}No pattern can allow it, since it is more than one plain command; "
                          "to allow the whole shell: --allow shell")  # fmt: skip
    assert second == f"Not done: `date -u`: {why}To allow it: --allow 'shell(date -u)'"


def test_a_deny_that_is_no_pattern_is_a_usage_error(turn: Turn) -> None:
    # S-12, U-5
    turn.project.write({"~/.xcsh/agent/settings.toml": 'consent.deny = ["shell(rm; x)"]\n'})
    assert turn(says("ok")) == 2
    path = turn.project.path("~/.xcsh/agent/settings.toml")
    assert turn.err.startswith(f"xcsh: {path}:1: consent.deny: 'shell(rm; x)' is not one plain command")


def test_the_model_of_the_settings_is_used(turn: Turn) -> None:
    # S-11
    recording = turn.project.root.parent / "set.jsonl"
    recording.write_text('{"recording": 1}\n{"reply": [{"text": "from settings"}]}\n')
    turn.project.write({"~/.xcsh/agent/settings.toml": f"model = {json.dumps(f'replay:{recording}')}"})
    assert turn.run("hi") == 0
    assert turn.out == "from settings\n"


def test_a_model_that_was_found_is_named(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    # S-11: it may cost money
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    with served(Reply((text("Hello."),))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert turn.run("hi") == 0
    assert turn.out == "Hello.\n"
    assert turn.err.splitlines()[0] == "model: anthropic:claude-sonnet-5-5, because ANTHROPIC_API_KEY is set"


def test_control_c_ends_with_130_and_closes_the_connection(turn: Turn) -> None:
    # U-1
    begun = Event()
    with served(Reply((text("a long answer"), Delay(60), text("never"))), begun=begun) as server:
        Thread(target=lambda: begun.wait(5) and os.kill(os.getpid(), signal.SIGINT)).start()
        assert turn.run("--model", "openai-chat:fake", "hi") == 130
        for _ in range(200):
            if server.exchanges[0].closed_at is not None:
                break
            Event().wait(0.005)
    assert server.exchanges[0].closed_at is not None
    assert server.exchanges[0].sent < server.exchanges[0].planned
    assert turn.out == ""
    assert turn.err == REFUSED


def test_control_c_during_a_replay_leaves_nothing_but_the_exit_code(
    turn: Turn, caplog: pytest.LogCaptureFixture
) -> None:
    # U-1, U-5
    timer = Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    assert turn({"reply": [{"text": "a long"}, {"delay": 60}, {"text": "never"}]}) == 130
    timer.join()
    assert turn.out == ""
    assert turn.err in ("", REFUSED)
    assert caplog.records == []


def test_on_a_real_terminal_text_streams_and_control_c_ends_it_cleanly(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S-15, U-1, U-5
    for name in ("PYTEST_VERSION", "CI"):  # where the framework would keep its banner to itself
        monkeypatch.delenv(name, raising=False)
    master, slave = pty.openpty()
    shown: list[str] = []

    def watch() -> None:
        while "so far" not in "".join(shown):
            shown.append(os.read(master, 1024).decode())
        os.kill(os.getpid(), signal.SIGINT)

    watcher = Thread(target=watch)
    with open(slave, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.setattr(sys, "stderr", terminal)
        watcher.start()
        assert turn({"reply": [{"text": "so far"}, {"delay": 60}, {"text": "never"}]}) == 130
        watcher.join()
        monkeypatch.undo()
        shown.append(os.read(master, 1024).decode())
    os.close(master)
    assert "".join(shown).replace("\r", "") == f"{REFUSED}so far\n"


def test_the_module_imports_nothing_heavy_before_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    # U-4
    wanted: list[str] = []
    real = builtins.__import__

    def spy(name: str, *args: Any, **kwargs: Any) -> Any:
        wanted.append(name.partition(".")[0])
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "xcsh.cli.verbs.print_turn")
    monkeypatch.setattr(builtins, "__import__", spy)
    import xcsh.cli.verbs.print_turn  # noqa: F401

    assert not {"pydantic_ai", "pydantic_ai_harness", "openai", "anthropic", "httpx2"} & set(wanted)
