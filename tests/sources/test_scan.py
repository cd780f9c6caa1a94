"""Where each provider looks, in which order, and what it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support import (
    USER_SETTINGS,
    Project,
    bucket_of,
    codes_of,
    entry_of,
    names_of,
    skipped_of,
)

from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket
from xcsh.model.source import SKIP_REASONS


def found(registry: Registry, provider: str) -> list[tuple[str, str]]:
    """The names and levels of a provider's rules, in registry order."""
    return [
        (entry.rule.name, entry.rule.origin.level) for entry in registry.all if entry.rule.origin.provider == provider
    ]


#
def test_native_reads_md_and_mdc_of_the_project_and_then_of_the_user(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            "~/.xcsh/agent/rules/c.md": "C",
            "~/.xcsh/agent/rules/a.mdc": "A",
            ".xcsh/rules/b.md": "B",
            ".xcsh/rules/a.mdc": "A",
            ".xcsh/rules/d.txt": "D",
            "~/.xcsh/rules/e.md": "E",
        },
        reference=reference,
    )
    assert found(registry, "native") == [("a", "project"), ("b", "project"), ("a", "user"), ("c", "user")]
    assert skipped_of(registry, "d.txt").reason == "extension"
    assert registry.found == 5


#
def test_cursor_reads_mdc_and_md_of_the_user_and_then_of_the_project(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".cursor/rules/a.mdc": "A",
            ".cursor/rules/c.md": "C",
            "~/.cursor/rules/b.md": "B",
            "~/.cursor/rules/a.mdc": "A",
        },
        reference=reference,
    )
    assert found(registry, "cursor") == [("a", "user"), ("b", "user"), ("a", "project"), ("c", "project")]


#
def test_windsurf_reads_the_global_rules_and_then_md_of_the_project(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".windsurf/rules/global_rules.md": "Project.",
            ".windsurf/rules/a.md": "A",
            ".windsurf/rules/b.mdc": "B",
            "~/.codeium/windsurf/memories/global_rules.md": "User.",
            "~/.codeium/windsurf/memories/other.md": "Other.",
            "~/.windsurf/rules/c.md": "C",
        },
        reference=reference,
    )
    assert found(registry, "windsurf") == [("global_rules", "user"), ("a", "project"), ("global_rules", "project")]
    assert entry_of(registry, "global_rules").rule.content.startswith("User.")
    assert skipped_of(registry, "b.mdc").reason == "extension"


#
def test_cline_reads_only_the_nearest_rules_walking_up(project: Project, *, reference: bool) -> None:
    project.write({".clinerules/far.md": "Far.", "a/.clinerules": "Near.", "a/b/c/keep": ""})
    near = project.discover(cwd="a/b/c", reference=reference)
    assert found(near, "cline") == [("clinerules", "project")]
    assert entry_of(near, "clinerules").rule.path == str(project.root / "a/.clinerules")
    assert found(project.discover(cwd="", reference=reference), "cline") == [("far", "project")]
    project.write({"a/b/.clinerules/x.md": "X", "a/b/.clinerules/y.mdc": "Y"})
    assert found(project.discover(cwd="a/b/c", reference=reference), "cline") == [("x", "project")]


#
def test_cline_walks_up_past_the_repository(project: Project, *, reference: bool) -> None:
    project.make_repository("inner")
    registry = project({".clinerules/far.md": "Far.", "inner/keep": ""}, cwd="inner", reference=reference)
    assert found(registry, "cline") == [("far", "project")]


#
def test_an_empty_nearest_folder_still_hides_the_one_above(project: Project, *, reference: bool) -> None:
    project.path("a/.clinerules").mkdir(parents=True)
    assert project({".clinerules/far.md": "Far."}, cwd="a", reference=reference).all == ()


#
def test_scans_are_not_recursive_and_skip_hidden_entries_in_the_reference(project: Project) -> None:
    registry = project(
        {
            ".xcsh/rules/a.md": "A",
            ".xcsh/rules/.b.md": "B",
            ".xcsh/rules/.hidden/c.md": "C",
            ".xcsh/rules/sub/d.md": "D",
            ".xcsh/rules/sub/deeper/e.md": "E",
        },
        reference=True,
    )
    assert names_of(registry) == ["a"]
    assert {Path(skipped.path).name: skipped.reason for skipped in registry.skipped} == {
        ".b.md": "hidden",
        ".hidden": "hidden",
        "d.md": "nested",
        "e.md": "nested",
    }


#
def test_file_names_are_ordered_by_code_point(project: Project, *, reference: bool) -> None:
    names = ["Z.md", "_.md", "a-b.md", "a.md", "a.mdc", "aa.md", "b.md", "\u00e4.md", "\u4e2d.md", "\U0001f600.md"]
    registry = project({f".xcsh/rules/{name}": name for name in reversed(names)}, reference=reference)
    assert [Path(entry.rule.path).name for entry in registry.all] == sorted(names)


#
@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("v1.2-notes.mdc", "v1.2-notes"),
        ("a.md.mdc", "a.md"),
        ("with space.md", "with space"),
        ("\u898f\u5247.md", "\u898f\u5247"),
        ("a%2Fb.md", "a%2Fb"),
        ("UPPER.md", "UPPER"),
        ("-.md", "-"),
    ],
)
def test_a_rule_is_named_by_its_file_without_the_last_ending(
    project: Project, file: str, name: str, *, reference: bool
) -> None:
    assert names_of(project({f".cursor/rules/{file}": "Body."}, reference=reference)) == [name]


#
def test_a_file_that_is_only_an_ending_is_hidden(project: Project, *, reference: bool) -> None:
    assert skipped_of(project({".cursor/rules/.mdc": "Body."}, reference=reference), ".mdc").reason == "hidden"


#
def test_sub_folders_are_read_named_by_path_and_ranked_after_the_folders_own_files(project: Project) -> None:
    registry = project(
        {
            ".xcsh/rules/z.md": "Z",
            ".xcsh/rules/a/one.md": "One.",
            ".xcsh/rules/b/deep/two.mdc": "Two.",
            ".xcsh/rules/b/three.md": "Three.",
        }
    )
    assert names_of(registry) == ["z", "a/one", "b/three", "b/deep/two"]


#
def test_a_rule_in_a_sub_folder_shadows_nothing_above_it(project: Project) -> None:
    registry = project({".cursor/rules/a.mdc": "Own.", ".cursor/rules/x/a.mdc": "Deeper."})
    assert names_of(registry) == ["a", "x/a"]
    assert registry.shadowed == ()


#
def test_what_cline_keeps_apart_is_not_rules(project: Project, *, reference: bool) -> None:
    tree = {f".clinerules/{name}/a.md": "A" for name in ("workflows", "hooks", "skills")}
    registry = project({**tree, ".clinerules/own/workflows/b.md": "B"}, reference=reference)
    assert {Path(skipped.path).name for skipped in registry.skipped if skipped.reason == "reserved"} == {
        "workflows",
        "hooks",
        "skills",
    }
    assert names_of(registry) == ([] if reference else ["own/workflows/b"])


#
def test_recursion_is_a_setting_of_its_own(project: Project) -> None:
    registry = project({".xcsh/rules/a/b.md": "B", USER_SETTINGS: "discovery.recursive = false\n"})
    assert skipped_of(registry, "a/b.md").reason == "nested"


#
def test_legacy_files_are_rules_that_always_apply(project: Project, *, reference: bool) -> None:
    tree = {".cursorrules": "Cursor's old file.\n", ".windsurfrules": "---\nalwaysApply: false\n---\nOld.\n"}
    registry = project(tree, reference=reference)
    if reference:
        assert {skipped.reason for skipped in registry.skipped} == {"disabled"}
        assert registry.all == ()
        return
    assert names_of(registry) == ["cursorrules", "windsurfrules"]
    assert bucket_of(registry, "cursorrules") == bucket_of(registry, "windsurfrules") == Bucket.ALWAYS_APPLY
    assert entry_of(registry, "windsurfrules").rule.content == tree[".windsurfrules"]


#
def test_legacy_files_rank_below_every_reference_provider(project: Project) -> None:
    registry = project({".cursorrules": "Old.", ".clinerules/cursorrules.md": "Cline's.", ".windsurfrules": "Old."})
    assert entry_of(registry, "cursorrules").rule.origin.provider == "cline"
    assert [entry.rule.origin.provider for entry in registry.shadowed] == ["cursor-legacy"]


# R-60 (the fifth provider)
def test_context_files_are_read_from_the_repository_root_down_to_cwd(project: Project) -> None:
    project.make_repository("repo")
    project.write(
        {
            "AGENTS.md": "Above the repository.",
            "repo/AGENTS.md": "Root.",
            "repo/CLAUDE.md": "Root for Claude.",
            "repo/a/AGENTS.md": "A.",
            "repo/a/b/CLAUDE.md": "B.",
            "repo/other/AGENTS.md": "Not on the way.",
        }
    )
    registry = project.discover(cwd="repo/a/b")
    assert names_of(registry) == ["AGENTS", "CLAUDE", "a/AGENTS", "a/b/CLAUDE"]
    assert all(entry.bucket == Bucket.ALWAYS_APPLY for entry in registry.active)


# R-60 (`discovery.providers`)
def test_a_setting_limits_discovery_to_the_reference_providers(project: Project) -> None:
    registry = project(
        {
            "AGENTS.md": "A",
            ".cursorrules": "C",
            ".xcsh/rules/a.md": "N",
            USER_SETTINGS: 'discovery.providers = "reference"\n',
        }
    )
    assert names_of(registry) == ["a"]
    assert {skipped.reason for skipped in registry.skipped} == {"disabled"}


def test_endings_beyond_the_reference_are_read_behind_the_others(project: Project, *, reference: bool) -> None:
    registry = project(
        {".clinerules/a.txt": "A", ".clinerules/B.MD": "B", ".clinerules/c.md": "C"}, reference=reference
    )
    assert names_of(registry) == (["c"] if reference else ["c", "B", "a"])
    if reference:
        assert {skipped.reason for skipped in registry.skipped} == {"extension"}


def test_a_project_whose_folder_is_a_link_keeps_the_name_its_user_gave(project: Project, tmp_path: Path) -> None:
    project.write({".xcsh/rules/a.md": "A"})
    (tmp_path / "link").symlink_to(project.root)
    from xcsh.api import discover

    registry = discover(tmp_path / "link", home=project.home)
    assert [entry.rule.path for entry in registry.all] == [str(tmp_path / "link/.xcsh/rules/a.md")]


def test_a_home_that_is_also_the_project_reports_no_file_twice(project: Project, *, reference: bool) -> None:
    project.write({"~/.cursor/rules/a.mdc": "A", "~/.xcsh/agent/rules/b.md": "B"})
    from xcsh.api import discover

    registry = discover(project.home, home=project.home, reference=reference)
    assert names_of(registry) == ["b", "a"]
    assert codes_of(registry, "a.mdc") == ["inactive-rule"]


def test_every_reason_to_skip_is_described() -> None:
    assert all(description for description in SKIP_REASONS.values())
