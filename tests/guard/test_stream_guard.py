"""The guard: scopes, tools, paths, what is introduced, and the rules that are watched."""

from __future__ import annotations

import json
import time

import pytest
from tests.guard.rules import guard, names, rule, stream
from tests.support import USER_SETTINGS, Project

from xcsh.guard.policy import Policy
from xcsh.guard.stream_guard import StreamGuard
from xcsh.parsing.scopes import Scope, parse_scope

ANY = r": any\b"


def edit(**arguments: object) -> str:
    return json.dumps(arguments)


# T-3
@pytest.mark.parametrize(
    ("scope", "fires"),
    [
        ((), {"text", "tool"}), (("text",), {"text"}), (("thinking",), {"thinking"}), (("tool",), {"tool"}),
        (("toolcall", "thinking"), {"tool", "thinking"}), (("tool:",), {"tool"}), (("tool()",), {"tool"}),
        (("TEXT",), {"text"}),
    ],
)  # fmt: skip
def test_a_scope_chooses_streams(scope: tuple[str, ...], fires: set[str]) -> None:
    found: set[str] = set()
    for source in ("text", "thinking", "tool"):
        text = edit(new_text="x: any;") if source == "tool" else "x: any;"
        if stream(guard(rule("r", ANY, scope=scope)), text, source=source):
            found.add(source)
    assert found == fires


# T-3
@pytest.mark.parametrize(
    ("scope", "tool", "fires"),
    [
        ("tool:edit", "Edit", True), ("tool:MultiEdit", "edit_file", True), ("tool:str_replace", "edit", True),
        ("tool:Write", "create", True), ("tool:write", "edit", False), ("tool:bash", "shell", True),
        ("tool:ls", "glob", True), ("tool:grep", "read", False), ("tool:mine", "mine", True), ("tool:Read", "read", True),
    ],
)  # fmt: skip
def test_tool_names_resolve_through_one_table(scope: str, tool: str, *, fires: bool) -> None:
    text = edit(content="x: any;")
    assert bool(stream(guard(rule("r", ANY, scope=[scope])), text, tool=tool)) == fires


@pytest.mark.parametrize(
    ("token", "scope"),
    [
        ("tool:edit(*.{ts,tsx})", Scope("tool", "edit", "*.{ts,tsx}")), ("write(src/**)", Scope("tool", "write", "src/**")),
        ("tool:edit.raw", Scope("tool", "edit", "", raw=True)), ("nowhere", None), ("tool:", Scope("tool")),
        ("tool:edit()", Scope("tool", "edit")),
    ],
)  # fmt: skip
def test_scope_tokens_are_read(token: str, scope: Scope | None) -> None:
    # T-3
    assert parse_scope(token) == scope


@pytest.mark.parametrize("path_first", [True, False])
@pytest.mark.parametrize("chunk", [1, 4, 1_000])
def test_a_rule_stays_quiet_while_an_edit_removes_and_fires_when_one_introduces(
    chunk: int, *, path_first: bool
) -> None:
    # T-3a, T-5
    removing = {"old_text": "x: any;", "new_text": "x: string;"}
    adding = {"old_text": "x: string;", "new_text": 'x: any;\n"'}
    for arguments, fires in ((removing, []), (adding, ["no-any"])):
        path = {"path": "src/a.ts"}
        text = json.dumps(path | arguments if path_first else arguments | path)
        watching = guard(rule("no-any", ANY, scope=["tool:edit(*.ts)"]))
        assert names(stream(watching, text, chunk=chunk)) == fires


def test_each_replacement_is_watched_on_its_own() -> None:
    # T-3a
    edits = [{"old_string": "a: any ", "new_string": "b"}, {"old_string": "c", "new_string": "d: any"}]
    text = edit(file_path="/project/a.ts", edits=edits)
    (match,) = stream(guard(rule("r", ANY, globs=["*.ts"])), text, tool="MultiEdit")
    assert (match.start, match.end, match.path) == (1, 6, "a.ts")


def test_raw_arguments_are_watched_where_a_scope_says_so() -> None:
    # T-3a
    text = edit(old_text="x: any", new_text="b\n")
    assert names(stream(guard(rule("r", r'"old_text": "x', scope=["tool:edit.raw"])), text)) == ["r"]
    assert not stream(guard(rule("r", r'"old_text"')), text)
    held = guard(rule("r", r'b\\n"}$', scope=["tool:edit.raw"]))
    assert names(stream(held, text)) == ["r"]


# T-5
@pytest.mark.parametrize(
    ("glob", "path", "fires"),
    [
        ("*.ts", "src/a.ts", True), ("src/**", "/project/src/a.ts", True), ("src/**", "src\\a.ts", True),
        ("src/**", "lib/a.ts", False), ("*.ts", "/elsewhere/a.ts", True), ("src/**", "lib/../src/a.ts", True),
    ],
)  # fmt: skip
def test_globs_match_relative_paths_and_base_names(glob: str, path: str, *, fires: bool) -> None:
    text = edit(new_text="x: any;", path=path)
    assert bool(stream(guard(rule("r", ANY, globs=[glob])), text)) == fires
    assert bool(stream(guard(rule("r", ANY, scope=[f"edit({glob})"])), text)) == fires


def test_a_rule_with_globs_says_nothing_of_prose_or_of_calls_without_a_path() -> None:
    # T-5
    assert not stream(guard(rule("r", ANY, globs=["*"])), "x: any;", source="text")
    assert not stream(guard(rule("r", ANY, globs=["*"])), edit(new_text="x: any;"))


def test_a_match_is_decided_the_moment_the_path_arrives() -> None:
    # T-5
    watching = guard(rule("r", ANY, globs=["*.ts"]))
    assert watching.feed("tool", '{"new_text": "x: any;", "path": "a.t', call="1", tool="edit") == []
    assert names(watching.feed("tool", 's"', call="1", tool="edit")) == ["r"]


@pytest.mark.parametrize(("tool", "fires"), [("write", True), ("edit", True), ("read", False)])
def test_a_condition_that_is_a_glob_means_any_change_of_such_a_file(tool: str, *, fires: bool) -> None:
    # T-4
    text = edit(path="a/b.lock", content="")
    assert bool(stream(guard(rule("r", "*.lock")), text, tool=tool)) == fires
    assert not stream(guard(rule("r", "*.lock", scope=["text", "tool:edit(src/**)"])), text, tool=tool)


def test_a_rule_is_reported_once_a_request_whatever_it_matches_in() -> None:
    # T-10
    watching = guard(rule("r", "foo", "bar", interrupt="never"))
    matches = [*stream(watching, "foo bar", source="text"), *stream(watching, edit(new_text="foo"))]
    assert [(match.rule, match.condition, match.source) for match in matches] == [("r", "foo", "text")]


def test_of_rules_with_one_name_the_first_is_watched() -> None:
    # T-1: "once per name"
    watching = guard(rule("r", "foo"), rule("r", "bar"))
    assert stream(watching, "bar", source="text") == []
    assert names(stream(watching, "foo", source="text")) == ["r"]


def test_streams_are_kept_apart_and_a_request_begins_anew() -> None:
    # T-6
    watching = guard(rule("r", "foobar"))
    watching.feed("text", "foo")
    assert not watching.feed("thinking", "bar")
    assert not watching.feed("tool", '{"command": "bar', call="1", tool="bash")
    watching.begin_request()
    assert not watching.feed("text", "bar")
    watching.feed("text", "foo")
    watching.end("text")
    assert not watching.feed("text", "bar")


def test_a_sibling_shares_the_rules_and_nothing_else() -> None:
    # T-6, T-11
    first = guard(rule("r", "foobar", interrupt="never"))
    other = first.sibling()
    first.feed("text", "foo")
    assert not other.feed("text", "bar")
    assert names(first.feed("text", "bar")) == names(other.feed("text", "foobar")) == ["r"]
    first.acknowledge(["r"])
    for watching, fires in ((first, []), (other, ["r"]), (first.sibling(first.history), [])):
        watching.begin_request()
        assert names(watching.feed("text", "foobar")) == fires


def test_a_guard_that_is_switched_off_watches_nothing() -> None:
    # T-13
    assert not StreamGuard([rule("r", "foo")], enabled=False).feed("text", "foo")


def test_the_guard_of_a_registry_has_its_active_rules_and_its_settings(project: Project) -> None:
    # T-1, T-11, T-13
    tree = {
        ".xcsh/rules/a.md": "---\ncondition: foo\nscope: tool:deploy\nglobs: '*.ts'\n---\nA.",
        ".xcsh/rules/b.md": "B.",
    }
    registry = project(tree | {USER_SETTINGS: "[ttsr]\nmax_interrupts = 2\n"})
    watching = StreamGuard.of(registry, tools=["Deploy"])
    assert (list(watching.rules), watching.diagnostics) == (["a"], [])
    assert watching.history.policy == Policy(max_interrupts=2)
    text = json.dumps({"path": str(project.root / "src/a.ts"), "text": "foo"})
    assert [match.path for match in stream(watching, text, tool="deploy")] == ["src/a.ts"]
    assert StreamGuard.of(project({USER_SETTINGS: "ttsr.enabled = false\n"})).rules == {}


def test_what_is_wrong_with_a_rule_is_a_diagnostic_and_the_rest_of_it_counts() -> None:
    # T-1, T-3, T-7
    watching = guard(rule("r", "(", r"(a*)*\1c\d", "foo", scope=["tool:edti", "text"]))
    assert names(watching.feed("text", "foo")) == ["r"]
    watching.feed("text", "c" + "a" * 4_000)
    codes = [item.code for item in watching.diagnostics]
    assert codes == ["invalid-condition", "unknown-tool", "runaway-condition"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"new_text": "x: any ", "paths": [f"{at}.py" for at in range(4_000)]},
        {"edits": [{"new_text": "x: any ", "path": "a.py"}] * 4_000},
    ],
)
def test_a_match_that_waits_costs_no_more_for_each_path_that_is_not_its_own(arguments: dict[str, object]) -> None:
    # T-7: "Cost is linear in the streamed length"
    watching = guard(rule("r", ": any", scope=["tool:edit(*.ts)"]))
    begun = time.process_time()
    assert stream(watching, json.dumps(arguments), chunk=40) == []
    assert time.process_time() - begun < 20
    arguments["path"] = "a.ts"
    assert names(stream(watching, json.dumps(arguments), chunk=40)) == ["r"]


def test_a_path_that_leads_into_the_folder_by_a_detour_is_inside_it() -> None:
    # T-5
    watching = guard(rule("r", "foo", scope=["tool:edit(src/**)"]))
    text = json.dumps({"path": "/elsewhere/../project/src/a.ts", "new_text": "foo"})
    assert names(stream(watching, text)) == ["r"]
