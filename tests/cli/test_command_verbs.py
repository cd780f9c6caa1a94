"""The verbs commands and expand, as a person and as a program calls them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from typing import Any

import jsonschema
import pytest
from tests.cli.conftest import Xcsh
from tests.cli.shapes import check_shape
from tests.cli.test_conventions import DENIED
from tests.support import Project

from xcsh.slash.lookup import aliases_of, names_of

PLUGINS = "~/.claude/plugins/installed_plugins.json"
LONG = "the quick brown fox jumps over the lazy dog and goes on to do so " * 4
COMMANDS = {
    ".xcsh/commands/review.md": "---\ndescription: Mine\nargument-hint: <path>\n---\nReview $1 {{#if args}}now{{/if}}.",
    ".claude/commands/review.md": "Shadowed.",
    ".claude/commands/git/wip.md": f"---\ndescription: {LONG}\nallowed-tools: Bash(git:*), Read\n---\nSave.",
    "~/.claude/commands/resume.md": "---\ndisable-model-invocation: true\nmodel: opus\n---\nCosts $1.50.",
    f".codex/commands/{'long-name-' * 9}.md": f"---\nargument-hint: {LONG}\n---\n\u5bbd\u5b57\u7b26 {LONG}",
    f".codex/commands/{'deep/' * 10}x.txt": "no command",
    ".codex/commands/empty.md": "---\nname: e\n---\n",
    "~/kit/commands/scan.md": "Scan {{args}}.",
    ".xcsh/prompts/greet.md": "---\ndescription: Greets\nargument-hint: <who>\n---\nGreet $1.",
    ".xcsh/skills/maps/SKILL.md": "---\ndescription: Draws maps\n---\nDraw.",
}


@pytest.fixture
def full(xcsh: Xcsh) -> Xcsh:
    entry = {"installPath": str(xcsh.project.home / "kit")}
    xcsh.project.write({**COMMANDS, PLUGINS: json.dumps({"plugins": {"kit@m": [entry]}})})
    return xcsh


def columns(line: str) -> int:
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in line
    )


def send(xcsh: Xcsh, *arguments: str | bytes) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "HOME": str(xcsh.project.home)}
    command = [sys.executable, "-m", "xcsh", "-C", str(xcsh.project.root), *arguments]
    return subprocess.run(command, env=env, capture_output=True, check=False)


# U-3
@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("commands", ["commands", "--json"]),
        ("commands", ["commands", "--all", "--json"]),
        ("expand", ["expand", "/review a 'b c'", "--json"]),
        ("expand", ["expand", "/resume", "--json"]),
        ("expand", ["expand", "/skill:maps", "--json"]),
        ("expand", ["expand", "/nothing of the kind", "--json"]),
        ("expand", ["expand", "no call", "--json"]),
    ],
)
@pytest.mark.parametrize("mode", [[], ["--reference"]])
def test_every_json_output_satisfies_the_schema(full: Xcsh, verb: str, arguments: list[str], mode: list[str]) -> None:
    check_shape(verb, full(*arguments, *mode).json)


# U-3
@pytest.mark.parametrize(("verb", "call", "place"), [("commands", "commands", "commands"), ("expand", "expand", None)])
def test_the_schema_forbids_what_is_not_in_it(full: Xcsh, verb: str, call: str, place: str | None) -> None:
    shape = full(call, *(["/review"] if call == "expand" else []), "--json").json
    (shape[place][0] if place else shape)["surprise"] = 1
    with pytest.raises(jsonschema.ValidationError):
        check_shape(verb, shape)


# U-3: "what one reads back from --json equals what discover() returned"
@pytest.mark.parametrize("mode", [[], ["--reference"]])
def test_what_one_reads_back_from_json_equals_what_discover_returned(full: Xcsh, mode: list[str]) -> None:
    full.project.write(
        {".claude/commands/odd \u202e\u00e9\U0001f600.md": "---\ndescription: 5\n---\nB\u00e9 \U0001f600\n"}
    )
    registry = full.project.discover(reference=bool(mode))
    shape = full("commands", "--all", "--json", *mode).json
    names = names_of(registry.commands.all)
    assert len(shape["commands"]) == len(registry.commands.all)
    for read, (command, _, winner) in zip(shape["commands"], registry.commands.all, strict=True):
        expected: dict[str, Any] = {
            "name": command.name,
            "description": command.description,
            "argumentHint": command.argument_hint,
            "provider": command.origin.provider,
            "providerName": command.origin.title,
            "level": command.origin.level,
            "path": command.path,
            "source": command.source,
            "template": command.template,
            "aliases": aliases_of(command, names),
            "allowedTools": list(command.allowed_tools),
            "model": command.model,
            "modelInvocable": command.model_invocable,
            "userInvocable": command.user_invocable,
            "shadowed": winner is not None,
            "shadowedBy": winner.path if winner else None,
        }
        assert read == expected
    skipped = [(item["path"], item["reason"]) for item in shape["skipped"]]
    assert skipped == [(item.path, item.reason) for item in registry.commands.skipped]
    assert len(shape["diagnostics"]) == len(registry.diagnostics)


# U-3: `--all` adds shadowed and skipped ones
def test_without_all_only_active_commands_are_listed(full: Xcsh) -> None:
    shape = full("commands", "--json").json
    assert shape["skipped"] == []
    assert not any(command["shadowed"] for command in shape["commands"])
    assert [command["aliases"] for command in shape["commands"] if command["name"] == "scan"] == [["kit:scan"]]


def test_commands_are_listed_by_source_with_hint_and_description(full: Xcsh) -> None:
    outcome = full("commands")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    for line in ("via xcsh Project", "via Claude Code User", "via Claude Plugins User", "bundled", "SKILLS"):
        assert line in lines
    assert any(line.startswith("  /review <path>") and line.endswith("  Mine") for line in lines)
    assert any(line.startswith("  /greet <who>") and line.endswith("Greets") for line in lines)
    assert any(line.startswith("  /skill:maps") for line in lines)
    assert "Shadowed." not in outcome.out
    assert "xcsh commands --all" in outcome.out


def test_all_adds_the_shadowed_and_skipped_ones_with_their_reasons(full: Xcsh) -> None:
    out = full("commands", "--all").out
    assert "SHADOWED" in out
    assert "by .xcsh/commands/review.md" in out
    assert "SKIPPED" in out
    assert ".codex/commands/empty.md  empty (no content)" in out


@pytest.mark.parametrize("arguments", [["commands"], ["commands", "--all"]])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(
    full: Xcsh, arguments: list[str], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if width != 80:
        monkeypatch.setenv("COLUMNS", str(width))
    lines = full(*arguments).out.splitlines()
    assert len(lines) > 15
    assert [line for line in lines if columns(line) > width] == []


def test_an_empty_project_lists_the_commands_of_the_package(xcsh: Xcsh) -> None:
    outcome = xcsh("commands")
    assert outcome.code == 0
    assert "bundled" in outcome.out
    assert outcome.err == ""


# U-1: the listing verbs exit 0 whatever the diagnostics
def test_commands_exits_with_zero_whatever_the_diagnostics(xcsh: Xcsh) -> None:
    xcsh.project.write({".xcsh/commands/a.md": "---\nhide-from-all: [\n---\n", PLUGINS: "{"})
    for mode in ([], ["--all"], ["--json"]):
        outcome = xcsh("commands", *mode)
        assert outcome.code == 0
        assert outcome.err == ""


ODD = "\x1b[31m\u202e\x07\u2066\u200b\x9b\r"


# control characters and text that reorders never reach a terminal as they are
@pytest.mark.parametrize(
    "arguments", [["commands"], ["commands", "--all"], ["expand", "/odd"], ["expand", "/nam"], ["expand", f"/{ODD}"]]
)
def test_names_hints_and_descriptions_cannot_drive_a_terminal(xcsh: Xcsh, arguments: list[str]) -> None:
    escaped = json.dumps(ODD)[1:-1]
    xcsh.project.write(
        {
            ".codex/commands/a.md": f'---\nname: "nam{escaped}"\ndescription: "d{escaped}"\nargument-hint: "h{escaped}"\n---\nx',
            f".codex/commands/name{ODD}.md": f"{ODD} first line",
            f".codex/commands/name{ODD}.txt": "skipped",
            f"~/.codex/commands/name{ODD}.md": "winner",
            ".xcsh/commands/odd.md": f"costs `$1` {ODD}{{{{#if args}}}}",
            f".xcsh/prompts/p{ODD}.md": f"---\ndescription: {ODD}\n---\nx",
            f".xcsh/skills/s{ODD}/SKILL.md": f"{ODD}",
        }
    )
    outcome = xcsh(*arguments)
    assert outcome.code in (0, 1)
    shown = outcome.err if arguments[0] == "expand" else outcome.out + outcome.err
    assert not [character for character in ODD if character in shown and character not in "[31m"]
    assert shown


# U-2: "Data goes to standard output", byte for byte
@pytest.mark.parametrize(
    ("body", "call", "sent"),
    [
        ("<$1>", "/c 'a  b'", "<a  b>"),
        ("Body.\n", "/c", "Body.\n"),
        ("Body. \r\n\r\n", "/c", "Body. \n\n"),
        ("---\ndescription: D\n---\n\nBody.\n", "/c", "Body."),
        ("é\U0001f600\u2028\u200e\x1b[31m$1", "/c \x07é", "é\U0001f600\u2028\u200e\x1b[31m\x07é"),
        ("x", "/c one\ntwo", "x\n\none\ntwo"),
        ("x", "/nothing  a\n b ", "/nothing  a\n b "),
        ("x", "just  text\n", "just  text\n"),
    ],
)
def test_an_expansion_is_printed_byte_for_byte(xcsh: Xcsh, body: str, call: str, sent: str) -> None:
    xcsh.project.write({".xcsh/commands/c.md": body})
    assert send(xcsh, "expand", call).stdout == sent.encode()


def test_bytes_that_are_no_text_arrive_as_they_were_typed(xcsh: Xcsh) -> None:
    xcsh.project.write({".xcsh/commands/c.md": "<$1>"})
    assert send(xcsh, "expand", b"/c \xff\xfe").stdout == b"<\xff\xfe>"


# U-1
@pytest.mark.parametrize(
    ("call", "code"),
    [("/review", 0), ("/kit:scan", 0), ("/user:resume", 0), ("/wip", 0), ("/greet", 0), ("/skill:maps", 0), ("text", 0), ("/", 0), ("/ x", 0), ("/nothing", 1), ("/skill:none", 1)],
)  # fmt: skip
def test_expand_fails_only_for_a_call_that_no_command_answers(full: Xcsh, call: str, code: int) -> None:
    assert full("expand", call).code == full("expand", call, "--json").code == code


def test_words_of_their_own_make_one_call(full: Xcsh) -> None:
    assert full("expand", "/review", "a", "b").out == full("expand", "/review a b").out == "Review a now."


def test_a_call_may_hold_what_looks_like_an_option_behind_two_dashes(full: Xcsh) -> None:
    assert full("expand", "--", "/kit:scan", "--json").out == "Scan --json."


# C-40, and nothing is dropped silently
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("/plan x", [".gemini/commands/plan.toml:1:13 is skipped: no TOML: a comma", "take the comma away"]),
        ("/git:wip", [".gemini/commands/git/wip.toml:1:1 is skipped: the command has no `prompt`", "give it a key"]),
        ("/note", [".gemini/commands/note.md is skipped: the ending is none"]),
        ("/skill:maps", [".claude/skills/maps/SKILL.md:4:1 is skipped: the skill has no content", "write the"]),
        ("/pla", ["did you mean /plain?"]),
    ],
)
def test_a_call_of_a_file_that_is_skipped_names_the_file_and_its_fault(xcsh: Xcsh, call: str, told: list[str]) -> None:
    xcsh.project.write({
        ".gemini/commands/plan.toml": 'prompt = "x",\n', ".gemini/commands/plain.toml": 'prompt = "x"\n',
        ".gemini/commands/git/wip.toml": 'a = "x"\n', ".gemini/commands/note.md": "x",
        ".claude/skills/maps/SKILL.md": "---\nname: maps\n---\n",
    })  # fmt: skip
    outcome = xcsh("expand", call)
    first, *lines = outcome.err.splitlines()
    assert first == f"xcsh: no command is named {call.split(maxsplit=1)[0]}; it would be sent to the model as it stands"
    assert [words in line for words, line in zip(told, lines, strict=True)] == [True] * len(told), lines
    assert ("SKIPPED" in xcsh("explain", call.split(maxsplit=1)[0]).out) == (call != "/pla")


# The issue says: "the nearest names for an unknown command"
@pytest.mark.parametrize(
    ("call", "near"),
    [
        ("/reveiw x", "/review"),
        ("/scna", "/scan"),
        ("/gret", "/greet"),
        ("/skill:map", "/skill:maps"),
        ("/git-wip", "/git:wip"),
    ],
)
def test_an_unknown_call_is_printed_unchanged_and_the_nearest_names_are_said(full: Xcsh, call: str, near: str) -> None:
    outcome = full("expand", call)
    assert (outcome.code, outcome.out) == (1, call)
    first, second = outcome.err.splitlines()
    assert first == f"xcsh: no command is named {call.split(maxsplit=1)[0]}; it would be sent to the model as it stands"
    assert second.startswith("  did you mean ")
    assert near in second


def test_without_a_near_name_the_list_is_named(full: Xcsh) -> None:
    assert full("expand", "/qqqqqqqq").err.splitlines()[1] == "  see: xcsh commands"


# C-27: the findings about a template come with what it becomes
def test_findings_about_the_command_go_to_standard_error(full: Xcsh) -> None:
    outcome = full("expand", "/resume 9")
    assert (outcome.code, outcome.out) == (0, "Costs 9.50.")
    assert "amount-placeholder" in outcome.err
    assert "resume.md:5:7" in outcome.err
    codes = {item["code"] for item in full("expand", "/resume 9", "--json").json["diagnostics"]}
    assert codes == {"amount-placeholder", "shadowed-by-builtin"}


def test_expand_says_in_json_what_it_matched(full: Xcsh) -> None:
    shape = full("expand", "/review 'a b' c", "--json").json
    assert {**shape, "diagnostics": []} == {
        "matched": True,
        "command": "review",
        "args": ["a b", "c"],
        "text": "Review a b now.",
        "includes": [],
        "diagnostics": [],
    }
    assert full("expand", "/nothing x", "--json").json == {
        "matched": False,
        "command": None,
        "args": [],
        "text": "/nothing x",
        "includes": [],
        "diagnostics": [],
    }


@pytest.mark.parametrize(
    "arguments", [["expand"], ["expand", "--all", "/x"], ["commands", "x"], ["commands", "--nonsense"]]
)
def test_wrong_use_exits_with_two(xcsh: Xcsh, arguments: list[str]) -> None:
    outcome = xcsh(*arguments)
    assert (outcome.code, outcome.out) == (2, "")


# C-27, U-1: reference mode, and what it changes here
def test_reference_mode_reaches_both_verbs(full: Xcsh) -> None:
    full.project.write({".xcsh/commands/e.md": "\\$1"})
    assert full("expand", "/e x").out == "$1\n\nx"
    assert full("expand", "/e x", "--reference").out == "\\x"
    names = {command["name"] for command in full("commands", "--json", "--reference").json["commands"]}
    assert "review" in names
    assert "git:wip" not in names


# U-4
@pytest.mark.parametrize("arguments", [["commands"], ["commands", "--all", "--json"], ["expand", "/kit:scan x"], ["expand", "/greet x", "--json"]], ids=" ".join)  # fmt: skip
def test_the_verbs_load_none_of_the_heavy_modules(full: Xcsh, arguments: list[str]) -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from xcsh.cli.main import main\n"
        f"assert main(['-C', {str(full.project.root)!r}, *{arguments!r}]) == 0\n"
        "print('\\n'.join(sorted(set(sys.modules) - before)), file=sys.stderr)"
    )
    env = {**os.environ, "HOME": str(full.project.home)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "xcsh.pipeline" in loaded
    assert not loaded & DENIED


# U-4: without commands, what only commands need is not loaded either
def test_a_project_without_commands_pays_for_none(project: Project) -> None:
    project.write({".xcsh/rules/a.md": "---\nalwaysApply: true\n---\nA."})
    code = (
        "import sys\n"
        "from xcsh.cli.main import main\n"
        f"main(['-C', {str(project.root)!r}, 'rules'])\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    env = {**os.environ, "HOME": str(project.home)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert not set(done.stderr.split()) & {"json", "yaml", "difflib"}


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("/resume", "opus (for its turn)"),
        ("/git:wip", "tools Bash(git:*), Read (for its turn, the tools after consent)"),
    ],
)
def test_explain_says_what_a_command_asks_for_and_when_it_gets_it(full: Xcsh, name: str, detail: str) -> None:
    # C-41
    code, out, _ = full("explain", name)
    assert code == 0
    assert detail in " ".join(out.split())
