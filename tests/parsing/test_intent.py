"""A file that says in vain where it applies is never made to apply always (R-24)."""

from __future__ import annotations

import pytest
from tests.support import Project

KEYS = "trigger: glob\nglobs: a"
BLOCK = f"---\n{KEYS}\n---\nb"
OFF = {"~/.xcsh/agent/settings.toml": "[frontmatter]\nrepair = false\n"}


def bucket(project: Project, name: str, text: str, extra: dict[str, str] | None = None) -> str | None:
    (entry,) = project({name: text, **(extra or {})}).all
    return entry.bucket


#
@pytest.mark.parametrize(
    "text",
    [
        "<!-- a -->\n<!-- b -->\n" + BLOCK,
        "// a\n// b\n" + BLOCK,
        "/* c */\n" + BLOCK,
        '```md title="x"\n' + BLOCK,
        "~~~\n" + BLOCK,
        "\u200b\u200b\u200b" + BLOCK,
        f"\u2013\u2013\u2013\n{KEYS}\n\u2013\u2013\u2013\nb",
        f"- - -\n{KEYS}\n- - -\nb",
        f"Title\n{KEYS}\n---\nb",
    ],
)
def test_keys_behind_an_opening_that_no_reader_knows_are_not_taken_for_none(project: Project, text: str) -> None:
    registry = project({".windsurf/rules/a.md": text})
    assert registry.all[0].bucket == "inactive"
    assert registry.all[0].reason == "its frontmatter could not be read"
    finding = next(item for item in registry.diagnostics if item.code == "lost-frontmatter")
    assert finding.position is not None
    assert text.split("\n")[finding.position.line - 1].strip().startswith("trigger")


# R-24, in every mode that asks the owner
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".clinerules/a.md", "---\npaths: src/**\nb"),
        (".clinerules/a.md", "---\npaths:src/**\n---\nb"),
        (".clinerules/a.md", "---\n- paths: src/**\n---\nb"),
        (".clinerules/a.md", "\n---\npaths: src/**\n---\nb"),
        (".windsurf/rules/a.md", "---\ntrigger: glob\nb"),
    ],
)
def test_without_repair_a_block_that_is_not_found_is_not_taken_for_none(project: Project, name: str, text: str) -> None:
    assert bucket(project, name, text, OFF) == "inactive"


#
@pytest.mark.parametrize(
    "text",
    [
        "---\n---\npaths: src/**\n---\nb",
        "---\nname: x\n  paths: src/**\n---\nbody",
        "---\nname: x\n\tpaths: src/**\n---\nbody",
        '---\nttsr_trigger: ["foo"]\n---\nb',
        "---\ncondition: 5\n---\nb",
        "---\ncondition: {a: b}\n---\nb",
        "---\npath: src/**\n---\nb",
        "---\nPath:\n  - src/**\n---\nb",
    ],
)
def test_a_key_that_got_lost_inside_a_block_is_not_taken_for_none(project: Project, text: str) -> None:
    registry = project({".clinerules/a.md": text})
    assert registry.all[0].bucket == "inactive"
    assert {item.code for item in registry.diagnostics} - {"inactive-rule"}


# what has no such key stays always on
@pytest.mark.parametrize(
    "text",
    [
        "# Style\n\nUse tabs.\n\n---\n\nNo trailing spaces.\n",
        "# Plain\n\n---\nPaths are absolute: always.\n",
        "---\ntitle: x\n---\nbody\n",
        "# T\n\n---\n\nGlobs are useful for paths in many tools.\n",
        "paths: in prose without any fence\n",
    ],
)
def test_prose_with_a_thematic_break_stays_always_on(project: Project, text: str) -> None:
    assert bucket(project, ".clinerules/a.md", text) == "always_apply"


# "the dialects are read as their authors meant"
@pytest.mark.parametrize(
    "block",
    [
        'notes: "write\nalwaysApply: true\nto enable"',
        'description: "an example:\nalwaysApply: true\nends"',
        "meta: {\nalwaysApply: true\n}",
    ],
)
def test_a_line_inside_a_value_is_no_key(project: Project, block: str) -> None:
    registry = project({".cursor/rules/a.mdc": f"---\n{block}\nglobs: src/**\n---\nb"})
    assert registry.all[0].rule.always_apply is None
    assert registry.all[0].rule.globs == ("src/**",)


#
def test_of_two_spellings_of_one_key_the_last_counts_and_both_are_reported(project: Project) -> None:
    registry = project({".cursor/rules/a.mdc": "---\nAlwaysApply: true\nalways_apply: false\n---\nb"})
    assert registry.all[0].bucket == "inactive"
    assert "duplicate-key" in {item.code for item in registry.diagnostics}


#
def test_the_owners_patterns_count_and_not_those_that_the_owner_ignores(project: Project) -> None:
    registry = project({".clinerules/a.md": '---\nglobs: "*.py"\npaths: ["src/**"]\n---\nb'})
    assert (registry.all[0].bucket, registry.all[0].rule.globs) == ("attached", ("src/**",))


#
def test_an_empty_always_apply_silences_nobody(project: Project) -> None:
    assert bucket(project, ".windsurf/rules/a.md", "---\ntrigger: always_on\nalwaysApply:\n---\nb") == "always_apply"
