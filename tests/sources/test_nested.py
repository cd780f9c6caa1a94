"""The search through all sub-folders of a project: what it finds, where it does not look, and what it may remember."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import PROJECT_SETTINGS, Project, bucket_of, entry_of, names_of, skipped_of

from xcsh.model.rule import Bucket
from xcsh.sources.nested import walk_project

RULE = "---\nglobs: *.ts\n---\nBody."
NAMES = frozenset({".cursor", "AGENTS.md"})


def found_in(root: Path, before: object = None) -> dict[str, list[str]]:
    return walk_project(os.fspath(root), os.fspath(root), NAMES, before).found


#
def test_rules_of_a_sub_folder_are_named_by_it_and_hold_in_it(project: Project) -> None:
    registry = project({"services/pay/.cursor/rules/pay.mdc": RULE, "services/pay/.cursor/rules/deep/a.mdc": "A"})
    assert names_of(registry) == ["services/pay/pay", "services/pay/deep/a"]
    rule = entry_of(registry, "services/pay/pay").rule
    assert (rule.globs, rule.origin.provider) == (("services/pay/**/*.ts",), "cursor-nested")
    assert bucket_of(registry, "services/pay/pay") == Bucket.ATTACHED


# what is always on in its folder is not on everywhere
def test_what_applies_always_in_a_sub_folder_is_attached_there(project: Project) -> None:
    registry = project({"a/.cursor/rules/b.mdc": "---\nalwaysApply: true\nglobs: x/**\n---\nBody."})
    entry = entry_of(registry, "a/b")
    assert (entry.bucket, entry.rule.globs) == (Bucket.ATTACHED, ("a/**",))


#
def test_a_stream_rule_of_a_sub_folder_watches_its_folder_alone(project: Project) -> None:
    registry = project({"a/.cursor/rules/b.mdc": "---\ncondition: foo\\d\n---\nBody."})
    assert (bucket_of(registry, "a/b"), entry_of(registry, "a/b").rule.globs) == (Bucket.TTSR, ("a/**",))


#
@pytest.mark.parametrize(
    "toml",
    ["discovery.recursive = false", 'discovery.providers = "reference"', 'discovery.disabled = ["cursor-nested"]'],
)
def test_the_search_can_be_switched_off(project: Project, toml: str) -> None:
    registry = project({"a/.cursor/rules/b.mdc": RULE, PROJECT_SETTINGS: toml + "\n"})
    assert registry.found == 0


def test_there_is_no_search_in_reference_mode_or_around_a_home(project: Project) -> None:
    project.write({"a/.cursor/rules/b.mdc": RULE, "~/a/.cursor/rules/b.mdc": RULE})
    assert project.discover(reference=True).found == 0
    assert project.discover(cwd="../home").found == 0
    assert project.discover(cwd="..").found == 0


# built and fetched folders are no part of a project; ignoring the tool's own folder hides nothing
def test_folders_that_are_ignored_hidden_fetched_or_other_repositories_are_not_entered(project: Project) -> None:
    project.make_repository()
    for folder in ("out", "gen/x", "kept/out", ".tox", "node_modules/p", "lib/sub", "tree"):
        project.write({f"{folder}/.cursor/rules/a.mdc": RULE})
    project.make_repository("lib/sub")
    project.write(
        {"tree/.git": "gitdir: elsewhere", ".gitignore": "/out/\ngen\n.cursor/\n", "kept/.gitignore": "!out/\n"}
    )
    assert names_of(project.discover()) == ["kept/out/a"]


#
def test_an_ignored_file_in_a_sub_folder_is_listed_with_its_pattern(project: Project) -> None:
    project.make_repository()
    registry = project({"a/.cursor/rules/b.mdc": RULE, "a/.gitignore": "*.mdc\n"})
    assert skipped_of(registry, "b.mdc")[2:4] == ("git-ignored", "a/.gitignore:1")


# R-15a
def test_links_to_folders_are_not_searched(project: Project) -> None:
    project.write({"a/.cursor/rules/b.mdc": RULE})
    project.link("again", "a")
    assert names_of(project.discover()) == ["a/b"]


def test_the_ignore_files_above_the_working_folder_count(project: Project) -> None:
    project.make_repository()
    project.write({".gitignore": "sub/gen/\n", "sub/gen/.cursor/rules/a.mdc": RULE, "sub/b/.cursor/rules/a.mdc": RULE})
    assert names_of(project.discover(cwd="sub")) == ["sub/b/a"]
    assert entry_of(project.discover(cwd="sub"), "sub/b/a").rule.globs == ("b/**/*.ts",)


# Time and memory grow with the input, whatever the input
def test_of_too_many_folders_the_rest_is_not_entered_and_the_first_is_named(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"f{number:02}/deeper/.cursor").mkdir(parents=True)
    walk = walk_project(os.fspath(tmp_path), None, NAMES, most=30)
    assert walk.cut is not None
    assert os.path.isdir(walk.cut)
    assert 0 < len(walk.found[".cursor"]) < 20


FOLDERS = ("", "a", "a/b", "a/b/c", "d", "d/e")
EDITS = st.lists(
    st.tuples(
        st.sampled_from(("file", "rules", "ignore", "remove", "repository", "rename")),
        st.sampled_from(FOLDERS[1:]),
        st.sampled_from(("", "b/\n", "/c\n!c\n", "*\n", "e\n", "*\n!*/\n")),
    ),
    max_size=8,
)


def edit(root: Path, kind: str, folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "file":
        (folder / "AGENTS.md").write_text("Body.")
    elif kind == "rules":
        (folder / ".cursor").mkdir(exist_ok=True)
    elif kind == "ignore":
        (folder / ".gitignore").write_text(text)
    elif kind == "remove":
        shutil.rmtree(folder)
    elif kind == "repository":
        (folder / ".git").mkdir(exist_ok=True)
    else:
        target = root / "moved"
        if not target.exists():
            folder.rename(target)


SETTLED = 20_000_000


# "It must never be wrong after an edit"
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(first=EDITS, second=EDITS, remember=st.booleans())
def test_a_second_search_finds_what_a_first_one_would(
    tmp_path: Path, first: list, second: list, *, remember: bool
) -> None:
    root = tmp_path / "project"
    shutil.rmtree(root, ignore_errors=True)
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    walk = None
    for edits in (first, second, ()):
        for kind, folder, text in edits:
            edit(root, kind, root / folder, text)
        time.sleep(1.5 * SETTLED / 1e9)  # so that there is something that may be remembered
        later = walk is not None  # a first one that remembers nothing is a start too
        walk = walk_project(os.fspath(root), os.fspath(root), NAMES, walk, settled=SETTLED, remember=remember or later)
        assert walk.found == found_in(root)
    remembered = [folder for folder in walk.folders.values() if folder.stamp is not None]
    assert len(remembered) == len(walk.folders)
