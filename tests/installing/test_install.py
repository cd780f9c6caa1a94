"""`--install` shows what a file of another program becomes, writes it, and takes it out again."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
import tomllib
from typing import Any

import pytest
from tests.support import Project

from xcsh.cli.main import main
from xcsh.installing.targets import HOOK_TARGETS, MCP_TARGETS

CASES = [("mcp", name) for name in MCP_TARGETS] + [("hook", name) for name in HOOK_TARGETS]
TARGETS = {"mcp": MCP_TARGETS, "hook": HOOK_TARGETS}
THEIRS: dict[str, Any] = {
    "theme": "dark",
    "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "theirs"}]}]},
}


@pytest.fixture(autouse=True)
def at_home(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", os.fspath(project.home))
    monkeypatch.chdir(project.root)


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_hooks_of_others_stay_also_beside_ours_and_where_they_are_called_like_it(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, beside, alike = (
        {"command": each} for each in ("xcsh hook --for claude", "theirs", "other hook --for claude")
    )
    groups = [{"matcher": "Bash", "hooks": [ours, beside]}, {"hooks": [alike]}, {"hooks": [ours]}]
    project.write({".claude/settings.json": json.dumps({"hooks": {"PreToolUse": groups}})})
    assert call(capsys, "hook", "--install", "claude", "--remove", "--yes")[0] == 0
    left = json.loads(project.path(".claude/settings.json").read_text())
    assert left == {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [beside]}, {"hooks": [alike]}]}}


@pytest.mark.parametrize("verb", ["mcp", "hook"])
def test_an_option_without_the_program_that_it_is_about_is_an_error(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = call(capsys, verb, "--remove")
    assert (code, "--remove is said of no program" in err) == (2 if verb == "mcp" else 1, True)
    code, _, err = call(capsys, verb, "--install=claude")
    assert (code, "nothing was written" in err) == (1, True)


def values(text: str) -> dict[str, Any]:
    return tomllib.loads(text) if text.lstrip().startswith(("[", "#")) or not text else json.loads(text)


@pytest.mark.parametrize(("verb", "name"), CASES)
def test_it_is_shown_first_and_written_only_when_agreed(
    verb: str, name: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project.root / TARGETS[verb][name].project
    code, shown, err = call(capsys, verb, "--install", name)
    assert (code, path.exists()) == (1, False)
    assert "--yes" in err
    code, again, err = call(capsys, verb, "--install", name, "--yes")
    assert (code, again) == (0, shown)
    assert f"take it out again: xcsh {verb} --remove {name}\n" in err
    assert all(f"+{line}" in shown for line in path.read_text("utf-8").splitlines())


@pytest.mark.parametrize(("verb", "name"), CASES)
@pytest.mark.parametrize("scope", [[], ["--user"]])
def test_twice_is_once_and_removed_it_leaves_nothing(
    verb: str, name: str, scope: list[str], project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    target = TARGETS[verb][name]
    if scope and not target.user:
        code, _, err = call(capsys, verb, "--install", name, "--yes", *scope)
        assert code in (1, 2)
        assert "leave --user away" in err
        return
    path = project.path(target.user) if scope else project.root / target.project
    assert call(capsys, verb, "--install", name, "--yes", *scope)[0] == 0
    first = path.read_text("utf-8")
    assert "it is in there already" in call(capsys, verb, "--install", name, "--yes", *scope)[2]
    assert path.read_text("utf-8") == first
    assert call(capsys, verb, "--install", name, "--remove", "--yes", *scope)[0] == 0
    assert list(project.root.iterdir()) == []
    assert not scope or not path.exists()
    assert "it is not in there" in call(capsys, verb, "--install", name, "--remove", "--yes", *scope)[2]


@pytest.mark.parametrize(("verb", "name"), [case for case in CASES if case != ("mcp", "codex")])
def test_what_others_have_there_stays_byte_for_byte(
    verb: str, name: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project.root / TARGETS[verb][name].project
    before = "// mine\n" + json.dumps(THEIRS, indent=4) + "\n"
    project.write({TARGETS[verb][name].project: before})
    path.chmod(0o600)
    call(capsys, verb, "--install", name, "--yes")
    assert "// mine" in path.read_text("utf-8")
    assert '"command": "theirs"' in path.read_text("utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    call(capsys, verb, "--install", name, "--remove", "--yes")
    left = values(path.read_text("utf-8").removeprefix("// mine\n"))
    assert {key: left[key] for key in THEIRS} == THEIRS


def test_comments_of_toml_stay(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    before = '# mine\nmodel = "x"  # fast\n\n[mcp_servers.other]\ncommand = "y"\n'
    project.write({".codex/config.toml": before})
    call(capsys, "mcp", "--install", "codex", "--yes")
    after = (project.root / ".codex/config.toml").read_text("utf-8")
    assert "# mine" in after
    assert "# fast" in after
    assert tomllib.loads(after)["mcp_servers"] == {
        "other": {"command": "y"},
        "xcsh": {"command": "xcsh", "args": ["mcp"]},
    }
    call(capsys, "mcp", "--install", "codex", "--remove", "--yes")
    assert (project.root / ".codex/config.toml").read_text("utf-8") == before


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [("claude", '{"mcpServers": ', ":1:16"), ("claude", '{"mcpServers": 7}', "`mcpServers` is no object"),
     ("codex", "[mcp_servers", "no TOML"), ("codex", "mcp_servers = 7", "no table")],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_left_alone(
    name: str, text: str, place: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project.root / MCP_TARGETS[name].project
    project.write({MCP_TARGETS[name].project: text})
    code, out, err = call(capsys, "mcp", "--install", name, "--yes")
    assert (code, out, path.read_text("utf-8")) == (2, "", text)
    assert place in err


def test_the_users_own_file_calls_xcsh_by_its_whole_path(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    call(capsys, "mcp", "--install", "claude", "--user", "--yes")
    server = values((project.home / ".claude.json").read_text("utf-8"))["mcpServers"]["xcsh"]
    assert server == {"command": sys.executable, "args": ["-P", "-m", "xcsh", "mcp"]}


def test_a_folder_that_cannot_be_written_is_said(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write({".cursor": "a file where the folder should be"})
    code, _, err = call(capsys, "mcp", "--install", "cursor", "--yes")
    assert code == 2
    assert "cannot be" in err


def test_a_link_to_a_file_stays_a_link(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write({"dotfiles/mcp.json": "{}"})
    link = project.link(".mcp.json", "dotfiles/mcp.json")
    call(capsys, "mcp", "--install", "claude", "--yes")
    assert link.is_symlink()
    assert "xcsh" in (project.root / "dotfiles/mcp.json").read_text("utf-8")


@pytest.mark.parametrize(
    "before", ["a = 1\r\n", "a = 1", "# c\r\n[z]\r\nq = 1", "a = 1\r\n\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n\r\n"]
)
def test_toml_keeps_its_line_ends_and_whether_the_last_line_has_one(before: str) -> None:
    target = MCP_TARGETS["codex"]
    after = target.install(before, "p", ["xcsh"])
    assert tomllib.loads(after)["mcp_servers"]["xcsh"]["args"] == ["mcp"]
    end = "\r\n" if "\r\n" in before else "\n"
    assert after.startswith(before.rstrip())
    assert after.replace(end, "").count("\n") == 0
    assert after.endswith(end) == before.endswith(end)
    assert target.remove(after, "p", []) == before


def test_a_comment_where_ours_were_stays_whether_they_go_or_come(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    path, before = (
        ".gemini/settings.json",
        '{\n  "hooks": {\n    "BeforeTool": [\n      // {"hooks": []}, later\n    ]\n  }\n}\n',
    )
    project.write({path: before})
    for _ in range(2):
        assert call(capsys, "hook", "--install", "gemini", "--yes")[0] == 0
        assert "later" in (project.root / path).read_text("utf-8")
    assert call(capsys, "hook", "--install", "gemini", "--remove", "--yes")[0] == 0
    assert (project.root / path).read_text("utf-8") == before


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(project.root / ".mcp.json")
    code, _, err = call(capsys, "mcp", "--install", "claude", "--yes")
    assert (code, "is no regular file" in err) == (2, True)


@pytest.mark.parametrize("order", [1, -1])
def test_of_everything_that_was_installed_in_an_empty_folder_nothing_is_left(
    order: int, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb, name in CASES:
        assert call(capsys, verb, "--install", name, "--yes")[0] == 0
    for verb, name in CASES[::order]:
        assert call(capsys, verb, "--remove", name, "--yes")[0] == 0
    assert list(project.root.iterdir()) == []


@pytest.mark.parametrize(
    "before",
    ['{"hooks": {}}\n', '{"hooks": {}, "theme": "dark"}\n', '{\n  "hooks": {},\n  "theme": "dark"\n}\n',
     '{\n  "theme": "dark"\n}\n', '{"theme": "dark"}', "{\n  // none yet\n}\n", '{\n  "hooks": {\n    // none\n  }\n}\n',
     '{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "x",\n        "hooks": []\n      }\n    ]\n  }\n}\n'],
)  # fmt: skip
def test_what_a_user_has_there_is_as_it_was(before: str, project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.write({".claude/settings.json": before, ".claude/other": ""})
    assert "it is not in there" in call(capsys, "hook", "--remove", "claude", "--yes")[2]
    assert call(capsys, "hook", "--install", "claude", "--yes")[0] == 0
    assert call(capsys, "hook", "--remove", "claude", "--yes")[0] == 0
    assert project.path(".claude/settings.json").read_text("utf-8") == before


def test_a_link_stays_also_where_nothing_is_left_in_its_file(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write({"dotfiles/mcp.json": ""})
    project.link(".mcp.json", "dotfiles/mcp.json")
    assert call(capsys, "mcp", "--install", "claude", "--yes")[0] == 0
    assert call(capsys, "mcp", "--remove", "claude", "--yes")[0] == 0
    assert project.path(".mcp.json").is_symlink()
    assert json.loads(project.path("dotfiles/mcp.json").read_text("utf-8")) == {"mcpServers": {}}


@pytest.mark.parametrize(("verb", "scope"), [("hook", []), ("mcp", []), ("mcp", ["--user"])])
def test_the_line_that_takes_it_out_again_works_where_it_is_printed(
    verb: str, scope: list[str], project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write({"my shop/README.md": ""})
    err = call(capsys, verb, "-C", "my shop", "--install", "gemini", "--yes", *scope)[2]
    line = next(line for line in err.splitlines() if "take it out again: " in line).partition(": ")[2]
    _, *words = shlex.split(line)
    assert ("-C" in words) is not bool(scope)
    code, _, err = call(capsys, *words, "--yes")
    assert (code, "removed: " in err) == (0, True)


def test_two_programs_at_once_are_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "mcp", "--install", "claude", "--remove", "gemini")
    assert (code, "either --install claude or --remove gemini" in err) == (2, True)
