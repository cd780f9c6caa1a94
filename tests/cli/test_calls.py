"""Calls after `xcsh -p`: commands in Python run where they may, templates are filled in, the rest goes to the model."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Outcome, Xcsh

from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust

EXTENSION = (
    "def register(extension):\n"
    "    @extension.command('hello', description='Greets')\n"
    "    def hello(context, args):\n"
    "        print('noise')\n"
    "        context.say(f'hello {args}')\n"
)


class Turn:
    """Runs `xcsh -p` with a recording that demands a certain prompt."""

    def __init__(self, xcsh: Xcsh, folder: Path) -> None:
        self.xcsh = xcsh
        self.recording = folder / "recording.jsonl"

    def __call__(self, text: str, expected: str | None = None) -> Outcome:
        exchange = {"expect": {"user": expected or text}, "reply": [{"text": "the answer"}]}
        lines = [{"recording": 1, "prompt": text}, exchange]
        self.recording.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return self.xcsh("-p", "--model", f"replay:{self.recording}", text)


@pytest.fixture
def turn(xcsh: Xcsh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Turn:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    return Turn(xcsh, tmp_path)


def trust_project(xcsh: Xcsh) -> None:
    assert trust(make_environment(str(xcsh.project.root), str(xcsh.project.home))).trusted


# C-20, S-1
def test_a_file_command_is_expanded_before_it_is_sent(turn: Turn) -> None:
    turn.xcsh.project.write({".claude/commands/check.md": "Check $1, then stop."})
    assert turn("/check src/a.ts", "Check src/a.ts, then stop.").out == "the answer\n"


# C-26
def test_an_unknown_name_is_sent_as_it_stands(turn: Turn) -> None:
    outcome = turn("/usr/bin is full")
    assert (outcome.code, outcome.out) == (0, "the answer\n")


# C-26, and nothing is dropped silently
def test_a_call_of_a_file_that_is_skipped_is_sent_and_the_file_is_named(turn: Turn) -> None:
    turn.xcsh.project.write({".gemini/commands/plan.toml": "prompt = x", ".claude/commands/plain.md": "Plain."})
    outcome = turn("/plan x")
    assert (outcome.code, outcome.out) == (0, "the answer\n")
    assert "/plan is sent as text, since no command is named so; .gemini/commands/plan.toml:1:10 is skip" in outcome.err
    assert "the value of `prompt` is a text without quotes" in outcome.err


# C-26, and nothing is dropped silently
def test_a_name_that_is_nearly_a_command_is_sent_and_the_command_is_named(turn: Turn) -> None:
    turn.xcsh.project.write({".claude/commands/check-all.md": "Check.", ".xcsh/prompts/hello.md": "Hello."})
    outcome = turn("/chek-all src")
    assert (outcome.code, outcome.out) == (0, "the answer\n")
    assert "/chek-all is sent as text, since no command is named so; did you mean /check-all" in outcome.err
    assert "did you mean /hello" in turn("/helo").err
    for text in ("/check-all src", "/usr/check-al", "chek-all"):
        outcome = turn(text, "Check" if text == "/check-all src" else text)
        assert outcome.code == 0
        assert "did you mean" not in outcome.err


# S-1: an extension command runs at once, and nothing is sent
def test_a_users_extension_answers_without_a_model(turn: Turn) -> None:
    turn.xcsh.project.write({"~/.xcsh/agent/extensions/greeting.py": EXTENSION})
    outcome = turn.xcsh("-p", "/hello you")
    assert (outcome.code, outcome.out) == (0, "hello you\n")
    assert "noise" in outcome.err


# S-1: what a custom command returns goes on
def test_what_a_custom_command_returns_is_sent(turn: Turn) -> None:
    body = "def run(context, args):\n    return 'Summarise ' + ', '.join(args)\n"
    turn.xcsh.project.write({"~/.xcsh/agent/commands/sum.py": body})
    assert turn("/sum a 'b c'", "Summarise a, b c").out == "the answer\n"


# S-5
def test_a_command_that_raises_fails_the_turn_and_sends_nothing(turn: Turn) -> None:
    turn.xcsh.project.write({"~/.xcsh/agent/commands/bad.py": "def run(context, args):\n    raise ValueError('no')\n"})
    outcome = turn("/bad")
    assert (outcome.code, outcome.out) == (1, "")
    assert "bad.py:2" in outcome.err
    assert "Traceback" not in outcome.err


# code of a project folder is loaded only when the folder is trusted, bound to the content of what will run
def test_code_of_a_project_runs_only_after_trust_and_until_it_changes(turn: Turn) -> None:
    turn.xcsh.project.write({".xcsh/extensions/greeting.py": EXTENSION})
    outcome = turn("/hello you")
    assert outcome.out == "the answer\n"
    assert "xcsh trust" in outcome.err
    trust_project(turn.xcsh)
    assert turn.xcsh("-p", "/hello you").out == "hello you\n"
    turn.xcsh.project.write({".xcsh/extensions/greeting.py": EXTENSION + "\n# changed\n"})
    assert turn("/hello you").out == "the answer\n"


# U-4: listing runs nothing
def test_commands_in_python_are_listed_and_not_run(xcsh: Xcsh, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    body = f"open({str(mark)!r}, 'w')\ndescription = 'Adds up'\nargument_hint = '[n]'\ndef run(context, args): ...\n"
    xcsh.project.write(
        {".xcsh/commands/sum.py": body, ".xcsh/commands/sum.md": "Sum.", ".xcsh/extensions/e.py": EXTENSION}
    )
    shape = xcsh("commands", "--all", "--json").json
    assert [item["reason"] for item in shape["skipped"]] == ["untrusted", "untrusted"]
    assert [entry["path"].rsplit(".", 1)[1] for entry in shape["commands"] if entry["name"] == "sum"] == ["md"]
    trust_project(xcsh)
    found = [entry for entry in xcsh("commands", "--all", "--json").json["commands"] if entry["name"] == "sum"]
    assert [(entry["path"].rsplit(".", 1)[1], entry["shadowed"]) for entry in found] == [("py", False), ("md", True)]
    assert (found[0]["description"], found[0]["argumentHint"]) == ("Adds up", "[n]")
    assert "/sum [n]" in xcsh("commands").out
    assert not mark.exists()


# unless the folder is trusted
def test_settings_of_a_trusted_folder_reach_everything(xcsh: Xcsh) -> None:
    xcsh.project.write({
        ".xcsh/settings.toml": '[discovery]\ndisabled = ["rule:mine"]\n\n[prompt]\nbudget_tokens = 1\n',
        "~/.cursor/rules/mine.mdc": "---\nalwaysApply: true\n---\nMine and long.\n",
    })  # fmt: skip
    before = xcsh("rules", "--json").json
    assert [rule["name"] for rule in before["rules"]] == ["mine"]
    assert "setting-not-allowed" in {item["code"] for item in before["diagnostics"]}
    trust_project(xcsh)
    after = xcsh("rules", "--json").json
    assert after["rules"] == []
    assert "setting-not-allowed" not in {item["code"] for item in after["diagnostics"]}
    xcsh.project.write({".xcsh/settings.toml": "[discovery]\ndisabled = ['rule:mine']\n# changed\n"})
    assert [rule["name"] for rule in xcsh("rules", "--json").json["rules"]] == ["mine"]


# S-5: no later stage runs by accident
@pytest.mark.parametrize("level", ["~/.xcsh/agent", ".xcsh"])
def test_a_command_in_python_that_cannot_run_stops_the_turn(turn: Turn, level: str) -> None:
    turn.xcsh.project.write({f"{level}/commands/review.py": "def run(", ".claude/commands/review.md": "Review."})
    outcome = turn("/review a", "Review.")
    assert (outcome.code, outcome.out) == (1, "")
    assert "/review is a command in Python that is not run" in outcome.err


# S-1: what a project may not run hides nothing of the user's
def test_untrusted_code_of_a_project_does_not_take_away_a_users_command(turn: Turn) -> None:
    turn.xcsh.project.write({
        ".xcsh/commands/sum.py": "def run(context, args): ...\n",
        "~/.xcsh/agent/commands/sum.py": "def run(context, args):\n    return 'Mine'\n",
        ".xcsh/commands/hello.py": "def run(context, args): ...\n",
        "~/.xcsh/agent/extensions/greeting.py": EXTENSION,
    })  # fmt: skip
    assert turn("/sum", "Mine").out == "the answer\n"
    assert turn.xcsh("-p", "/hello you").out == "hello you\n"


# R-21, C-23: what an author wrote is what is sent
def test_an_expansion_is_sent_with_the_space_around_it(turn: Turn) -> None:
    turn.xcsh.project.write({".xcsh/commands/ind.md": "\n    indented $1\n"})
    assert turn("/ind x", "\n    indented x\n").out == "the answer\n"


# S-1
def test_a_handled_command_needs_no_agent(turn: Turn) -> None:
    import subprocess
    import sys

    turn.xcsh.project.write({"~/.xcsh/agent/extensions/greeting.py": EXTENSION})
    code = (
        "import sys; sys.modules['pydantic_ai'] = None\n"
        "from xcsh.cli.main import main\n"
        f"sys.exit(main(['-C', {str(turn.xcsh.project.root)!r}, '-p', '/hello you']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stdout) == (0, "hello you\n")


# what expand and explain say is what a turn does
def test_expand_and_explain_know_commands_in_python(xcsh: Xcsh) -> None:
    body = "description = 'Adds up'\ndef run(context, args): ...\n"
    xcsh.project.write({"~/.xcsh/agent/commands/sum.py": body, ".claude/commands/sum.md": "Sum."})
    outcome = xcsh("expand", "/sum 1 2")
    assert outcome.out == "/sum 1 2"
    assert "is answered by code" in outcome.err
    winner, loser = xcsh("explain", "/sum", "--json").json["matches"]
    assert (winner["item"]["path"].endswith("sum.py"), loser["item"]["shadowed"]) == (True, True)
    xcsh.project.write({"~/.xcsh/agent/commands/broken.py": "def run("})
    assert xcsh("doctor").code == 1
    assert "broken.py" in xcsh("doctor").out


# code of a project runs only when it is trusted: `python -m` puts the working folder first on the path
@pytest.mark.parametrize("module", ["argparse", "tomllib", "json", "re", "typing"])
def test_no_module_of_the_project_passes_for_one_of_the_library(xcsh: Xcsh, module: str) -> None:
    import os
    import subprocess
    import sys

    xcsh.project.write({f"{module}.py": "import sys; sys.stderr.write('EVIL')\n", ".xcsh/settings.toml": "x = 1\n"})
    env = {**os.environ, "HOME": str(xcsh.project.home)}
    command = [sys.executable, "-m", "xcsh", "commands", "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd=xcsh.project.root)
    assert "EVIL" not in done.stderr
    assert done.returncode == 0


# what is shown before it is trusted is what Python reads
def test_trust_shows_a_file_as_python_reads_it(xcsh: Xcsh) -> None:
    hidden = b"# coding: utf-7\n# harmless +AAo-print('EVIL')\n"
    xcsh.project.write({".xcsh/extensions/a.py": hidden, ".xcsh/extensions/b.py": b"# comment\rprint('CR')\n"})
    shown = [line.split(None, 1)[-1] for line in xcsh("trust", "--show", "--yes").out.splitlines()]
    assert "print('EVIL')" in shown
    assert "print('CR')" in shown


# the program ends, whatever a command leaves behind
def test_a_thread_that_a_command_leaves_behind_does_not_hold_up_the_end(xcsh: Xcsh) -> None:
    import os
    import subprocess
    import sys

    body = (
        "import threading, time\n"
        "def run(context, args):\n"
        "    threading.Thread(target=time.sleep, args=(1000,), daemon=False).start()\n"
        "    context.say('done')\n"
    )
    xcsh.project.write({"~/.xcsh/agent/commands/linger.py": body})
    command = [sys.executable, "-m", "xcsh", "-C", str(xcsh.project.root), "-p", "/linger"]
    env = {**os.environ, "HOME": str(xcsh.project.home)}
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=30
    )
    assert (done.returncode, done.stdout) == (0, "done\n")
