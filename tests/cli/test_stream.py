"""`xcsh stream`, as a person and as a program calls it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest
from tests.cli.conftest import Outcome, Xcsh
from tests.cli.shapes import check_shape

RULES = {
    ".xcsh/rules/no-any.md": '---\ncondition: ": any\\\\b"\nscope: tool:edit(*.ts), text\n---\nNo any.\n',
    ".xcsh/rules/py-print.md": "---\ncondition: print\\(\nscope: tool:write\n---\nNo print.\n",
    ".xcsh/rules/spell.md": "---\ncondition: colour\n---\nWrite color.\n",
    ".xcsh/rules/css.md": '---\ncondition: important\nglobs: ["*.css"]\n---\nNo.\n',
    ".xcsh/rules/always.md": "---\nalwaysApply: true\n---\nBe kind.\n",
}


@pytest.fixture
def streaming(xcsh: Xcsh) -> Xcsh:
    xcsh.project.write(RULES)
    return xcsh


def send(xcsh: Xcsh, text: str, *arguments: str) -> Outcome:
    xcsh.project.write({"input.txt": text})
    return xcsh("stream", *arguments, "input.txt")


def test_the_rule_that_fires_is_named_with_its_place_and_the_others_with_their_gate(streaming: Xcsh) -> None:
    # U-3, T-7a
    shape = send(streaming, "😀 const x: anything; y: any;", "--json").json
    assert shape["matches"] == [
        {
            "rule": "no-any",
            "condition": ": any\\b",
            "start": 22,
            "end": 27,
            "delta": 6,
            "source": "text",
            "text": ": any",
            "interrupts": True,
        }
    ]
    assert {item["rule"]: item["gate"] for item in shape["quiet"]} == {
        "py-print": "scope",
        "spell": "condition",
        "css": "scope",
    }
    check_shape("stream", shape)


# T-5
@pytest.mark.parametrize(
    ("path", "gate"), [(["--path", "src/a.ts"], None), (["--path", "src/a.py"], "path"), ([], "path")]
)
def test_the_path_of_a_call_decides(streaming: Xcsh, path: list[str], gate: str | None) -> None:
    shape = send(streaming, "x: any", "--rule", "no-any", "--source", "tool", "--tool", "Edit", *path, "--json").json
    assert [item["gate"] for item in shape["quiet"]] == ([gate] if gate else [])
    assert [item["start"] for item in shape["matches"]] == ([] if gate else [1])


def test_raw_input_is_the_arguments_of_the_call(streaming: Xcsh) -> None:
    # T-3a
    arguments = json.dumps({"old_text": "x: any", "new_text": "a\n: any", "path": "a.ts"})
    shape = send(streaming, arguments, "--rule", "no-any", "--source", "tool", "--raw", "--json").json
    assert [(item["start"], item["end"]) for item in shape["matches"]] == [(2, 7)]


@pytest.mark.parametrize("chunk", ["1", "3", "1000"])
def test_any_size_of_deltas_gives_the_same_offsets(streaming: Xcsh, chunk: str) -> None:
    # T-7
    shape = send(streaming, "a colour: any", "--chunk", chunk, "--json").json
    assert [(item["rule"], item["start"], item["end"]) for item in shape["matches"]] == [
        ("spell", 2, 8), ("no-any", 8, 13),
    ]  # fmt: skip


def test_people_get_a_line_for_every_rule(streaming: Xcsh) -> None:
    outcome = send(streaming, "colour")
    assert outcome.code == 0
    assert "spell: fires at 0 to 6 on `colour`, in piece 1, and stops the answer: condition `colour`" in outcome.out
    assert (
        "py-print: quiet, stopped by scope: watches tool:write only; to try it: --source tool --tool write\n"
        in outcome.out
    )


def test_a_rule_that_is_no_stream_rule_says_so(streaming: Xcsh) -> None:
    shape = send(streaming, "x", "--rule", "always", "--json").json
    assert [(item["rule"], item["gate"]) for item in shape["quiet"]] == [("always", "bucket")]


# U-1
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--rule", "nope"], 1), (["--chunk", "0"], 2), (["--tool", "edit"], 2), (["--source", "odd"], 2),
        (["gone.txt"], 2),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_said(streaming: Xcsh, arguments: list[str], code: int) -> None:
    streaming.project.write({"input.txt": "x"})
    outcome = streaming("stream", *arguments, *([] if "gone.txt" in arguments else ["input.txt"]))
    assert outcome.code == code
    assert outcome.err
    assert "Traceback" not in outcome.err


def test_the_text_can_come_from_standard_input(streaming: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é colour".encode())))
    assert streaming("stream", "--json").json["matches"][0]["start"] == 2


def test_a_standard_input_that_is_closed_is_said(streaming: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    # T-17; `xcsh stream <&-`
    monkeypatch.setattr(sys, "stdin", None)
    outcome = streaming("stream")
    assert (outcome.code, outcome.err.startswith("xcsh: there is no standard input")) == (2, True)


def test_stream_rules_that_are_switched_off_are_not_watched(streaming: Xcsh) -> None:
    # T-13
    streaming.project.write({"~/.xcsh/agent/settings.toml": "ttsr.enabled = false\n"})
    assert send(streaming, "colour", "--json").json["matches"] == []
    assert send(streaming, "colour", "--rule", "spell", "--json").json["quiet"][0]["gate"] == "bucket"


def test_the_verb_loads_none_of_the_heavy_modules(streaming: Xcsh) -> None:
    # U-4
    streaming.project.write({"input.txt": "colour"})
    root = str(streaming.project.root)
    code = (
        "import sys; before = set(sys.modules)\n"
        "from xcsh.cli.main import main\n"
        f"main(['-C', {root!r}, 'stream', 'input.txt'])\n"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    env = {**os.environ, "HOME": str(streaming.project.home)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "xcsh.guard.stream_guard" in loaded
    assert not loaded & {
        "asyncio",
        "pathlib",
        "dataclasses",
        "pydantic_ai",
        "logging",
        "inspect",
        "wcmatch",
        "pathspec",
    }


def test_what_keeps_a_refused_rule_quiet_is_said(streaming: Xcsh) -> None:
    # T-1, U-3: a broken rule is not left out without a word
    streaming.project.write({
        ".xcsh/rules/broken.md": "---\ncondition: ([a-z\n---\nB.\n",
        ".xcsh/rules/nowhere.md": "---\ncondition: a+b\nscope: edit\n---\nB.\n",
        ".xcsh/rules/void.md": "---\ncondition: ''\ndescription: D\n---\nB.\n",
        ".xcsh/rules/greedy.md": "---\ncondition: x*\n---\nB.\n",
        ".xcsh/rules/slip.md": "---\ncondition: a+b\nscope: tool:edti\n---\nB.\n",
    })  # fmt: skip
    outcome = send(streaming, "x")
    assert "broken: quiet, stopped by condition: the condition '([a-z' is no regular expression" in outcome.out
    assert "nowhere: quiet, stopped by condition: the scope 'edit' is none; did you mean 'tool:edit'?" in outcome.out
    assert "void: quiet, stopped by condition: `condition` holds no expression" in outcome.out
    assert "greedy: quiet, stopped by condition: the condition `x*` matches the empty text" in outcome.out
    assert outcome.code == 0
    assert "always" not in outcome.out
    shape = send(streaming, "x", "--json").json
    lines = {(item["code"], item["path"].rpartition("/")[2]): item["line"] for item in shape["diagnostics"]}
    assert lines == {
        ("invalid-condition", "broken.md"): 2, ("unreachable-condition", "nowhere.md"): 3,
        ("invalid-condition", "void.md"): 2, ("unknown-tool", "slip.md"): 3,
        ("matches-empty", "greedy.md"): 2,
    }  # fmt: skip
    doctor = streaming("doctor", "--json").json["diagnostics"]
    assert all(item in doctor for item in shape["diagnostics"])


# T-13
@pytest.mark.parametrize(
    ("tree", "options", "where"),
    [
        ({"~/.xcsh/agent/settings.toml": "\nttsr.enabled = false\n"}, [], "(~/.xcsh/agent/settings.toml:2)"),
        ({}, ["--set", "ttsr.enabled=false"], "(--set)"),
    ],
)
def test_the_place_that_switches_stream_rules_off_is_named(
    streaming: Xcsh, tree: dict[str, str], options: list[str], where: str
) -> None:
    streaming.project.write({**tree, "input.txt": "colour"})
    outcome = streaming("stream", *options, "input.txt")
    assert f"spell: quiet, stopped by bucket: stream rules are switched off {where}" in outcome.out
    assert len(outcome.out.splitlines()) == 4


# T-3a, T-5
@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ("x: any", "the input is no JSON of a call's arguments"),
        ('{"old_text": "x: any", "new_text": "y", "path": "a.ts"}', "what it removes is not watched"),
        ('{"new_text": "y", "path": "a.ts"}', "no condition matches the text that the call introduces"),
        ('{"path": "a.ts"}', "the arguments introduce no text"),
        ('{"new_text": ": any ", "path": "a.py"}', "is for *.ts only, not a.py"),
        ('{"new_text": ": any "}', "is for *.ts only, and no path is given"),
    ],
)
def test_raw_arguments_that_make_nothing_fire_say_why(streaming: Xcsh, arguments: str, detail: str) -> None:
    outcome = send(streaming, arguments, "--rule", "no-any", "--source", "tool", "--raw")
    assert detail in outcome.out
    assert ("is no JSON object" in outcome.err) == (arguments == "x: any")


def test_a_path_beside_the_one_of_the_arguments_is_left_aside_and_said(streaming: Xcsh) -> None:
    # T-5
    arguments = json.dumps({"path": "a.py", "new_text": "x: any "})
    outcome = send(streaming, arguments, "--rule", "no-any", "--source", "tool", "--raw", "--path", "lib/a.ts")
    assert "is for *.ts only, not a.py" in outcome.out
    assert "the arguments name a.py" in outcome.err
    assert "--path lib/a.ts is left aside" in outcome.err
    without = send(
        streaming, '{"new_text": "x: any "}', "--rule", "no-any", "--source", "tool", "--raw", "--path", "a.ts"
    )
    assert ("fires at 1 to 6" in without.out, without.err) == (True, "")


def test_a_tool_that_is_none_is_said(streaming: Xcsh) -> None:
    # T-3
    outcome = send(streaming, "x", "--source", "tool", "--tool", "edt")
    assert "no tool is known as 'edt'" in outcome.err
    assert "did you mean edit?" in outcome.err
    streaming.project.write({".xcsh/rules/own.md": "---\ncondition: a+b\nscope: tool:deploy_page\n---\nB.\n"})
    assert "no tool is known" not in send(streaming, "x", "--source", "tool", "--tool", "Deploy_Page").err


def test_a_glob_is_written_once_and_a_condition_in_quotes(streaming: Xcsh) -> None:
    # T-4, T-5
    streaming.project.write({
        ".xcsh/rules/twice.md": "---\ncondition: a+b\nscope: tool:edit(*.ts), tool:write(*.ts)\n---\nB.\n",
        ".xcsh/rules/lock.md": "---\ncondition: '*.lock'\ninterrupt_mode: never\n---\nB.\n",
    })  # fmt: skip
    outcome = send(streaming, "x", "--source", "tool", "--path", "web/yarn.lock")
    assert "twice: quiet, stopped by path: is for *.ts only, not web/yarn.lock" in outcome.out
    assert "lock: fires for the file web/yarn.lock, in piece 0, and only reminds: condition `*.lock`" in outcome.out


def test_a_match_that_only_reminds_says_so(streaming: Xcsh) -> None:
    # T-12
    streaming.project.write({".xcsh/rules/soft.md": "---\ncondition: grey\ninterrupt_mode: never\n---\nB.\n"})
    outcome = send(streaming, "grey colour")
    assert "soft: fires at 0 to 4 on `grey`, in piece 0, and only reminds: condition `grey`" in outcome.out
    shape = send(streaming, "grey colour", "--json").json
    assert {item["rule"]: item["interrupts"] for item in shape["matches"]} == {"soft": False, "spell": True}


def test_a_folder_without_rules_names_the_one_above_that_has_some(streaming: Xcsh) -> None:
    # U-5
    streaming.project.path("src/deep").mkdir(parents=True)
    streaming.project.write({"src/deep/input.txt": "x"})
    deep = streaming("-C", str(streaming.project.path("src/deep")), "stream", "input.txt")
    assert (deep.code, deep.out) == (0, "")
    assert "no stream rules are active here\n  A folder above has some: xcsh -C ../.. stream" in deep.err
    assert "A folder above has some: xcsh -C ../.. rules" in streaming("-C", str(streaming.project.path("src/deep")), "rules").out  # fmt: skip


def test_a_terminal_is_told_that_it_is_read(streaming: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    # U-2, U-5
    leader, follower = os.openpty()
    try:
        os.write(leader, b"a colour\n\x04")
        with os.fdopen(follower, "rb", buffering=0) as terminal:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(terminal)))  # pyright: ignore[reportArgumentType]
            outcome = streaming("stream", "--rule", "spell")
    finally:
        os.close(leader)
    assert "Ctrl-D on a line of its own ends it" in outcome.err
    assert "spell: fires at 2 to 8 on `colour`" in outcome.out


def test_the_help_says_what_the_exit_code_means(streaming: Xcsh) -> None:
    # U-1
    assert "exit code: 0 whether a rule fires or not" in streaming("stream", "--help").out
