"""Completion of command lines, as functions and in a real bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Xcsh
from tests.cli.trees import FULL

from xcsh.cli.completing import words_of
from xcsh.cli.verb_table import VERBS


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", [""]),
        ("xcsh ", ["xcsh", ""]),
        ("xcsh  explain  a", ["xcsh", "explain", "a"]),
        ("xcsh read 'rule://a b", ["xcsh", "read", "rule://a b"]),
        (r"xcsh read a\ b", ["xcsh", "read", "a b"]),
        ("xcsh x \"it's", ["xcsh", "x", "it's"]),
    ],
)
def test_a_line_is_taken_apart_as_a_shell_does_also_where_it_is_not_at_its_end(line: str, words: list[str]) -> None:
    # U-6
    assert words_of(line) == words


@pytest.mark.parametrize(
    ("line", "some", "none"),
    [
        ("xcsh ", {"rules", "doctor", "completion"}, {"turn", "chat"}),
        ("xcsh -", {"--print", "-C", "--model"}, {"rules"}),
        ("xcsh rules ", {"house-style"}, {"rules"}),
        ("xcsh explain h", {"house-style"}, {"api-errors"}),
        ("xcsh explain /r", {"/review"}, set()),
        ("xcsh -C x expand /", {"/review"}, {"house-style"}),
        ("xcsh read ", {"rule://house-style"}, {"house-style"}),
        ("xcsh read rule://h", {"rule://house-style"}, {"rule://api-errors"}),
        ("xcsh read h", {"house-style"}, set()),
        ("xcsh doctor ", {".."}, {"house-style"}),
        ("xcsh doctor .cu", {".cursor/"}, {".clinerules/"}),
        ("xcsh doctor .cursor/", {".cursor/rules/"}, set()),
        ("xcsh doctor --s", {"--sarif", "--strict"}, {"--json"}),
        ("xcsh config ttsr.e", {"ttsr.enabled"}, {"ttsr.repeat_gap"}),
        ("xcsh --set ttsr.e", {"ttsr.enabled="}, set()),
        ("xcsh config ", {"set", "unset", "path"}, set()),
        ("xcsh sessions ", {"list", "show"}, set()),
        ("xcsh hook --for c", {"claude", "cursor"}, {"gemini"}),
        ("xcsh completion ", {"bash", "zsh", "fish"}, set()),
        ("xcsh nonsense ", set(), set()),
    ],
)
def test_what_may_follow(line: str, some: set[str], none: set[str], xcsh: Xcsh) -> None:
    # U-6
    xcsh.project.write({**FULL, ".claude/commands/review.md": "Review $ARGUMENTS.\n"})
    done = xcsh("completion", "--line", line)
    found = set(done.out.splitlines())
    assert (done.code, done.err) == (0, "")
    assert some - {".."} <= found
    assert not none & found


def test_every_verb_is_completed_and_each_has_options(xcsh: Xcsh) -> None:
    # U-6
    shown = xcsh("completion", "--line", "xcsh ").out.splitlines()
    assert set(shown) == set(VERBS) - {"turn", "chat"}
    for verb in shown:
        assert "--help" in xcsh("completion", "--line", f"xcsh {verb} --").out.splitlines()


def test_descriptions_stand_behind_a_tab_and_cannot_drive_the_terminal(xcsh: Xcsh) -> None:
    # U-6
    xcsh.project.write({".claude/commands/evil.md": '---\ndescription: "a\\tb\\x1b[2J"\n---\nx\n'})
    (line,) = xcsh("completion", "--line", "xcsh expand /evil", "--about").out.splitlines()
    assert line.startswith("/evil\t")
    assert "\x1b" not in line
    assert line.count("\t") == 1


def test_without_a_shell_it_says_which_there_are(xcsh: Xcsh) -> None:
    done = xcsh("completion")
    assert (done.code, done.out) == (2, "")
    assert "bash, zsh, fish" in done.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_a_real_bash_completes_names_with_colons(xcsh: Xcsh) -> None:
    # U-6
    xcsh.project.write({**FULL, ".xcsh/rules/of two words.md": "---\ndescription: d\n---\nx\n"})
    script = xcsh("completion", "bash").out
    program = f"""\
xcsh() {{ "{sys.executable}" -m xcsh "$@"; }}
{script}
try() {{ COMP_LINE="$1" COMP_POINT=${{#1}}; _xcsh xcsh "$2" "$3"; printf '%s\\n' "${{COMPREPLY[@]}}"; }}
try 'xcsh read rule://hou' '//hou' ':'
try 'xcsh explain hou' 'hou' 'explain'
try 'xcsh explain of\\ t' 'of\\ t' 'explain'
try 'xcsh explain "of t' '"of t' 'explain'
try 'xcsh doctor --js' '--js' 'doctor'
try 'xcsh read --r' '--r' 'read'
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run(
        ["bash", "-c", program], cwd=xcsh.project.root, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "//house-style",
        "house-style",
        r"of\ two\ words",
        "of two words",
        "--json",
        "--reference",
    ]


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
def test_a_real_fish_completes_names_with_what_they_are(xcsh: Xcsh) -> None:
    # U-6
    xcsh.project.write(FULL)
    script = xcsh("completion", "fish").out
    program = f"""function xcsh; "{sys.executable}" -m xcsh $argv; end
{script}
complete -C 'xcsh read rule://hou'
complete -C 'xcsh explain hou'
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run(
        ["fish", "--no-config", "-c", program],
        cwd=xcsh.project.root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["rule://house-style", "house-style"]
    assert "\t" in done.stdout


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh here")
def test_a_real_zsh_offers_words_and_puts_no_space_behind_a_folder(xcsh: Xcsh) -> None:
    # U-6
    xcsh.project.write({**FULL, "docs/a.md": ""})
    script = xcsh("completion", "zsh").out
    program = f"""compdef() {{ :; }}
compadd() {{ print -r -- "$@"; }}
xcsh() {{ "{sys.executable}" -m xcsh "$@"; }}
{script}
words=(xcsh explain hou) CURRENT=3
_xcsh
words=(xcsh doctor doc) CURRENT=3
_xcsh
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run(
        ["zsh", "-f", "-c", program], cwd=xcsh.project.root, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["-l -d shown -- house-style", "-S  -l -d open_shown -- docs/"]
