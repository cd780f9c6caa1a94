"""`xcsh stream`, as a person and as a program calls it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from importlib import resources

import jsonschema
import pytest
from tests.cli.conftest import Outcome, Xcsh

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
        {"rule": "no-any", "condition": ": any\\b", "start": 22, "end": 27, "delta": 6, "source": "text"}
    ]
    assert {item["rule"]: item["gate"] for item in shape["quiet"]} == {
        "py-print": "scope", "spell": "condition", "css": "scope",
    }  # fmt: skip
    text = resources.files("xcsh").joinpath("schemas/output.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(shape, {**json.loads(text), "$ref": "#/$defs/stream"}, cls=jsonschema.Draft202012Validator)


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
    assert "spell: fires at 0 to 6, in delta 1: colour" in outcome.out
    assert "py-print: quiet, stopped by scope: watches tool:write only" in outcome.out


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
