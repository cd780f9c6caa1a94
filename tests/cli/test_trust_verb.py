"""`xcsh trust`, as a person at a terminal and as a script calls it."""

from __future__ import annotations

import hashlib
import os
import sys

import pexpect
import pytest
from tests.cli.conftest import Xcsh
from tests.support import Project

from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import is_trusted

CODE = {
    ".xcsh/extensions/deploy.py": "def register(extension):\n\tpass  # \u202eevil\x1b[2J\n",
    ".xcsh/commands/standup.py": "def run(context, args): ...\n",
    ".xcsh/settings.toml": "reference = true\n",
}


def trusted(project: Project) -> bool:
    return is_trusted(make_environment(os.fspath(project.root), os.fspath(project.home)))


@pytest.fixture
def code(xcsh: Xcsh) -> Project:
    xcsh.project.write(CODE)
    return xcsh.project


def test_everything_that_would_take_effect_is_shown_with_size_and_hash(xcsh: Xcsh, code: Project) -> None:
    outcome = xcsh("trust", "--yes")
    lines = outcome.out.splitlines()
    assert lines[0] == "what would take effect  3 files"
    for line, (name, content) in zip(lines[1:4], CODE.items(), strict=True):
        digest = hashlib.sha256(content.encode()).hexdigest()
        assert line.split() == [name, str(len(content.encode())), "bytes", "sha256", digest[:12]]
    assert lines[4:] == ["to read it: xcsh trust --show"]
    assert outcome.err == "not trusted: this folder has not been trusted\ntrusted, as long as none of this changes\n"
    assert outcome.code == 0
    assert trusted(code)


def test_the_content_is_shown_with_everything_written_out_that_could_deceive(xcsh: Xcsh, code: Project) -> None:
    outcome = xcsh("trust", "--show", "--yes")
    assert "      1  def register(extension):\n" in outcome.out
    assert "      2      pass  # \\u202eevil\\x1b[2J\n" in outcome.out
    assert "      1  reference = true\n" in outcome.out
    assert "\x1b" not in outcome.out


# U-1: usage, since nobody can answer
@pytest.mark.parametrize("option", [[], ["--show"]])
def test_without_a_terminal_nothing_is_trusted_unasked(xcsh: Xcsh, code: Project, option: list[str]) -> None:
    outcome = xcsh("trust", *option)
    assert outcome.code == 2
    assert "to trust it unasked: xcsh trust --yes" in outcome.err
    assert not trusted(code)


def at_a_terminal(project: Project, answer: str) -> tuple[int, str]:
    """Exit code and all that is shown."""
    child = pexpect.spawn(
        sys.executable, ["-m", "xcsh", "-C", str(project.root), "trust"],
        env={**os.environ, "HOME": str(project.home), "NO_COLOR": "1"}, encoding="utf-8", timeout=20,
    )  # fmt: skip
    child.expect_exact("trust this folder with exactly this content? [y/N] ")
    shown = str(child.before)
    child.send(answer)
    child.expect(pexpect.EOF)
    child.close()
    return int(child.exitstatus or 0), shown + str(child.before)


@pytest.mark.parametrize("answer", ["y\n", "yes\n", "Y\n"])
def test_a_person_is_asked_after_everything_was_shown(code: Project, answer: str) -> None:
    exit_code, shown = at_a_terminal(code, answer)
    assert exit_code == 0
    assert all(name in shown for name in CODE)
    assert trusted(code)


@pytest.mark.parametrize("answer", ["\n", "n\n", "yeah\n", "\x04"])
def test_anything_but_yes_is_no(code: Project, answer: str) -> None:
    exit_code, shown = at_a_terminal(code, answer)
    assert exit_code == 1
    assert "not trusted; nothing was changed" in shown
    assert not trusted(code)


def test_an_interrupt_is_no(code: Project) -> None:
    exit_code, _ = at_a_terminal(code, "\x03")
    assert exit_code == 130
    assert not trusted(code)


def test_what_changes_while_a_person_reads_is_not_trusted(code: Project) -> None:
    child = pexpect.spawn(
        sys.executable, ["-m", "xcsh", "-C", str(code.root), "trust"],
        env={**os.environ, "HOME": str(code.home)}, encoding="utf-8", timeout=20,
    )  # fmt: skip
    child.expect_exact("[y/N] ")
    code.write({".xcsh/extensions/deploy.py": "import evil\n"})
    child.sendline("y")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1
    assert "a file changed while you were reading" in str(child.before)
    assert not trusted(code)


def test_a_change_is_named_the_next_time(xcsh: Xcsh, code: Project) -> None:
    xcsh("trust", "--yes")
    assert "nothing has changed since" in xcsh("trust").err
    code.write({".xcsh/commands/standup.py": "import evil\n"})
    outcome = xcsh("trust", "--yes")
    assert outcome.err.startswith("not trusted: since this folder was trusted: .xcsh/commands/standup.py has changed\n")
    assert trusted(code)


def test_trust_is_taken_back(xcsh: Xcsh, code: Project) -> None:
    xcsh("trust", "--yes")
    assert (xcsh("trust", "--revoke").code, trusted(code)) == (0, False)
    outcome = xcsh("trust", "--revoke")
    assert (outcome.code, outcome.err) == (0, "this folder was not trusted\n")


def test_a_folder_without_code_needs_no_trust(xcsh: Xcsh) -> None:
    outcome = xcsh("trust")
    assert (outcome.code, outcome.out) == (0, "")
    assert "nothing in this folder needs trust" in outcome.err
    assert not xcsh.project.path("~/.xcsh").exists()


def test_a_file_that_cannot_be_vouched_for_stops_it(xcsh: Xcsh, code: Project) -> None:
    code.link(".xcsh/commands/out.py", "/etc/hostname")
    outcome = xcsh("trust", "--yes")
    assert outcome.code == 1
    assert "cannot be trusted: .xcsh/commands/out.py is a link that leaves the project" in outcome.err
    assert not trusted(code)


def test_the_list_says_which_folders_are_trusted_and_which_no_longer(xcsh: Xcsh, code: Project) -> None:
    assert xcsh("trust", "--list").err == "no folder is trusted\n"
    xcsh("trust", "--yes")
    real = os.path.realpath(code.root)
    assert xcsh("trust", "--list").out == f"{real}\n  trusted, 3 files\n"
    code.path(".xcsh/settings.toml").unlink()
    assert xcsh("trust", "--list").out == (
        f"{real}\n  not any more; since this folder was trusted: .xcsh/settings.toml is gone\n"
    )


# U-3
def test_json_says_the_state_and_asks_nothing(xcsh: Xcsh, code: Project) -> None:
    outcome = xcsh("trust", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    shape = outcome.json
    content = CODE[".xcsh/commands/standup.py"].encode()
    assert list(shape) == ["cwd", "trusted", "reason", "files", "texts"]
    assert (shape["cwd"], shape["trusted"]) == (str(code.root), False)
    assert shape["files"][1] == {
        "path": str(code.path(".xcsh/commands/standup.py")),
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "problem": None,
    }
    shape = xcsh("trust", "--yes", "--json").json
    assert (shape["trusted"], shape["reason"]) == (True, None)
    assert xcsh("trust", "--list", "--json").json == {"folders": [{**shape, "cwd": os.path.realpath(code.root)}]}
    assert xcsh("trust", "--revoke", "--json").json["trusted"] is False


def test_json_with_a_file_that_cannot_be_vouched_for_trusts_nothing(xcsh: Xcsh, code: Project) -> None:
    code.link(".xcsh/commands/out.py", "/etc/hostname")
    outcome = xcsh("trust", "--yes", "--json")
    assert (outcome.code, outcome.json["trusted"]) == (1, False)


@pytest.mark.parametrize("options", [["--yes", "--revoke"], ["--list", "--revoke"], ["--list", "--yes"]])
def test_options_that_contradict_each_other_are_wrong_use(xcsh: Xcsh, code: Project, options: list[str]) -> None:
    assert xcsh("trust", *options).code == 2
    assert not trusted(code)


def test_a_broken_store_is_said_and_kept(xcsh: Xcsh, code: Project) -> None:
    code.write({"~/.xcsh/agent/trust.json": "{"})
    outcome = xcsh("trust", "--yes")
    assert outcome.code == 2
    assert outcome.err.startswith("error[invalid-trust-file] ")
    assert "cannot be read, so it is not changed\n  correct or delete the file" in outcome.err
    assert code.path("~/.xcsh/agent/trust.json").read_text() == "{"


# S-12: what `.mcp.json` would start is shown exactly, with what it is given
def test_servers_that_a_file_names_are_shown_as_they_would_run(xcsh: Xcsh) -> None:
    entry = '"command": "npx", "args": ["-y", "a b"], "env": {"K": "${T}"}, "cwd": "sub", "trust": true'
    text = f'{{"mcpServers": {{"one": {{{entry}}}, "two": {{"url": "http://x\\u001b[2J"}}, "off": {{"command": "x", "disabled": true}}}}}}'
    xcsh.project.write({".mcp.json": text})
    outcome = xcsh("trust", "--yes")
    assert outcome.out.splitlines()[2:6] == [
        "    one runs: K='${T}' npx -y 'a b', in sub, given your T",
        "    two connects to: http://x\\x1b[2J",
        "    off is disabled",
        "    warning: `trust` of the server 'one' allows nothing: its calls are asked about",
    ]
    assert outcome.code == 0
    assert trusted(xcsh.project)
