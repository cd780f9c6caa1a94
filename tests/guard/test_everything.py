"""Conditions that fire on whatever is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.guard.rules import findings, guard, rule, stream
from tests.support import Project

from xcsh.diagnosis import with_stream_findings
from xcsh.guard.condition import Condition
from xcsh.guard.everything import when_it_fires
from xcsh.model.diagnostic import Severity
from xcsh.parsing.patterns import problem_of

CHARACTER, LETTER, END = "at its first character", "at its first letter or digit", "at its end"
ANSWERS = ("OK", "42 of them.", "# Title\n\nSome text.", "- a\n- b", '"Quoted," he said.', "`code`: b", "É, a word")


# T-1: "It would stop every answer"
@pytest.mark.parametrize(
    ("source", "when"),
    [
        (".", CHARACTER), (".+", CHARACTER), ("[^]", CHARACTER), (r"[\s\S]", CHARACTER), (r"\S", CHARACTER),
        ("(?s).", CHARACTER), ("^.", CHARACTER), ("(?=.)", CHARACTER), ("foo|.", CHARACTER), ("[^a]|a", CHARACTER),
        (r"\w+", LETTER), (r"\w", LETTER), (r"\b", LETTER), ("(?i)[a-z0-9_]", LETTER), ('[^"]', LETTER),
        (r"\w+\b", "in its first words"), ("$", END), (".$", END), (r"\S$", END), ("(?m)$", "in its first lines"),
    ],
)  # fmt: skip
def test_a_condition_that_fires_on_every_answer_is_a_warning_that_says_when(source: str, when: str) -> None:
    found = findings(rule("r", source))
    assert [(item.code, item.severity) for item in found] == [("matches-everything", Severity.WARNING)]
    assert found[0].message == f"the condition `{source}` stops every answer {when}"
    assert found[0].hint
    for answer in ANSWERS:
        assert stream(guard(rule("r", source)), answer, source="text", chunk=1), answer


# T-1: what may be meant is no finding: answers in another script, without a word, of one line, that begin somehow
@pytest.mark.parametrize(
    "source",
    [
        "[A-Za-z]", "[a-z]+", r"[^\x00-\x7F]", "^[^#]", r"^\w", "^(?!Sure)", r"(?<!\.)$", "^.+$", r"^\S+$", "^.{1,80}$",
        r"\s", r"\n", "e", "(?=x)", ".{80,}", r"\b\w{1,3}\b", r"\w$", r"[^.]$", r"\W", "foo", r"(?m)^\s*$", r"[^\w\s]",
    ],
)  # fmt: skip
def test_a_condition_that_some_answer_escapes_is_not_said_to_fire_on_all(source: str) -> None:
    assert when_it_fires(Condition("r", source)) == ""


# T-3, T-5: "any call of such a tool" is said with such a condition
@pytest.mark.parametrize(
    ("scope", "globs", "found"),
    [
        ([], [], True), (["text"], [], True), (["thinking"], [], True), (["text", "tool"], [], True),
        (["tool"], [], False), (["tool:write(*.lock)"], [], False), (["tool:bash"], [], False), ([], ["*.ts"], False),
    ],
)  # fmt: skip
def test_only_where_answers_are_watched_is_everything_too_much(
    scope: list[str], globs: list[str], *, found: bool
) -> None:
    codes = {item.code for item in findings(rule("r", ".", scope=scope, globs=globs))}
    assert ("matches-everything" in codes) == found


# T-12
@pytest.mark.parametrize(("mode", "severity"), [("never", "information"), ("tool-only", "information"),
    ("prose-only", "warning"), ("always", "warning"), ("perhaps", "warning")])  # fmt: skip
def test_what_only_reminds_is_for_information(project: Project, mode: str, severity: str) -> None:
    registry = project({".xcsh/rules/a.md": f"---\ncondition: \\w+\ninterrupt_mode: {mode}\n---\nBody."})
    item = next(item for item in with_stream_findings(registry).diagnostics if item.code == "matches-everything")
    assert (item.severity, item.position) == (severity, (2, 12))
    assert ("stops" in item.message) == (severity == "warning")
    (item,) = findings(rule("r", ".", interrupt="never"))
    assert item.message == "the condition `.` fires on every answer at its first character"


def test_the_setting_decides_where_the_rule_names_no_mode(project: Project) -> None:
    # T-12
    tree = {".xcsh/rules/a.md": "---\ncondition: \\w+\n---\nBody.", "~/.xcsh/agent/settings.toml": 'ttsr.interrupt_mode = "never"\n'}  # fmt: skip
    (item,) = with_stream_findings(project(tree)).diagnostics
    assert (item.code, item.severity) == ("matches-everything", "information")


EXPRESSIONS = st.text("ab.^$*+?[]()|\\wWsS", min_size=1, max_size=7).filter(lambda text: problem_of(text) is None)


# T-1: "stops every answer"
@given(EXPRESSIONS, st.text("ab0 .\n#é", min_size=1, max_size=12).filter(lambda text: text.strip() != ""))
def test_what_is_said_to_stop_every_answer_stops_any_with_a_letter(source: str, text: str) -> None:
    if when_it_fires(Condition("r", source)) == CHARACTER:
        assert Condition("r", source).search(f"a{text}", 0) is not None
