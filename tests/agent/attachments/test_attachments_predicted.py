"""`xcsh rules --for PATH` and a session over real HTTP agree on what is attached."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tests.agent.attachments.attaching import Turn, call, calls, reads, turn
from tests.support import PROJECT_SETTINGS, Project

from xcsh.cli.main import main

FOLDERS = ("", "src/", "src/api/", "docs/", "src/.hidden/")
FILES = ("a.ts", "b.tsx", "A.ts", "c.test.ts", "[x].ts", "é.md", "a b.ts")
GLOBS = (
    "*", "**", "*.ts", "*.{ts,tsx}", "src/**", "src/*", "src/", "src", "./src/a.ts", "/a.ts", "**/*.test.ts",
    "!src/api/**", "!*.tsx", "src/**/a.ts", "[ab].*", "[[]x[]].ts", "é.md", "a b.ts", "src\\a.ts", "link/**", "alias.ts",
    "{a,b}*", "**/api/**", "..", "../**", "?.ts",
)  # fmt: skip
RULE = st.fixed_dictionaries(
    {"globs": st.lists(st.sampled_from(GLOBS), min_size=1, max_size=3)},
    optional={"description": st.just("d"), "alwaysApply": st.sampled_from([False, False, True])},
)
PATHS = st.tuples(st.sampled_from(FOLDERS), st.sampled_from(FILES), st.integers(0, 9))
COUNTER = itertools.count()


def spelled(root: Path, folder: str, name: str, how: int) -> str:
    """One file, in the ways that a model writes its path."""
    plain = folder + name
    return (
        plain, f"./{plain}", f"src/../{plain}", f"{root}/{plain}", f".//{plain}", f"src/./.././{plain}",
        f"link/{name}", "alias.ts", f"docs/up/{plain}", f"{root}/docs/../link/{name}",
    )[how]  # fmt: skip


def predicted(project: Project, path: str, capfd: pytest.CaptureFixture[str]) -> list[str]:
    """The rules that `xcsh rules --for PATH --json` calls attached."""
    capfd.readouterr()
    assert main(["-C", str(project.root), "rules", "--for", path, "--json"]) == 0
    (found,) = json.loads(capfd.readouterr().out)["for"]
    return [rule["name"] for rule in found["rules"] if rule["how"] == "attached"]


def made(project: Project, rules: list[dict[str, Any]], mode: str) -> None:
    for number, fields in enumerate(rules):
        front = "\n".join(f"{key}: {json.dumps(value)}" for key, value in fields.items())
        project.write({f".xcsh/rules/r{number}.md": f"---\n{front}\n---\nRule {number}.\n"})
    project.write({folder + name: "old\n" for folder in FOLDERS for name in FILES})
    project.write({PROJECT_SETTINGS: mode})
    project.link("link", "src")
    project.link("alias.ts", "src/api/b.tsx")
    project.link("docs/up", "..")


@settings(max_examples=40)
@given(
    rules=st.lists(RULE, min_size=3, max_size=6),
    path=PATHS,
    mode=st.sampled_from(("", "", "", 'rules.attach = "advisory"', 'rules.attach_on_write = "after"')),
)
def test_the_session_attaches_exactly_what_the_command_line_predicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], rules: Any, path: Any, mode: str
) -> None:
    # "predicts exactly what the session does"
    project = Project(tmp_path / str(next(COUNTER)))
    monkeypatch.setenv("HOME", str(project.home))
    made(project, rules, mode)
    project.write({".xcsh/rules/stream.md": "---\ncondition: zzz\nglobs: ['**']\n---\nStream.\n"})
    written = spelled(project.root, *path)
    expected = predicted(project, written, capfd)
    registry = project.discover()
    event(f"attached: {len(expected)}")

    reading = asyncio.run(turn(registry, reads(written)))
    assert "old" in reading.said() or "Path not found" in reading.said()
    assert reading.attached() == expected

    edit = call("edit_file", path=written, old_text="old", new_text="new")
    changing = asyncio.run(turn(registry, calls(edit)))
    if project.path(written).is_file():
        waits = bool(expected) and "after" not in mode
        assert changing.attached() == expected
        assert project.path(written).read_text() == ("old\n" if waits else "new\n")
    assert held(changing) == (bool(expected) and "after" not in mode)


def held(found: Turn) -> bool:
    return any(event.held_back for event in found.events)


def test_a_folder_and_what_lies_outside_bring_nothing(project: Project, capfd: pytest.CaptureFixture[str]) -> None:
    #
    made(project, [{"globs": ["**"]}], "")
    project.link("outside.ts", "/etc/hosts")
    for path in ("src", ".", "src/api/", "../x.ts", "/etc/hosts"):
        assert predicted(project, path, capfd) == []
    assert predicted(project, "outside.ts", capfd) == ["r0"]
    assert os.path.islink(project.path("outside.ts"))
