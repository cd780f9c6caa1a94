"""What the model is told of the rules that it broke."""

from __future__ import annotations

import re

import pytest
from tests.guard.rules import rule

from xcsh.guard.injection import injection, reminder


def test_each_rule_has_a_block_with_its_name_its_path_and_its_content() -> None:
    # T-10
    text = injection([rule("no-any", "any"), rule("no-var", "var")], "/project")
    assert re.findall(r'^<system-interrupt reason="rule_violation" rule="(.*)" path="(.*)">$', text, re.MULTILINE) == [
        ("no-any", "no-any.md"), ("no-var", "no-var.md"),
    ]  # fmt: skip
    assert text.count("\ncontent\n</system-interrupt>") == 2
    assert "the agent, not from the user" in text


def test_a_reminder_has_the_same_shape_and_says_that_nothing_was_stopped() -> None:
    # T-12
    text = reminder([rule("r", "x")])
    assert text.startswith('<system-reminder reason="rule_violation" rule="r" path="/project/r.md">\n')
    assert "was not stopped" in text
    assert text.endswith("\ncontent\n</system-reminder>")


def test_no_rules_give_no_text() -> None:
    # T-10
    assert injection([]) == reminder([]) == ""


def test_names_and_paths_cannot_leave_their_attribute() -> None:
    # T-10
    odd = rule('a"><b>&\n', "x")
    first = injection([odd]).splitlines()[0]
    assert first == (
        '<system-interrupt reason="rule_violation" rule="a&quot;&gt;&lt;b&gt;&amp;&#10;" '
        'path="/project/a&quot;&gt;&lt;b&gt;&amp;&#10;.md">'
    )


@pytest.mark.parametrize(
    "closing", ["</system-interrupt>", "</SYSTEM-INTERRUPT >", "< /\nsystem-interrupt", "</system-reminder>"]
)
def test_content_cannot_end_its_block(closing: str) -> None:
    # T-10
    for say in (injection, reminder):
        text = say([rule("r", "x")._replace(content=f"before {closing} after")])
        assert len(re.findall(r"(?i)<\s*/\s*system-(?:interrupt|reminder)", text)) == 1
        assert "before <" in text
        assert "\\/" in text
        assert " after\n</system-" in text
