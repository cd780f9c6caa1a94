"""Tools of an agent of one's own, and what a match says of the text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.guard.rules import guard, names, rule, stream

from xcsh.errors import UsageError
from xcsh.guard.stream_guard import Match, StreamGuard
from xcsh.guard.tools import _INTRODUCED, _PATHS, introduces, names_a_path
from xcsh.model.rule import Rule

DOCS = Path(__file__).parents[2] / "docs"
BAD = json.dumps({"file": "src/a.ts", "body": "let a: any = 1"})


def saving(*rules: Rule) -> StreamGuard:
    return StreamGuard(rules, cwd="/project", tools={"save_ts": "Edit", "deploy": "deploy"})


@pytest.mark.parametrize("scope", ["tool", "tool:edit", "tool:edit(*.ts)", "tool:save_ts", "tool:Save_TS(src/**)"])
def test_a_tool_that_counts_as_an_edit_is_watched_as_one(scope: str) -> None:
    # T-3, T-3a
    watching = saving(rule("no-any", ": any", scope=(scope,)))
    assert watching.diagnostics == []
    [match] = stream(watching, BAD, tool="save_ts")
    assert (match.tool, match.path) == ("edit", "src/a.ts")


def test_of_a_tool_that_counts_as_an_edit_what_it_removes_is_not_watched() -> None:
    # T-3a
    removing = json.dumps({"file": "src/a.ts", "old_text": "let a: any = 1", "body": "let a = 1"})
    assert stream(saving(rule("no-any", ": any")), removing, tool="save_ts") == []


def test_a_glob_means_a_change_by_an_own_tool_too_where_it_counts_as_one() -> None:
    # T-4
    lock = rule("lock", "*.ts")
    assert names(stream(saving(lock), BAD, tool="save_ts")) == ["lock"]
    assert stream(guard(lock), BAD, tool="save_ts") == []
    assert stream(saving(lock), BAD, tool="deploy") == []


def test_a_tool_can_count_only_as_one_that_there_is() -> None:
    # T-3, U-5
    with pytest.raises(UsageError, match="'save_ts' cannot count as 'edt', which is none of the usual tools") as caught:
        StreamGuard((), tools={"save_ts": "edt"})
    assert caught.value.hint == "did you mean 'edit'?"


def test_a_match_holds_the_beginning_of_what_matched() -> None:
    # T-8
    watching = guard(rule("a", r": any\b"), rule("b", "x[^]*y"))
    short, long = stream(watching, f"let a: any = x{'🙂' * 200}y", source="text", tool="")
    assert short.text == ": any"
    assert long.text == f"x{'🙂' * 79}"


def test_the_page_names_every_argument_that_is_text_or_path() -> None:
    # T-3a
    page = (DOCS / "stream-rules.md").read_text(encoding="utf-8")
    for heading, known, decides in (("new text", _INTRODUCED, introduces), ("path", _PATHS, names_a_path)):
        [row] = re.findall(rf"^\| the {heading} \| (.*) \|$", page, re.MULTILINE)
        names = re.findall(r"`(\w+)`", row)
        assert all(decides(name) for name in names)
        assert {name.replace("_", "") for name in names} == known


@pytest.mark.parametrize("page", ["stream-rules.md", "library-guard.md"])
def test_the_pages_name_every_field_of_a_match(page: str) -> None:
    # T-8, T-17
    text = (DOCS / page).read_text(encoding="utf-8")
    start = text.index("Each of the `matches`" if page == "stream-rules.md" else "**A `Match`**")
    assert [name for name in Match._fields if f"`{name}`" not in text[start : start + 400]] == []
