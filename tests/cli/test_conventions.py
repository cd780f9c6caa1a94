"""What holds of the command line as a whole: exit codes, streams, start-up, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Xcsh
from tests.cli.trees import FULL
from tests.support import Project

from xcsh.cli.options import distance
from xcsh.cli.verb_table import UNTYPED, VERBS

LIGHT = [
    ["rules"], ["rules", "--json"], ["explain", "react"], ["doctor"], ["prompt"], ["read", "rule://api-errors"],
    ["stream", ".xcsh/rules/no-any.md"], ["sessions"], ["config"], ["config", "ttsr.enabled", "--json"],
]  # fmt: skip
DENIED = {
    "asyncio", "pydantic", "pydantic_ai", "pydantic_ai_harness", "rich", "textual", "mcp", "acp", "anthropic", "openai",
    "httpx", "httpx2", "dataclasses", "logging", "importlib.metadata", "pathspec", "wcmatch", "pathlib", "inspect",
}  # fmt: skip


def run(project: Project, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(project.home), "PYTHONIOENCODING": "utf-8", **environment}
    command = [sys.executable, "-m", "xcsh", "-C", str(project.root), *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", check=False)


# U-4
@pytest.mark.parametrize("arguments", LIGHT, ids=" ".join)
def test_a_light_verb_loads_none_of_the_heavy_modules(project: Project, arguments: list[str]) -> None:
    project.write({name: text for name, text in FULL.items() if "broken" not in name})
    code = (
        "import sys; before = set(sys.modules)\n"
        "from xcsh.cli.main import main\n"
        f"main(['-C', {str(project.root)!r}, *{arguments!r}])\n"
        "print('\\n'.join(sorted(set(sys.modules) - before)), file=sys.stderr)"
    )
    env = {**os.environ, "HOME": str(project.home)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert f"xcsh.cli.verbs.{arguments[0]}" in loaded
    assert not loaded & DENIED


def test_a_bare_import_loads_nothing_but_the_package_itself() -> None:
    code = "import sys; before = set(sys.modules); import xcsh; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "xcsh" in loaded
    assert not loaded & (DENIED | {"yaml", "re", "json", "argparse"})


def test_the_public_names_are_pinned_and_all_load() -> None:
    import xcsh

    assert xcsh.__all__ == [
        "Diagnostic", "Entry", "Registry", "Rule", "RuleNotFoundError", "RuleUrlError", "UsageError", "XcshError",
        "__version__", "discover", "read_rule", "render_prompt",
    ]  # fmt: skip
    assert all(getattr(xcsh, name) is not None for name in xcsh.__all__)
    assert set(xcsh.__all__) <= set(dir(xcsh))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = xcsh.nonsense


# U-1, and issue text: a lone bare word near a verb is a usage error, not a prompt
@pytest.mark.parametrize("word", ["rulse", "rule", "docter", "explian", "prmpt", "raed", "ruless"])
def test_a_lone_word_near_a_verb_is_a_usage_error(xcsh: Xcsh, word: str) -> None:
    outcome = xcsh(word)
    assert outcome.code == 2
    assert "is no verb; did you mean" in outcome.err
    assert f"xcsh -p {word}" in outcome.err


@pytest.mark.parametrize("typed", [("exlpain", "x"), ("exlpain", "x", "--json"), ("--reference", "exlpain", "-C", ".")])
def test_the_first_of_several_words_near_a_verb_is_a_usage_error_too(xcsh: Xcsh, typed: tuple[str, ...]) -> None:
    # U-1
    outcome = xcsh(*typed)
    assert outcome.code == 2
    assert outcome.err.startswith("xcsh: 'exlpain' is no verb; did you mean `xcsh explain`?\n")


@pytest.mark.parametrize("typed", [("explain this",), ("x" * 1_000_000,), ("a", "rule"), ("add", "a", "test")])
def test_a_text_that_is_no_near_verb_is_not_taken_for_one(xcsh: Xcsh, typed: tuple[str, ...]) -> None:
    # U-1
    assert "is no verb" not in xcsh(*typed).err


def test_the_page_of_the_command_line_names_every_verb() -> None:
    # U-1
    page = Path(__file__).parents[2].joinpath("docs", "command-line.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if verb not in UNTYPED and f"| `xcsh {verb}" not in page] == []


def test_distance_counts_single_character_edits() -> None:
    assert [distance(word, "rules") for word in ("rules", "rule", "ruls", "xrules", "rulse", "help")] == [
        0,
        1,
        1,
        1,
        2,
        4,
    ]


# U-1
@pytest.mark.parametrize(
    "arguments",
    [
        ["rules", "--nonsense"],
        ["explain"],
        ["read"],
        ["--nonsense"],
        ["-C", "does/not/exist", "rules"],
        ["hello", "there"],
    ],
)
def test_wrong_use_exits_with_two_and_says_what_to_do(xcsh: Xcsh, arguments: list[str]) -> None:
    outcome = xcsh(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    assert outcome.err.strip()


# U-1: the listing verbs exit 0 whatever the diagnostics
def test_listing_verbs_exit_with_zero_whatever_the_diagnostics(xcsh: Xcsh) -> None:
    xcsh.project.write(FULL)
    assert [xcsh(verb).code for verb in ("rules", "prompt")] == [0, 0]


# U-1, U-5
def test_a_bug_of_ours_exits_with_three_and_writes_a_log(
    xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(_: object) -> int:
        raise ZeroDivisionError("by design")

    monkeypatch.setattr(VERBS["rules"].load(), "run", broken)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    outcome = xcsh("rules")
    assert outcome.code == 3
    assert "Traceback" not in outcome.err
    log = tmp_path / "state" / "xcsh" / "crash.log"
    assert str(log) in outcome.err
    assert "ZeroDivisionError: by design" in log.read_text()


# U-2
def test_data_goes_to_standard_output_and_everything_else_to_standard_error(project: Project) -> None:
    project.write(FULL)
    done = run(project, "prompt")
    assert "tokens" in done.stderr
    assert "tokens" not in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


# U-2
def test_no_colour_where_the_stream_is_no_terminal_or_no_color_is_set(project: Project) -> None:
    import pexpect

    project.write(FULL)
    command = f"{sys.executable} -m xcsh -C {project.root} rules"
    env = {**os.environ, "HOME": str(project.home), "TERM": "xterm-256color"}

    def seen(**extra: str) -> str:
        child = pexpect.spawn(command, env={**env, **extra}, encoding="utf-8", dimensions=(50, 100), timeout=20)
        child.expect(pexpect.EOF)
        return str(child.before)

    assert "\x1b[1m" in seen()
    assert "\x1b" not in seen(NO_COLOR="1")
    assert "\x1b" not in run(project, "rules").stdout


# U-2
def test_a_reader_that_goes_away_is_no_error(project: Project) -> None:
    project.write(FULL)
    command = f"{sys.executable} -m xcsh -C {project.root} rules --json --all | head -c 1"
    done = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, "HOME": str(project.home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_names_that_no_encoding_can_print_do_not_stop_a_verb(project: Project) -> None:
    project.write({".xcsh/rules/é.md": "---\ndescription: ü\n---\nx\n"})
    done = run(project, "rules", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\xe9" in done.stdout


def test_options_may_stand_on_either_side_of_the_verb(project: Project) -> None:
    project.write(FULL)
    env = {**os.environ, "HOME": str(project.home)}
    command = [sys.executable, "-m", "xcsh", "--reference", "rules", "-C", str(project.root), "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert '"agents-md"' not in done.stdout.split('"skipped"')[0]


# reference mode, three ways
def test_reference_mode_is_a_flag_a_variable_and_a_setting(xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    xcsh.project.write(FULL)
    by_flag = xcsh("rules", "--json", "--reference").json["rules"]
    monkeypatch.setenv("XCSH_REFERENCE", "1")
    by_variable = xcsh("rules", "--json").json["rules"]
    monkeypatch.delenv("XCSH_REFERENCE")
    assert by_flag != xcsh("rules", "--json").json["rules"]
    xcsh.project.write({"~/.xcsh/agent/settings.toml": "reference = true\n"})
    assert by_flag == by_variable == xcsh("rules", "--json").json["rules"]
    assert "AGENTS" not in {rule["name"] for rule in by_flag}


def test_help_names_every_verb(xcsh: Xcsh) -> None:
    outcome = xcsh("--help")
    assert outcome.code == 0
    assert all(f"  {verb} " in outcome.out for verb in VERBS if verb not in UNTYPED)
