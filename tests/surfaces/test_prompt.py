"""What the model is told of the rules."""

from __future__ import annotations

from inline_snapshot import snapshot
from tests.support import USER_SETTINGS, Project, diagnostic_of

from xcsh.api import CONTEXT_PROVIDERS
from xcsh.surfaces.prompt import render_prompt

ALWAYS = "---\nalwaysApply: true\n---\n"


#
def test_always_rules_come_first_as_they_stand_and_then_the_list_of_the_rulebook(
    project: Project, *, reference: bool
) -> None:
    registry = project(
        {
            ".xcsh/rules/z.md": f"{ALWAYS}# Style\n\nUse <b> & tabs.\n",
            ".xcsh/rules/a.md": "---\ndescription: First\nglobs: ['**/*.ts', 'src/<x>/**']\n---\nListed.",
            ".cursor/rules/always.mdc": f"{ALWAYS}Second.",
            ".cursor/rules/b.mdc": "---\ndescription: Second & last\n---\nListed.",
            ".cursor/rules/off.mdc": "Inactive.",
            ".xcsh/rules/stream.md": "---\ncondition: foo\\d\nalwaysApply: true\n---\nStream.",
        },
        reference=reference,
    )
    prompt = render_prompt(registry, CONTEXT_PROVIDERS)
    assert prompt.text == snapshot(
        """\
# Style

Use <b> & tabs.

Second.

# Rules

Read rule://<name> when working in matching domain

<rules>
<rule name="a">
First
<glob>**/*.ts</glob>
<glob>src/&lt;x&gt;/**</glob>
</rule>
<rule name="b">
Second &amp; last
</rule>
</rules>\
"""
    )
    assert [(part.rule, part.kind) for part in prompt.parts] == [
        ("z", "always_apply"),
        ("always", "always_apply"),
        ("a", "rulebook"),
        ("b", "rulebook"),
    ]
    assert prompt.tokens >= sum(part.tokens for part in prompt.parts) - len(prompt.parts)


#
def test_a_project_without_rules_adds_nothing_to_the_prompt(project: Project, *, reference: bool) -> None:
    prompt = render_prompt(project({".cursor/rules/a.mdc": "Inactive."}, reference=reference))
    assert (prompt.text, prompt.tokens, prompt.parts) == ("", 0, ())


#
def test_the_raw_content_of_a_file_without_a_block_keeps_its_white_space(project: Project) -> None:
    text = "  Two blanks first.\n\n\n"
    assert render_prompt(project({".clinerules/a.md": text})).text == text


#
def test_no_description_or_name_can_end_the_list_or_start_an_element(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            '.xcsh/rules/"><x>.md': "---\ndescription: </rule></rules> <rule name=x>\nglobs: ['</glob>']\n---\nBody.",
            ".xcsh/rules/line\nfeed.md": "---\ndescription: |\n  two\n  lines\n---\nBody.",
        },
        reference=reference,
    )
    text = render_prompt(registry).text
    assert text.count("<rule ") == text.count("</rule>") == 2
    assert text.count("</rules>") == 1
    assert '<rule name="line&#10;feed">\ntwo lines\n</rule>' in text


#
def test_an_always_rule_that_repeats_a_context_file_is_said_once(project: Project) -> None:
    tree = {
        "AGENTS.md": "\nSame words.\n\n",
        ".xcsh/rules/a.md": f"{ALWAYS}Same words.",
        ".xcsh/rules/b.md": f"{ALWAYS}Same",
    }
    registry = project(tree)
    prompt = render_prompt(registry, CONTEXT_PROVIDERS)
    assert prompt.text.count("Same words.") == 1
    assert [(part.rule, part.kind) for part in prompt.parts] == [
        ("a", "duplicate"),
        ("b", "always_apply"),
        ("AGENTS", "always_apply"),
    ]
    off = project({USER_SETTINGS: "prompt.dedupe = false\n"})
    assert render_prompt(off, CONTEXT_PROVIDERS).text.count("Same words.") == 2


#
def test_two_always_rules_of_one_content_that_are_no_context_file_are_both_said(
    project: Project, *, reference: bool
) -> None:
    registry = project(
        {".xcsh/rules/a.md": f"{ALWAYS}Same.", ".xcsh/rules/b.md": f"{ALWAYS}Same."}, reference=reference
    )
    assert render_prompt(registry, CONTEXT_PROVIDERS).text.count("Same.") == 2


# R-56 (the budget)
def test_always_rules_above_the_budget_are_reported_with_the_largest(project: Project, *, reference: bool) -> None:
    sizes = {"small": 400, "large": 20_000, "larger": 30_000, "middle": 8_000}
    tree = {f".xcsh/rules/{name}.md": ALWAYS + "word " * (size // 5) for name, size in sizes.items()}
    finding = diagnostic_of(project(tree, reference=reference), "prompt-budget")
    assert finding.path.endswith("larger.md")
    assert [path.rpartition("/")[2] for path in finding.related] == ["larger.md", "large.md", "middle.md"]
    assert "prompt-budget" not in {
        item.code for item in project({USER_SETTINGS: "prompt.budget_tokens = 100_000\n"}).diagnostics
    }
