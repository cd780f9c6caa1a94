"""What doctor says of stream rules, and what the guard does not watch."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.guard.rules import findings, guard, names, rule, stream
from tests.support import Project

from xcsh.diagnosis import with_stream_findings
from xcsh.guard.engine import compile_javascript
from xcsh.guard.expressions import may_be_long, why_hopeless
from xcsh.guard.watched import WatchedRule
from xcsh.model.diagnostic import Diagnostic, Severity
from xcsh.model.rule import Rule
from xcsh.parsing.patterns import Expression, problem_of


def found(one: Rule, *tools: str) -> list[tuple[str, str]]:
    return [(item.code, item.severity) for item in findings(one, tools=tools)]


CLOSED = ("unreachable-condition", Severity.WARNING)
PARTLY = ("unreachable-condition", Severity.INFORMATION)


# T-1, T-5
@pytest.mark.parametrize(
    ("scope", "globs", "condition", "expected"),
    [
        (["text"], ["*.ts"], "a+b", [CLOSED]),
        (["thinking", "text"], ["*.ts"], "a+b", [CLOSED, CLOSED]),
        (["text", "tool"], ["*.ts"], "a+b", [PARTLY]),
        ([], ["*.ts"], "a+b", []),
        (["text"], [], "a+b", []),
        (["tool:bash(*.sh)"], [], "a+b", [CLOSED]),
        (["Shell"], [], "a+b", []),
        (["tool:shell"], ["*.sh"], "a+b", [CLOSED]),
        (["tool:bash(*.sh)", "text"], [], "a+b", [PARTLY]),
        (["tool:edit(*.ts)"], ["src/**"], "a+b", []),
    ],
)
def test_a_scope_in_which_nothing_can_fire_is_found(
    scope: list[str], globs: list[str], condition: str, expected: list[tuple[str, str]]
) -> None:
    one = rule("r", condition, scope=scope, globs=globs)
    assert found(one) == expected
    if expected and expected[0] == CLOSED:
        watching = guard(one)
        for source, tool in (("text", ""), ("thinking", ""), ("tool", "bash"), ("tool", "edit")):
            text = "aab" if source != "tool" else '{"command": "aab", "path": "x.ts", "new_text": ""}'
            assert stream(watching, text, source=source, tool=tool) == []


# T-4
@pytest.mark.parametrize(
    ("scope", "closed"),
    [
        (["text"], True), (["tool:bash"], True), (["tool:edit.raw"], True), (["tool"], False), ([], False),
        (["tool:Write(src/**)"], False), (["text", "edit(*)"], False),
    ],
)  # fmt: skip
def test_a_condition_that_is_a_glob_needs_a_scope_that_sees_changes(scope: list[str], *, closed: bool) -> None:
    assert found(rule("r", "*.lock", scope=scope)) == ([CLOSED] if closed else [])


@pytest.mark.parametrize("source", ["a^b", r"\w+^", "$a", "a$\\n", "a[]b", "[]", "x{2}^", "(?i)$a", r"[^a]^b"])
def test_an_expression_that_matches_no_text_is_found(source: str) -> None:
    assert why_hopeless(source)
    assert CLOSED in found(rule("r", source))
    for text in ("ab", "a\nb", "$a", "a^b", "xx^", "", "ca\nb"):
        assert stream(guard(rule("r", source)), text, source="text") == []


# T-2
@pytest.mark.parametrize(
    "source",
    [
        "^a",
        "a$",
        "(?m)a$\\nb",
        "(?m)$\\n^a",
        "a*^b",
        "a[]*b",
        "$a*",
        "(a|^)b",
        "a^b|c",
        r"a\^b",
        r"\$a",
        "[$]a",
        "x{0}^",
    ],
)
def test_an_expression_that_may_match_is_not_called_hopeless(source: str) -> None:
    assert why_hopeless(source) == ""


# T-3
def test_a_scope_without_a_tool_is_found_with_the_name_that_was_meant() -> None:
    (item,) = findings(rule("r", "a+b", scope=["tool:edti(*.ts)"]))
    assert (item.code, "did you mean 'edit'" in item.message) == ("unknown-tool", True)
    (item,) = findings(rule("r", "a+b", scope=["tool:deplyo"]), tools=["Deploy"])
    assert "did you mean 'deploy'" in item.message
    assert found(rule("r", "a+b", scope=["tool:deploy"]), "Deploy") == []
    assert [item.message for item in guard(rule("r", "a+b", scope=["tool:edti"])).diagnostics] == [
        "no tool is named `edti`, so this scope watches nothing; did you mean 'edit'?"
    ]


# T-1
@pytest.mark.parametrize("source", ["x*", "a|", "(?:)", "(a$)?", "(?i)[a-z]*", "a{0,3}", r"\s*", "()", "^", "(?<!a)"])
def test_a_condition_that_matches_the_empty_text_is_not_watched(source: str) -> None:
    one = rule("r", source, "foo+")
    watching = guard(one)
    assert names(stream(watching, "Hello", source="text")) == []
    assert names(stream(watching, "foo", source="text")) == ["r"]
    assert [item.code for item in watching.diagnostics] == ["matches-empty"]
    assert ("matches-empty", Severity.WARNING) in found(one)
    assert guard(rule("r", source)).rules == {}


# T-7a: these are false on some text, so they say something
@pytest.mark.parametrize("source", ["$", r"\bfoo|$", "^(?!Sure)", r"(?<!\.)$", r"(?m)^\s*$", r"^\s*$", "x+", r"\b"])
def test_a_condition_that_waits_for_what_follows_is_watched(source: str) -> None:
    assert guard(rule("r", source)).diagnostics == []


def test_a_rule_that_its_own_words_break_is_information(project: Project) -> None:
    # T-10, T-11
    registry = project({".xcsh/rules/log.md": "---\ncondition: console\\.log\n---\nUse the logger, not console.log.\n"})
    (item,) = with_stream_findings(registry).diagnostics
    assert (item.code, item.severity) == ("self-matching-condition", Severity.INFORMATION)
    assert "`console\\.log` matches `console.log` in what the rule itself says" in item.message
    assert found(rule("r", "system-interrupt")) == [("self-matching-condition", Severity.INFORMATION)]
    assert found(rule("r", "content", scope=["tool:edit"])) == []


# T-7
@pytest.mark.parametrize(
    ("source", "long"),
    [
        ("a{5000}", True), ("a.{10,5000}b", True), (r"BEGIN[\s\S]*END", True), (r"BEGIN[^]+?END", True),
        ("(?s)BEGIN.*END", True), (r"BEGIN(?:.|\n)*END", True), (r"BEGIN[\s\S]{0,2000}END", False), ("a.*b", False),
        (r"a\s+b", False), (r"a[\s\S]*", False), (r"[\s\S]*a", False), (r"a\[^]*b", False), ("a{4096}", False),
    ],
)  # fmt: skip
def test_a_match_that_may_be_longer_than_what_is_looked_back_at_is_information(source: str, *, long: bool) -> None:
    assert may_be_long(source) == long
    assert (("long-match", Severity.INFORMATION) in found(rule("r", source))) == long


def test_the_findings_name_the_lines_of_the_keys(project: Project) -> None:
    registry = project({
        ".xcsh/rules/a.md": "---\ndescription: D\ncondition: x*\nscope: tool:edti\ninterrupt_mode: perhaps\n---\nBody.",
        ".cursor/rules/b.mdc": '---\nttsr_trigger: "q[]z"\n---\nBody.',
        ".xcsh/rules/sound.md": "---\ncondition: foo[0-9]+\n---\nBody.",
    })  # fmt: skip
    findings = {item.code: item for item in with_stream_findings(registry).diagnostics}
    lines = {code: item.position.line for code, item in findings.items() if item.position}
    assert lines == {"matches-empty": 3, "unknown-tool": 4, "unknown-interrupt-mode": 5, "unreachable-condition": 2}
    assert findings["unknown-interrupt-mode"].path.endswith("a.md")


# T-12
@pytest.mark.parametrize("mode", ["never", "Prose-Only", "tool_only", '" always "', ""])
def test_a_mode_that_is_one_is_no_finding(project: Project, mode: str) -> None:
    registry = project({".xcsh/rules/a.md": f"---\ncondition: foo[0-9]+\ninterrupt_mode: {mode}\n---\nBody."})
    assert registry.diagnostics == ()


def test_what_discovery_said_of_a_condition_is_not_said_again(project: Project) -> None:
    # T-1
    registry = project({".xcsh/rules/a.md": '---\ncondition: ["([a-z", "foo[0-9]"]\n---\nBody.'})
    assert [item.code for item in with_stream_findings(registry).diagnostics] == ["invalid-condition"]


def test_rules_that_are_not_watched_are_not_inspected(project: Project) -> None:
    # T-1, T-13
    tree = {".xcsh/rules/a.md": "---\ncondition: foo[0-9]+\n---\nBody.", "~/.xcsh/agent/rules/a.md": "---\ncondition: x*\n---\nB."}  # fmt: skip
    registry = with_stream_findings(project(tree))
    assert [item.code for item in registry.diagnostics] == ["shadows-user-rule"]
    off = project({"~/.xcsh/agent/settings.toml": "ttsr.enabled = false\n"})
    assert with_stream_findings(off) is off


def test_findings_are_sorted_with_the_others(project: Project) -> None:
    registry = project({".xcsh/rules/a.md": "---\ncondition: x*\nscope: tool:edti\n---\nx\u200by"})
    found_all = with_stream_findings(registry).diagnostics
    assert [item.code for item in found_all] == ["matches-empty", "unknown-tool", "invisible-characters"]
    assert list(found_all) == sorted(found_all, key=Diagnostic.sort_key)


# time grows with the input, whatever the input
def test_thousands_of_conditions_and_scopes_are_inspected_in_a_moment() -> None:
    conditions = [f"x{number}*q" for number in range(4_000)]
    many = rule("many", *conditions, scope=["text", *(f"tool:nobody{number}" for number in range(4_000))])
    many = many._replace(content="x" * 1_000_000)
    begun = time.process_time()
    assert len(findings(many)) == 4_000
    bashes = rule("bashes", "foo", scope=["tool:bash"] * 4_000, globs=[f"{number}/*.ts" for number in range(4_000)])
    assert {item.code for item in findings(bashes)} == {"unreachable-condition"}
    assert time.process_time() - begun < 10


TEXTS = st.text("ab^$\n ", max_size=6)
EXPRESSIONS = st.text("ab^$*+?[]{}0,2\\bm.", min_size=1, max_size=8).filter(lambda text: problem_of(text) is None)


# T-1: "It could never fire", "It would stop every answer at its first character"
@given(EXPRESSIONS, TEXTS)
def test_what_is_called_hopeless_never_matches_and_what_is_not_watched_matches_everything(
    source: str, text: str
) -> None:
    found = Expression(source, 1).search(text, 0)
    if why_hopeless(source):
        assert found is None
    if WatchedRule(rule("r", source), compile_javascript).empty:
        assert found is not None
        assert found[0] == 0
