"""Which commands a pattern may allow, held against real shells."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from xcsh.agent.consent.patterns import Request, allows, parse_pattern
from xcsh.agent.consent.shell_command import may_run, simple_command

SHELLS = [["/bin/sh"]] + [[bash, *flag] for bash in [shutil.which("bash")] if bash for flag in ([], ["--posix"])]
PROGRAMS = ("git", "npm", "find", "a", "status")
RECORDER = """#!/bin/sh
printf '%s\\0' "${0##*/}" "$@" >> "$RECORD"
printf '\\n' >> "$RECORD"
"""
FRAGMENTS = [
    *("git", "status", "npm", "find", "a", "b c", "-x", "--a=b", ".", "é", "\xa0", "\u2028", "a=b", "git status"),
    *(" ", "\t", "\n", "\r", ";", "&", "&&", "|", "||", "(", ")", "{", "}", "{a,b}", "<", ">", ">out", "2>&1", "<<E"),
    *("'", '"', "\\", "`", "$", "$x", "${x}", "$(npm)", "`npm`", "$((1))", "<(npm)", ">(npm)", "$'a'", '"$(npm)"'),
    *("#", "!", "*", "?", "[", "]", "~", "=", "^", "%", "@", ":", ",", "+", "eval", "exec", "if", "'$(npm)'", '"\\$x"'),
]
texts = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8).flatmap(
    lambda parts: st.sampled_from(["", " "]).map(lambda between: between.join(parts))
)


@pytest.fixture(scope="module")
def shelter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a PATH of its own, whose programs only write down that they ran, and with what."""
    folder = tmp_path_factory.mktemp("shelter")
    (folder / "bin").mkdir()
    (folder / "work").mkdir()
    (folder / "work" / "file").touch()
    for name in PROGRAMS:
        program = folder / "bin" / name
        program.write_text(RECORDER)
        program.chmod(0o755)
    return folder


def started(shelter: Path, shell: list[str], text: str) -> list[list[str]]:
    """The programs that a shell starts for a text, each with its arguments."""
    record = shelter / "record"
    record.write_text("")
    environment = {"PATH": str(shelter / "bin"), "RECORD": str(record), "HOME": "/nowhere", "x": "npm"}
    subprocess.run(  # noqa: PLW1510 - a command that fails is fine
        [*shell, "-c", text], cwd=shelter / "work", env=environment, capture_output=True, stdin=subprocess.DEVNULL,
        timeout=20,
    )  # fmt: skip
    assert [path.name for path in (shelter / "work").iterdir()] == ["file"]
    return [line.split("\0")[:-1] for line in record.read_text().split("\n") if line]


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: " ".join(Path(part).name for part in shell))
@given(text=texts)
@settings(max_examples=300)
@example(text="git status 'a;b' \"c|d\" \\; *")
@example(text="git status a'b'\"c\"\\d")
@example(text='git status "\\$x" "\\a" "\\\\"')
@example(text="git status ''")
def test_what_a_prefix_pattern_allows_starts_one_program_by_the_words_of_the_prefix(
    shelter: Path, shell: list[str], text: str
) -> None:
    """ "A prefix pattern must never allow more than one simple command." """
    # S-12
    text = text if text.startswith("git") else f"git status {text}"
    if not allows(parse_pattern("shell(git status:*)"), Request("shell", text)):
        return
    words = simple_command(text)
    assert words is not None
    programs = started(shelter, shell, text)
    assert len(programs) == 1
    assert programs[0][:2] == ["git", "status"]
    if not any(word.expands for word in words):
        assert programs[0] == [word.text for word in words]


@given(text=texts)
@settings(max_examples=300)
def test_words_are_those_that_shlex_finds(text: str) -> None:
    """ "Split words as a POSIX shell does (shlex, posix)." """
    words = simple_command(text)
    if words is None or '"\\$' in text:  # shlex keeps that backslash, a shell does not
        return
    assert [word.text for word in words] == shlex.split(text)


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: " ".join(Path(part).name for part in shell))
@given(text=texts)
@example(text=". git")
@example(text="command . git")
@settings(max_examples=60, derandomize=True)  # nothing certain: a shell has more ways to spell a word
def test_what_a_shell_starts_is_among_what_it_may_run(shelter: Path, shell: list[str], text: str) -> None:
    """`deny`: "whatever might be meant, as far as it can be seen"."""
    # S-12: variables, globs and braces are beyond it, which the documentation says
    assume("$x" not in text and "${x}" not in text and "$'" not in text and not set("*?[~") & set(text))
    assume(">" not in text and "<" not in text and "{a,b}" not in text)
    for program in started(shelter, shell, text):
        assert may_run(text, program[:1], exactly=False), program


@pytest.mark.parametrize(
    "text",
    [
        *("git status; rm x", "git status & rm x", "git status | sh", "git status\nrm x", "git status `rm x`"),
        *("git status $(rm x)", 'git status "$(rm x)"', "git status <(rm x)", "git status >(rm x)", "git status > x"),
        *("git status < x", "git status 2>&1", "git status {a,b}", "{ git status; }", "(git status)", "git status # x"),
        *("git status 'x", 'git status "x', "git status x\\", "LD_PRELOAD=x git status", "A+=x git status"),
        *("eval git status", "exec git status", "command git status", "env git status", "! git status", "time git"),
        *("git statusx", "gitstatus", "git", "git 'status x'", "./git status", "GIT status", "\\\ngit status"),
        *("git status $HOME", "git status $'x'", "git status\x00x", "git status\r", "git\xa0status", "git status\u2028x"),
        *("if git status", "", " ", "#git status", "git -c x=y status", "g[i]t status", "~/git status", "git *"),
    ],
)  # fmt: skip
def test_a_pattern_matches_nothing_that_is_more_or_other_than_its_command(text: str) -> None:
    # S-12
    assert not allows(parse_pattern("shell(git status:*)"), Request("shell", text))
    assert not allows(parse_pattern("shell(git status)"), Request("shell", text))


@pytest.mark.parametrize(
    "text",
    ["git status", " git\tstatus  ", "git status --short src/a.ts", "'git' \"status\" 'a;b'", "git status *.ts ~/x",
     "git status é", "git status HEAD^ a=b @{u}".replace("{u}", "u")],
)  # fmt: skip
def test_a_prefix_matches_its_words_and_whatever_plain_words_follow(text: str) -> None:
    # S-12
    assert allows(parse_pattern("shell(git status:*)"), Request("shell", text))


def test_a_quoted_star_and_a_star_are_not_the_same_word() -> None:
    # S-12
    assert not allows(parse_pattern("shell(rm '*.pyc')"), Request("shell", "rm *.pyc"))
    assert not allows(parse_pattern("shell(rm *.pyc)"), Request("shell", "rm '*.pyc'"))
    assert allows(parse_pattern("shell(rm *.pyc)"), Request("shell", "rm  *.pyc"))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("shell(find .:*)", "find . -exec rm x +"),
        ("shell(find .:*)", "find . -delete"),
        ("shell(find .:*)", "find . -exe*"),
        ("shell(test:*)", "test -v 'a[$(rm x)]'"),
        ("shell(printf:*)", "printf -v 'a[`rm x`]' b"),
    ],
)
def test_arguments_that_run_or_remove_something_are_asked_about(pattern: str, text: str) -> None:
    # S-12
    assert not allows(parse_pattern(pattern), Request("shell", text))


@pytest.mark.parametrize(
    "text",
    ["rm x", "/bin/rm x", "ls; rm x", "ls && rm x", "ls\nrm x", "echo $(rm x)", "echo `rm x`", 'echo "$(rm x)"', "A=b rm x",
     "sudo -u me rm x", "sh -c 'rm x'", "sh -c 'ls; rm x'", "xargs rm x", "'rm' x", "r\\m x", "if rm x; then a; fi",
     "(rm x)", "{ rm x; }", "find . -exec rm x {} +", "! rm x", "rm x 'open", "env A=b sh -c 'exec rm x'",
     "uv run rm x", "docker exec web rm x", "docker run -it --rm web sudo rm x", "direnv exec . rm x", "npm exec -- rm x",
     "rm\\\n x", "r\\\nm x", "ls # \\\nrm x", "ls \\\\\nrm x", "sudo \\\n  rm x",
     "rm$(true) x", "rm`true` x", "rm$nothing x", "r${n}m x", "`true` rm x"],
)  # fmt: skip
def test_a_denied_command_is_found_wherever_it_hides_in_plain_sight(text: str) -> None:
    # S-12
    assert may_run(text, ["rm"], exactly=False)


@pytest.mark.parametrize(
    "text",
    [". ./x", "source x", "a; . x", "command source x", "time -p . x", "eval . x", "sh -c '. x'", "$(. x)", "'.' x"],
)
def test_a_file_whose_commands_the_shell_itself_runs_may_hold_a_denied_one(text: str) -> None:
    # S-12
    assert may_run(text, ["rm"], exactly=False)
    assert may_run(text, ["rm"], exactly=True)


@pytest.mark.parametrize(
    "text", ["find . -name x", "grep -r x .", "ls . x", "sudo chown me . x", "git add .", "source"]
)
def test_a_dot_that_is_a_folder_is_no_file_of_commands(text: str) -> None:
    # S-12
    assert not may_run(text, ["rm"], exactly=False)


def test_a_denied_command_of_several_words_is_found_over_several_lines() -> None:
    # S-12
    assert may_run("git \\\n  push \\\n  -f", ["git", "push"], exactly=False)
    assert may_run("git push\\\n", ["git", "push"], exactly=True)


@pytest.mark.parametrize(
    "text",
    [
        "docker rm x",
        "docker run --rm web",
        "npm rm x",
        "uv pip rm x",
        "ls rm",
        "echo 'rm x'",
        "git rm x",
        "rmdir x",
        "grep rm *",
    ],
)
def test_a_word_that_is_only_mentioned_is_not_denied(text: str) -> None:
    # S-12
    assert not may_run(text, ["rm"], exactly=False)


@pytest.mark.parametrize(
    "text", ["sudo " * 20_000, "$(" * 20_000, "'" * 20_001, "`a " * 20_000, "a;" * 20_000, "\\" * 20_000]
)
def test_no_command_stalls_the_decision(text: str) -> None:
    # S-12: time grows with the input
    simple_command(text)
    may_run(text, ["rm", "x"], exactly=False)
