"""A save that was not finished takes nothing away: what has become broken stays as it was (C-32)."""

from __future__ import annotations

import os

import pytest
from tests.support import Project, check_laws, codes_of, entry_of, names_of

from xcsh.api import rediscover
from xcsh.model.registry import Registry
from xcsh.slash.expansion import expand

GOOD = {
    ".xcsh/rules/style.md": "---\ndescription: Style\nalwaysApply: true\n---\nUse tabs.",
    ".xcsh/rules/no-any.md": "---\ncondition: any\\b\n---\nNever any.",
    ".xcsh/commands/review.md": "---\ndescription: Reviews\n---\nReview $1.",
    ".gemini/commands/plan.toml": 'prompt = "Plan {{args}}"\n',
    ".claude/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads\n---\nRead it.",
}


def after(project: Project, before: Registry, tree: dict[str, str | bytes]) -> Registry:
    project.write(tree)
    registry = rediscover(before)
    check_laws(registry)
    return registry


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\ndescription: Style\nalwaysApply: true\n",
        "---\n- no mapping\n---\nUse spaces.",
        b"---\nalwaysApply: true\n---\nUse\x00spaces.",
        "---\ndescription: Style\nalwaysApply: true\n---\n",
    ],
)
def test_a_rule_whose_file_breaks_is_used_as_it_was_until_it_is_repaired(project: Project, text: str | bytes) -> None:
    # C-32: "a broken save keeps the last good version"
    first = project(GOOD)
    broken = after(project, first, {".xcsh/rules/style.md": text})
    assert entry_of(broken, "style") == entry_of(first, "style")
    assert "kept-last-good" in codes_of(broken, "style.md")
    again = after(project, broken, {})
    assert entry_of(again, "style") == entry_of(first, "style")
    assert codes_of(again) == codes_of(broken)
    repaired = after(project, again, {".xcsh/rules/style.md": "---\nalwaysApply: true\n---\nUse spaces."})
    assert entry_of(repaired, "style").rule.content == "Use spaces."
    assert codes_of(repaired, "style.md") == []


def test_every_kind_of_item_is_kept(project: Project) -> None:
    # C-32
    first = project(GOOD)
    broken = after(
        project,
        first,
        {
            ".xcsh/rules/no-any.md": "---\ncondition: 'any('\n---\nNever any.",
            ".xcsh/commands/review.md": "",
            ".gemini/commands/plan.toml": 'prompt = "Plan',
            ".claude/skills/pdf/SKILL.md": "---\nname: pdf\n",
        },
    )
    assert entry_of(broken, "no-any").rule.condition == (r"any\b",)
    assert expand(broken, "/review a").text == "Review a."
    assert expand(broken, "/plan b").text == "Plan b"
    assert expand(broken, "/skill:pdf").text == "Read it."
    assert codes_of(broken).count("kept-last-good") == 4
    assert broken.commands.skipped == first.commands.skipped


def test_what_is_removed_is_gone_and_what_is_new_and_broken_was_never_there(project: Project) -> None:
    # C-32
    first = project(GOOD)
    broken = after(project, first, {".xcsh/rules/style.md": "", ".xcsh/rules/new.md": ""})
    os.unlink(project.path(".xcsh/rules/style.md"))
    gone = after(project, broken, {})
    assert names_of(gone) == ["no-any"]
    assert "kept-last-good" not in codes_of(gone)


def test_what_was_odd_from_the_start_may_change(project: Project) -> None:
    # C-32
    first = project({".xcsh/rules/odd.md": "---\ndescription: [a\nalwaysApply: true\n---\nOne."})
    second = after(project, first, {".xcsh/rules/odd.md": "---\ndescription: [a\nalwaysApply: true\n---\nTwo."})
    assert entry_of(second, "odd").rule.content == "Two."


def test_a_broken_settings_file_keeps_everything_as_it_was(project: Project) -> None:
    # C-32
    first = project({**GOOD, "~/.xcsh/agent/settings.toml": '[discovery]\ndisabled = ["rule:style"]'})
    broken = after(project, first, {"~/.xcsh/agent/settings.toml": '[discovery]\ndisabled = ["rule:st'})
    assert names_of(broken) == ["no-any"]
    assert set(codes_of(broken, "settings.toml")) == {"invalid-settings-file", "kept-last-good"}
    repaired = after(project, broken, {"~/.xcsh/agent/settings.toml": ""})
    assert "style" in names_of(repaired)
    assert codes_of(repaired, "settings.toml") == []


def test_the_earlier_version_keeps_its_place_in_the_precedence(project: Project) -> None:
    # C-32, R-31
    first = project({**GOOD, "~/.xcsh/agent/rules/style.md": "---\nalwaysApply: true\n---\nMine."})
    broken = after(project, first, {".xcsh/rules/style.md": ""})
    assert entry_of(broken, "style").rule.content == "Use tabs."
    assert [entry.rule.content for entry in broken.shadowed] == ["Mine."]
