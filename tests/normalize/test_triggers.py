"""What is said of a stream rule's keys that are not as they should be, and what to write."""

from __future__ import annotations

import pytest
from tests.support import Project, codes_of, diagnostic_of, entry_of

from xcsh.model.rule import Bucket
from xcsh.parsing.scopes import Scope, meant_scope, parse_scope, reaches_a_stream

RULE = ".xcsh/rules/a.md"


def rule(*lines: str) -> dict[str, str | bytes]:
    return {RULE: "\n".join(("---", *lines, "---", "Body."))}


# T-1
@pytest.mark.parametrize(
    "line", ["condition: ''", "condition:", "condition: []", "condition: ['']", 'ttsr_trigger: ""']
)
def test_a_condition_that_is_empty_is_said_at_its_place(project: Project, line: str) -> None:
    registry = project(rule("description: D", line))
    finding = diagnostic_of(registry, "invalid-condition")
    assert (finding.severity, finding.position and finding.position.line) == ("warning", 3)
    assert f"`{line.partition(':')[0]}` holds no expression" in finding.message
    assert "write an expression" in finding.hint
    assert entry_of(registry, "a").bucket == Bucket.RULEBOOK


# T-2
@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("(?P<q>x)", "write (?<q>…) for (?P<q>…)"), ("(?<q>x)(?P=q)", "write \\k<q> for (?P=q)"),
        ("(?>a+)b", "no atomic groups"), ("a++b", "no possessive repetitions"), ("x{2}+", "no possessive repetitions"),
        ("(?#note)a", "leave the comment"), ("a(?i)b", "at the start"), ("(?i)(?s)a", "in one group"),
        ("(?x)a b", "of flags there are (?i), (?m) and (?s)"), ("(?i-s)a", "of flags there are"),
        ("([a-z", "close the class with ]"), ("(a", "close the group with )"), ("a)", r"write \)"),
        ("*a", "something has to stand before"), ("a{3,2}", "the smaller one comes first"), ("a\\", r"write \\"),
        ("(?(1)a)", "no conditional groups"), (r"\(?P<q>x)", r"write \)"),
    ],
)  # fmt: skip
def test_an_expression_that_does_not_compile_comes_with_what_to_write(
    project: Project, condition: str, hint: str
) -> None:
    finding = diagnostic_of(project(rule(f"condition: '{condition}'")), "invalid-condition")
    assert finding.severity == "error"
    assert hint in finding.hint


# T-3
@pytest.mark.parametrize(
    ("token", "meant"),
    [
        ("edit", "tool:edit"), ("bash", "tool:bash"), ("txt", "text"), ("thinkin", "thinking"), ("tools", "tool"),
        ("toolcal", "toolcall"), ("*.ts", "tool:edit(*.ts)"), ("src/**", "tool:edit(src/**)"),
        ("tool: edit", "tool:edit"), ("tool:edit (*.ts)", "tool:edit(*.ts)"), ("tool:edit(*.ts", "tool:edit(*.ts)"),
        ("a b", ""), ("tool:ed it", ""), ("", ""), ("x" * 50, ""),
    ],
)  # fmt: skip
def test_a_scope_that_is_none_is_said_with_the_one_that_was_meant(project: Project, token: str, meant: str) -> None:
    assert not token or not reaches_a_stream(token)
    assert meant_scope(token) == meant
    assert not meant or reaches_a_stream(meant)
    if token:
        registry = project(rule("condition: a+b", f"scope: '{token}'"))
        message = diagnostic_of(registry, "unreachable-condition").message
        assert message.endswith(f"is none; did you mean {meant!r}?" if meant else "is none")
        assert "its scope reaches no stream" in diagnostic_of(registry, "inactive-rule").message


#
def test_an_inactive_rule_says_which_of_its_keys_is_at_fault(project: Project) -> None:
    for line, why in (("condition: '(['", "was not accepted"), ("condition: ''", "its condition is empty")):
        assert why in diagnostic_of(project(rule(line)), "inactive-rule").message


# T-3
@pytest.mark.parametrize(
    ("token", "glob"),
    [
        ('tool:Edit("*.ts")', "*.ts"), ("edit('*.ts')", "*.ts"), ("edit( `*.ts` )", "*.ts"),
        ("edit(*.ts,*.tsx)", "{*.ts,*.tsx}"), ('edit("*.ts", "src/**")', "{*.ts,src/**}"), ("edit(*.{a,b})", "*.{a,b}"),
        ("edit(*.{a,b}, *.c)", "{*.{a,b},*.c}"), ("edit()", ""), ('edit("")', ""), ("edit(it's.ts)", "it's.ts"),
    ],
)  # fmt: skip
def test_quotes_and_commas_in_a_scopes_brackets_are_no_part_of_a_glob(token: str, glob: str) -> None:
    scope = parse_scope(token)
    assert scope is not None
    assert (scope.stream, scope.tool.lower(), scope.glob) == ("tool", "edit", glob)
    assert parse_scope("text") == Scope("text")


# T-4, R-23
@pytest.mark.parametrize(("value", "kind"), [("*.lock", "file glob"), ("[a-z", "regular expression")])
def test_a_value_that_is_no_yaml_is_called_what_it_is(project: Project, value: str, kind: str) -> None:
    message = diagnostic_of(project(rule(f"condition: {value}")), "frontmatter-repaired").message
    assert message == f"`condition` is no YAML; read as the {kind} it plainly is"


#
@pytest.mark.parametrize(
    ("lines", "severity"),
    [
        (("conditon: foo",), "warning"), (("conditions: foo", "scope: text"), "warning"),
        (("descripton: D",), "warning"), (("alwaysApplyy: true",), "warning"),
        (("conditon: foo", "alwaysApply: false"), "warning"), (("condition: a+b", "scop: text"), "warning"),
        (("conditon: foo", "description: D"), "information"), (("condition: a+b", "descripton: D"), "information"),
        (("conditon: foo", "condition: a+b"), "information"), (("globs: '*.ts'", "descripton: D"), "information"),
    ],
)  # fmt: skip
def test_a_misspelt_key_is_a_warning_where_the_rule_is_dead_or_wider_for_it(
    project: Project, lines: tuple[str, ...], severity: str
) -> None:
    finding = diagnostic_of(project(rule(*lines)), "unknown-key")
    assert finding.severity == severity
    assert "did you mean `" in finding.message
    assert (" Without " in finding.message) == (severity == "warning")


def test_a_condition_whose_key_is_misspelt_makes_no_rule_apply_always(project: Project) -> None:
    # a failure to parse never widens
    registry = project({".clinerules/a.md": "---\nconditon: foo\n---\nBody."})
    assert entry_of(registry, "a").bucket == Bucket.INACTIVE
    assert diagnostic_of(registry, "unknown-key").severity == "warning"


#
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("condition: foo\nBody.", 1), ("\n\nglobs: '*.ts'\n\nBody.", 3), ("alwaysApply: true\nBody | a |\n| --- |", 1),
        ("scope:\nBody", 1), ("description: D\nBody", 1),
    ],
)  # fmt: skip
def test_keys_without_any_fence_are_said(project: Project, text: str, line: int) -> None:
    finding = diagnostic_of(project({RULE: text}), "frontmatter-fence")
    assert (finding.severity, finding.position) == ("warning", (line, 1))
    assert f"line {line} looks like frontmatter" in finding.message
    assert "two lines `---`" in finding.hint


@pytest.mark.parametrize(
    "text",
    ["Condition: keep calm.", "condition:foo", "The condition: foo", "Note: x", "name: x", "# T\ncondition: foo", "x"],
)
def test_prose_is_not_taken_for_keys(project: Project, text: str) -> None:
    #
    assert codes_of(project({RULE: text})) == ["inactive-rule"]
