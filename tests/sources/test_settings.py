"""settings.toml: what it may say, and how far it reaches."""

from __future__ import annotations

import pytest
from tests.support import (
    PROJECT_SETTINGS,
    USER_SETTINGS,
    Project,
    bucket_of,
    codes_of,
    diagnostic_of,
    entry_of,
    names_of,
    skipped_of,
)

from xcsh.model.rule import Bucket
from xcsh.model.settings import SETTINGS, default_settings


#
def test_a_disabled_provider_leaves_before_precedence(project: Project, *, reference: bool) -> None:
    tree = {
        ".cursor/rules/a.mdc": "Cursor.",
        ".windsurf/rules/a.md": "Windsurf.",
        USER_SETTINGS: 'discovery.disabled = ["cursor"]\n',
    }
    registry = project(tree, reference=reference)
    assert entry_of(registry, "a").rule.origin.provider == "windsurf"
    assert registry.shadowed == ()
    skipped = skipped_of(registry, "a.mdc")
    assert skipped.reason == "disabled"
    assert "cursor" in skipped.detail


#
def test_a_disabled_rule_leaves_before_precedence_and_shadows_nothing(project: Project, *, reference: bool) -> None:
    tree = {
        ".xcsh/rules/a.md": "A",
        ".xcsh/rules/b.md": "B",
        ".cursor/rules/a.mdc": "A",
        PROJECT_SETTINGS: '[discovery]\ndisabled = ["rule:a"]\n',
        "~/.xcsh/agent/rules/a.md": "The user's.",
    }
    registry = project(tree, reference=reference)
    assert names_of(registry) == ["b", "a"]
    assert entry_of(registry, "a").rule.content == "The user's."
    assert {skipped.detail for skipped in registry.skipped} == {"rule:a is disabled in settings"}
    assert codes_of(registry, "rules/a.md") == ["inactive-rule"]


#
def test_a_projects_settings_reach_only_its_own_items(project: Project) -> None:
    tree = {
        ".clinerules/p.md": "Project.",
        "~/.codeium/windsurf/memories/global_rules.md": "User.",
        "~/.cursor/rules/u.mdc": "---\nglobs: a, b\n---\nUser.",
        ".cursor/rules/p2.mdc": "---\nglobs: a, b\n---\nProject.",
        PROJECT_SETTINGS: 'rules.activation = "reference"\nrules.attach = "advisory"\n'
        'frontmatter.repair = false\ndiscovery.disabled = ["rule:u", "windsurf"]\n',
    }
    registry = project(tree)
    assert bucket_of(registry, "p") == Bucket.INACTIVE
    assert bucket_of(registry, "global_rules") == Bucket.ALWAYS_APPLY
    assert (bucket_of(registry, "u"), entry_of(registry, "u").rule.globs) == (Bucket.ATTACHED, ("a", "b"))
    assert (bucket_of(registry, "p2"), entry_of(registry, "p2").rule.globs) == (Bucket.INACTIVE, ("a, b",))


#
@pytest.mark.parametrize("setting", [setting for setting in SETTINGS if not setting.project], ids=lambda s: s.key)
def test_a_project_cannot_set_what_reaches_beyond_it(project: Project, setting) -> None:
    value = {bool: "false", int: "5", str: '"anywhere"', tuple: "[]"}[type(setting.default)]
    registry = project({PROJECT_SETTINGS: f"{setting.key} = {value}\n"})
    assert diagnostic_of(registry, "setting-not-allowed").position == (1, 1)
    assert registry.settings.project[setting.key] == setting.default
    assert registry.settings.user[setting.key] == setting.default


#
def test_lists_of_the_user_and_the_project_add_up(project: Project) -> None:
    tree = {f".xcsh/rules/{name}.md": name for name in "abc"}
    settings = {
        USER_SETTINGS: 'discovery.disabled = ["rule:a"]\n',
        PROJECT_SETTINGS: 'discovery.disabled = ["rule:b"]\n',
    }
    assert names_of(project({**tree, **settings})) == ["c"]


def test_the_reference_switches_everything_beyond_it_off_at_once(project: Project) -> None:
    tree = {
        ".clinerules/a.md": "A",
        ".xcsh/rules/b/c.md": "C",
        ".xcsh/rules/d.md": "---\nglobs: a, b\n---\nD",
        "AGENTS.md": "G",
    }
    by_call = project(tree, reference=True)
    by_setting = project({USER_SETTINGS: 'reference = true\nrules.attach = "auto"\ndiscovery.recursive = true\n'})
    assert by_call.settings.user == by_setting.settings.user == default_settings(reference=True).user
    assert [entry[:3] for entry in by_call.all] == [entry[:3] for entry in by_setting.all]
    assert names_of(by_call) == ["d", "a"]
    assert {entry.bucket for entry in by_call.active} == {Bucket.INACTIVE}


def test_a_project_may_ask_for_the_reference_for_its_own_items(project: Project) -> None:
    tree = {
        ".clinerules/a.md": "A",
        "~/.codeium/windsurf/memories/global_rules.md": "G",
        PROJECT_SETTINGS: "reference = true\n",
    }
    registry = project(tree)
    assert bucket_of(registry, "a") == Bucket.INACTIVE
    assert bucket_of(registry, "global_rules") == Bucket.ALWAYS_APPLY


def test_an_unknown_setting_is_reported_with_the_nearest_name(project: Project) -> None:
    registry = project({USER_SETTINGS: "\n[discovery]\nrecusive = false\n"})
    finding = diagnostic_of(registry, "unknown-setting")
    assert finding.position == (3, 1)
    assert "`discovery.recursive`" in finding.message


def test_a_file_above_the_limit_of_the_user_is_not_read(project: Project, *, reference: bool) -> None:
    tree = {
        ".xcsh/rules/a.md": "x" * 101,
        ".xcsh/rules/b.md": "x" * 100,
        USER_SETTINGS: "discovery.max_file_bytes = 100\n",
    }
    registry = project(tree, reference=reference)
    assert names_of(registry) == ["b"]
    assert skipped_of(registry, "a.md").reason == "too-large"


def test_every_setting_has_a_summary_and_a_reference_value_of_its_own_type() -> None:
    for setting in SETTINGS:
        assert setting.summary
        assert setting.reference is None or type(setting.reference) is type(setting.default)
        assert not setting.choices or {setting.default} <= set(setting.choices)
