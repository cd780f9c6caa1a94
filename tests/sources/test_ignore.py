"""What `.gitignore` hides: patterns are tried on rule files alone."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support import Project, names_of, skipped_of

from xcsh.sources.ignore_patterns import _body

RULE = ".cursor/rules/ns-a.mdc"
IGNORED = [
    "*.mdc",
    "ns-a.mdc",
    "ns-*",
    "ns-?.mdc",
    "ns-[a-c].mdc",
    "ns-[!x].mdc",
    "ns-[^x].mdc",
    "/.cursor/rules/ns-a.mdc",
    ".cursor/rules/ns-a.mdc",
    ".cursor/rules/*",
    ".cursor/*/ns-a.mdc",
    "**/ns-a.mdc",
    "**/rules/*.mdc",
    ".cursor/**",
    ".cursor/**/ns-a.mdc",
    "/**/*.mdc",
    "*",
    "*.mdc   ",
    "# comment\n*.mdc",
    "!*.mdc\n*.mdc",
    "\\ns-a.mdc",
    "n\\s-a.mdc",
    "ns-[[:alpha:]].mdc",
    "ns-[[:digit:]a].mdc",
    "ns-[![:digit:]].mdc",
    "ns-[\\a].mdc",
    "ns[--.]a.mdc",
    ".cursor/rules/ns[/-]a.mdc",
    ".cursor/***/ns-a.mdc",
    "*.mdc\r",
    "\ufeff*.mdc",
]
NOT_IGNORED = [
    "",
    ".cursor/",
    ".cursor",
    ".cursor/rules/",
    ".cursor/rules",
    "/.cursor",
    "rules",
    "rules/",
    "**/rules/",
    "ns-a.mdc/",
    "*.MDC",
    "/ns-a.mdc",
    "/*.mdc",
    "rules/ns-a.mdc",
    "ns-[b-z].mdc",
    "ns-[!a].mdc",
    "ns-?.md",
    ".cursor/*.mdc",
    "*.mdc\n!*.mdc",
    "*\n!ns-a.mdc",
    "#*.mdc",
    "\\#*.mdc",
    "\\!ns-a.mdc",
    "ns-a.mdc\\ ",
    "{ns-a}.mdc",
    "ns-[.mdc",
    "*[",
    "[",
    "*[[:alpha:]",
    "*[[:letter:]]*",
    "ns-[c-a].mdc",
    ".cursor[/]rules/ns-a.mdc",
    "*\\",
    "*.mdc\\ ",
    " ",
]


#
@pytest.mark.parametrize("patterns", IGNORED)
def test_a_pattern_that_matches_the_file_hides_it(project: Project, patterns: str, *, reference: bool) -> None:
    project.make_repository()
    registry = project({RULE: "Body.", ".gitignore": patterns + "\n"}, reference=reference)
    assert skipped_of(registry, RULE).reason == "git-ignored"
    assert skipped_of(registry, RULE).detail == f".gitignore:{patterns.count(chr(10)) + 1}"


#
@pytest.mark.parametrize("patterns", NOT_IGNORED)
def test_a_pattern_for_folders_or_other_files_hides_nothing(
    project: Project, patterns: str, *, reference: bool
) -> None:
    project.make_repository()
    registry = project({RULE: "Body.", ".gitignore": patterns + "\n"}, reference=reference)
    assert names_of(registry) == ["ns-a"]


#
def test_the_nearest_ignore_file_decides(project: Project, *, reference: bool) -> None:
    project.make_repository()
    project.write({RULE: "Body.", ".gitignore": "*.mdc\n", ".cursor/rules/.gitignore": "!ns-*\n"})
    assert names_of(project.discover(reference=reference)) == ["ns-a"]
    project.write(
        {".gitignore": "!*.mdc\n", ".cursor/.gitignore": "x\nrules/*.mdc\n", ".cursor/rules/.gitignore": "y\n"}
    )
    assert skipped_of(project.discover(reference=reference), RULE).detail == ".cursor/.gitignore:2"


#
def test_ignore_files_count_only_inside_a_work_tree_and_not_above_it(project: Project, *, reference: bool) -> None:
    project.write({f"repo/{RULE}": "Body.", ".gitignore": "*.mdc\n", "repo/.gitignore": "x\n"})
    assert names_of(project.discover(cwd="repo", reference=reference)) == ["ns-a"]
    project.write({"repo/.gitignore": "*.mdc\n"})
    assert names_of(project.discover(cwd="repo", reference=reference)) == ["ns-a"]
    project.make_repository("repo")
    assert names_of(project.discover(cwd="repo", reference=reference)) == []
    project.write({"repo/.gitignore": "x\n"})
    assert names_of(project.discover(cwd="repo", reference=reference)) == ["ns-a"]


#
def test_a_work_tree_whose_git_is_a_file_counts(project: Project, *, reference: bool) -> None:
    project.write({".git": "gitdir: elsewhere\n", RULE: "Body.", ".gitignore": "*.mdc\n"})
    assert names_of(project.discover(reference=reference)) == []


#
def test_the_users_own_folders_have_a_work_tree_of_their_own(project: Project, *, reference: bool) -> None:
    project.make_repository()
    project.write({"~/.cursor/rules/a.mdc": "A", "~/.cursor/rules/b.mdc": "B", ".gitignore": "*.mdc\n"})
    assert names_of(project.discover(reference=reference)) == ["a", "b"]
    (project.home / ".git").mkdir()
    project.write({"~/.gitignore": "a.*\n"})
    assert names_of(project.discover(reference=reference)) == ["b"]


#
def test_files_of_the_reference_tools_can_be_ignored_and_somebodys_own_context_files_cannot(project: Project) -> None:
    project.make_repository()
    names = [".xcsh/rules/a.md", ".windsurf/rules/a.md", ".clinerules/a.md"]
    own = [".cursorrules", ".windsurfrules", "AGENTS.md"]
    registry = project({**dict.fromkeys([*names, *own], "Body."), ".gitignore": "*.md\n.*rules\n"})
    assert [entry.rule.name for entry in registry.all] == ["cursorrules", "windsurfrules", "AGENTS"]
    assert {skipped.reason for skipped in registry.skipped} == {"git-ignored"}
    assert len(registry.skipped) == len(names)


PIECES = st.sampled_from(
    ["*", "**", "a", "b", "?", "[ab]", "[!a]", "/", "\\", ".md", "a.md", "sub", "!", "#", " ", "-", "{a}",
     "[", "]", "^", "[^", "[a-", "[b-a]", "[]]", "[[]", "[[:alpha:]]", "[[:punct:]]", "[[:a", ":]", "[[:x:]]", "[\\]]",
     "\\!", "\\[", "[a/]"]
)  # fmt: skip
NAMES = ["a", "b", "-", "{a}", "!", "[", "]", "^", "a!b", "[ab]", "a]"]


# R-15, against git itself: patterns without a slash at the end, files whose folders no pattern matches.
@given(st.lists(st.lists(PIECES, min_size=1, max_size=5).map("".join), min_size=1, max_size=3))
@example(["[[]*"])
@example(["[!]a]*", "!\\!*"])
@example(["a\\!b*"])
@example(["[b-a].md", "[[:punct:]].md"])
@example(["*", "![a"])
@settings(max_examples=60)
def test_patterns_that_look_at_files_mean_what_they_mean_to_git(tmp_path_factory, patterns: list[str]) -> None:
    project = Project(tmp_path_factory.mktemp("git"))
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    patterns = [pattern for pattern in patterns if not pattern.rstrip().endswith("/")]
    files = [f".xcsh/rules/{name}.md" for name in NAMES]
    folders = [".xcsh", ".xcsh/rules"]
    project.write({**dict.fromkeys(files, "Body."), ".gitignore": "\n".join(patterns) + "\n"})
    command = ["git", "-C", str(project.root), "check-ignore", "-z", "--stdin", "--no-index"]
    asked = "".join(f"{path}\0" for path in (*folders, *files))
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    ignored = set(answer.stdout.split("\0")) - {""}
    assert answer.returncode == (0 if ignored else 1)
    if not ignored.isdisjoint(folders):
        return
    hidden = {skipped.path.removeprefix(f"{project.root}/") for skipped in project.discover().skipped}
    assert hidden == ignored


# time and memory grow with the input, whatever the input
def test_the_end_of_a_long_line_of_spaces_is_cut_once() -> None:
    class Counting(str):
        __slots__ = ()
        cuts = 0

        def __getitem__(self, key: object) -> str:
            Counting.cuts += 1
            return Counting(super().__getitem__(key))

        def removesuffix(self, suffix: str) -> str:
            return Counting(super().removesuffix(suffix))

    assert _body(Counting("a" + " " * 1_000)) == (False, "a")
    assert _body("a\\" + " " * 1_000) == (False, "a\\ ")
    assert _body("a\\\\" + " " * 1_000) == (False, "a\\\\")
    assert Counting.cuts < 5
