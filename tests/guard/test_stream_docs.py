"""docs/stream-rules.md: its files, its samples and its tables, as written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.guard.rules import guard, names, rule, stream
from tests.support import Project, bucket_of, entry_of

from xcsh.diagnosis import with_stream_findings
from xcsh.guard.condition import BUDGET, LOOK_BACK
from xcsh.guard.engine import SECONDS
from xcsh.guard.injection import injection
from xcsh.guard.policy import Policy, policy_of
from xcsh.guard.tools import _ALIASES, CHANGING, introduces
from xcsh.model.rule import INTERRUPT_MODES, Bucket
from xcsh.model.settings import BY_KEY
from xcsh.parsing.patterns import Expression, is_glob_shorthand, problem_of
from xcsh.parsing.scopes import parse_scope

PAGE = Path(__file__).parents[2].joinpath("docs/stream-rules.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"`([^`\s]+\.(?:md|toml))`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
SAMPLES = re.findall(r"^\$ (.+)\n((?:(?!\$ |```).*\n)+)", PAGE, re.MULTILINE)
USER, NO_ANY, LOCK = "~/.xcsh/agent/settings.toml", ".xcsh/rules/no-any.md", ".xcsh/rules/lock-files.md"


def table(heading: str) -> list[list[str]]:
    """The rows below a heading row; an escaped bar is none."""
    _, _, rest = PAGE.partition(f"\n{heading}\n")
    assert rest, heading
    rows: list[list[str]] = []
    for line in rest.splitlines()[1:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_page_has_its_files_and_its_samples() -> None:
    assert list(FILES) == [NO_ANY, LOCK, USER]
    assert len(SAMPLES) == PAGE.count("\n$ ") == 7


def test_the_rules_of_the_page_are_sound(project: Project) -> None:
    registry = with_stream_findings(project(FILES))
    assert registry.diagnostics == ()
    assert bucket_of(registry, "no-any") == bucket_of(registry, "lock-files") == Bucket.TTSR


@pytest.mark.parametrize(("command", "output"), SAMPLES, ids=[command for command, _ in SAMPLES])
def test_a_sample_prints_what_the_page_says(project: Project, command: str, output: str, tmp_path: Path) -> None:
    # U-3, T-3a, T-5, T-7a
    project.write({NO_ANY: FILES[NO_ANY], **({LOCK: FILES[LOCK]} if "lock-files" in command else {})})
    program = tmp_path / "bin" / "xcsh"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m xcsh "$@"\n')
    program.chmod(0o755)
    env = {**os.environ, "HOME": str(project.home), "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=project.root, env=env, capture_output=True, text=True, check=True
    )  # fmt: skip
    assert done.stdout + done.stderr == output


# T-2
@pytest.mark.parametrize("row", table("| condition | on the text | matches | |"))
def test_an_expression_matches_what_the_page_says(row: list[str]) -> None:
    (source,), (text,) = codes(row[0]), codes(row[1])
    text = text.replace("\\n", "\n")
    if row[2] == "error":
        assert problem_of(source) is not None
        return
    expected = None if row[2] == "nothing" else codes(row[2])[0].replace("\\n", "\n")
    span = Expression(source, 1).search(text, 0)
    assert (text[span[0] : span[1]] if span else None) == expected
    assert bool(stream(guard(rule("r", source)), text, source="text", chunk=1)) == (expected is not None)


def test_what_the_page_says_beside_its_table_of_expressions_is_so() -> None:
    # T-2
    assert Expression("^..$", 1).search("😀", 0)
    assert Expression("p{L}", 1).search("p{L}", 0)
    assert all(Expression(source, 1).search(source[1:], 0) for source in (r"\A", r"\Z", r"\h", r"\Q"))
    assert Expression("a{0,3}", 1).search("aa", 0) == (0, 2)
    assert guard(rule("r", "x*")).rules == {}


def test_what_the_page_says_of_scopes_is_so() -> None:
    # T-3
    for cell, *_ in table("| scope | watches |"):
        assert all(parse_scope(token) for token in codes(cell))
    assert parse_scope("edit") is None
    assert parse_scope("edit(src/**)") == parse_scope("tool:edit(src/**)")
    listed = {row[0]: tuple(codes(row[1])) for row in table("| tool | names |")}
    assert listed == _ALIASES
    assert set(CHANGING) == {"edit", "write"}


def test_what_the_page_says_a_condition_sees_is_so() -> None:
    # T-3a
    section = PAGE.partition("## What a condition sees")[2].partition("##")[0]
    named = codes(section.partition("introduces, such as")[2].partition("decoded")[0])
    assert named
    assert all(map(introduces, named))
    for tool, key, fires in (("bash", "command", True), ("edit", "old_text", False), ("write", "content", True)):
        found = stream(guard(rule("r", "a\\nb")), json.dumps({key: "a\nb"}), tool=tool)
        assert bool(found) == fires
    raw = rule("r", r"a\\nb", scope=["tool:edit.raw"])
    assert names(stream(guard(raw), json.dumps({"old_text": "a\nb"}))) == ["r"]


def test_what_the_page_says_of_globs_is_so() -> None:
    # T-4, T-5
    assert all(is_glob_shorthand(text) for text in ("*.lock", "src/*", "src/[ab].ts", "a/{b,c}"))
    assert not any(is_glob_shorthand(text) for text in ("*", "a.lock", r"src/\w*", "src/.*(a|b)", "src/a+*"))
    one = rule("r", "foo", globs=["*.ts"])
    assert stream(guard(one), "foo", source="text") == []
    assert names(stream(guard(one), '{"new_text": "foo", "path": "src\\\\a.ts"}')) == ["r"]
    assert stream(guard(one), '{"command": "foo a.ts"}', tool="bash") == []


def test_the_block_that_the_page_shows_is_the_one_that_is_sent(project: Project) -> None:
    # T-10
    registry = project({NO_ANY: FILES[NO_ANY]})
    block = PAGE.partition("```xml\n")[2].partition("   ```")[0]
    shown = "\n".join(line.removeprefix("   ") for line in block.splitlines())
    assert shown == injection([entry_of(registry, "no-any").rule], str(project.root))


def test_the_modes_do_what_the_page_says() -> None:
    # T-12
    rows = table("| `interrupt_mode` | a match in prose | a match in a tool call |")
    assert tuple(codes(row[0])[0] for row in rows) == INTERRUPT_MODES
    for mode, prose, call in rows:
        for source, expected in (("text", prose), ("thinking", prose), ("tool", call)):
            one = rule("r", "foo", scope=["text", "thinking", "tool"], interrupt=mode.strip("`"))
            (match,) = stream(guard(one), '{"new_text": "foo"}', source=source)
            assert match.interrupts == (expected == "stops")


def test_the_settings_that_the_page_shows_are_the_defaults_and_all_of_them(project: Project) -> None:
    # T-9, T-11, T-12, T-13, T-15
    registry = project({USER: FILES[USER]})
    assert registry.diagnostics == ()
    assert policy_of(registry.settings) == Policy()
    keys = [key for key in BY_KEY if key.startswith("ttsr.")]
    assert [f"ttsr.{key}" for key in re.findall(r"^(\w+) =", FILES[USER], re.MULTILINE)] == keys
    for key in keys:
        assert registry.settings.get(key) == BY_KEY[key].default
        assert not BY_KEY[key].project
        if BY_KEY[key].choices:
            line = next(line for line in FILES[USER].splitlines() if line.startswith(key[5:]))
            assert all(choice in line for choice in BY_KEY[key].choices)


def test_what_the_page_says_of_matching_in_a_stream_is_so() -> None:
    # T-7, T-7a
    watching = guard(rule("word", r": any\b"))
    assert watching.feed("text", ": any") == []
    assert watching.feed("text", "thing") == []
    watching = guard(rule("ahead", "a(?!.*b)"))
    assert (watching.feed("text", "a"), names(watching.feed("text", "c"))) == ([], ["ahead"])
    watching = guard(rule("first", "a.*z|b"))
    assert [(match.start, match.end) for match in watching.feed("text", "a b")] == [(2, 3)]
    assert f"{LOOK_BACK:,} characters" in PAGE
    text = f"BEGIN{'x' * LOOK_BACK}END"
    one = rule("long", r"BEGIN[^]*END")
    assert stream(guard(one), text, source="text", chunk=4) == []
    assert names(stream(guard(one), text, source="text", chunk=len(text))) == ["long"]


def test_the_budgets_that_the_page_names_are_those_in_force() -> None:
    # T-7
    assert f"may take {SECONDS:g} seconds" in PAGE
    assert pytest.approx(1 / 20) == BUDGET
    assert "a twentieth of a second" in PAGE
    watching = guard(rule("r", r"(a*)*\1b", "foo"))
    assert stream(watching, "a" * 3_000 + "cb", source="text", chunk=300) == []
    assert [item.code for item in watching.diagnostics] == ["runaway-condition"]
    assert names(watching.feed("text", "foo")) == ["r"]
