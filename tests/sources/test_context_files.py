"""Context files: what is imported, what is said once, and which of several a tool reads."""

from __future__ import annotations

import pytest
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project, bucket_of, entry_of, names_of, skipped_of

from xcsh.api import render_prompt
from xcsh.model.rule import Bucket
from xcsh.surfaces.reach import reach_of


def content_of(project: Project, name: str) -> str:
    return entry_of(project.discover(), name).rule.content


def imports_not_read(project: Project) -> list[tuple[int, str]]:
    found = [item for item in project.discover().diagnostics if item.code == "import-not-read"]
    return [(item.position.line, item.message) for item in found]


# "imports (`@path`, depth 5)"
def test_a_line_that_is_an_import_becomes_the_file(project: Project) -> None:
    project.write({"CLAUDE.md": "One.\n\n@docs/a.md\n- @./docs/b.txt\n\nEnd.", "docs/a.md": "A.\n", "docs/b.txt": "B."})
    assert content_of(project, "CLAUDE") == "One.\n\nA.\nB.\n\nEnd."


def test_a_space_in_the_path_of_an_import_is_written_with_a_backslash(project: Project) -> None:
    project.write({"CLAUDE.md": "See @a\\ b.md.\n@c\\ d.md", "a b.md": "A.", "c d.md": "C."})
    assert content_of(project, "CLAUDE") == "See @a\\ b.md.\nC.\n\nContents of a b.md:\n\nA."


def test_a_mention_in_a_sentence_stays_and_the_file_follows(project: Project) -> None:
    project.write({"CLAUDE.md": "See @docs/a.md, and (@docs/b.md).\nMore.", "docs/a.md": "A.", "docs/b.md": "B."})
    text = "See @docs/a.md, and (@docs/b.md).\nMore.\n\nContents of docs/a.md:\n\nA.\n\nContents of docs/b.md:\n\nB."
    assert content_of(project, "CLAUDE") == text


@pytest.mark.parametrize(
    "text",
    ["Mail me@docs/a.md now", "`@docs/a.md`", "```\n@docs/a.md\n```", "~~~~md\n@docs/a.md\n```\n~~~~", "``x ` @docs/a.md``",
     "use @docs and @scope/pkg", "@ docs/a.md"],
)  # fmt: skip
def test_code_addresses_and_package_names_are_no_imports(project: Project, text: str) -> None:
    project.write({"CLAUDE.md": text, "docs/a.md": "A."})
    assert content_of(project, "CLAUDE") == text
    assert imports_not_read(project) == []


def test_imports_count_from_the_importing_file_and_end_five_deep(project: Project) -> None:
    project.write({f"d/{number}.md": f"Text {number}.\n@{number + 1}.md" for number in range(1, 8)})
    project.write({"CLAUDE.md": "@d/1.md"})
    assert content_of(project, "CLAUDE") == "\n".join(f"Text {number}." for number in range(1, 6)) + "\n@6.md"
    assert imports_not_read(project) == [(1, "`@6.md` is not imported: more than 5 levels deep")]


def test_files_that_import_each_other_come_once(project: Project) -> None:
    project.write({"CLAUDE.md": "@a.md\n@a.md\nEnd.", "a.md": "A.\n@CLAUDE.md\n@a.md\n@b.md", "b.md": "B."})
    assert content_of(project, "CLAUDE") == "A.\nB.\nEnd."


# "only inside allowed roots = project and the tool's own user folder"
def test_a_file_outside_the_project_and_the_tools_own_folder_is_not_imported(project: Project) -> None:
    secret = project.root.parent / "secret.md"
    secret.write_text("Secret.")
    project.link("link.md", secret)
    project.write({"~/notes.md": "Notes.", "~/.claude/mine.md": "Mine.", "~/.gemini/its.md": "Its."})
    lines = [
        "@../secret.md",
        f"@{secret}",
        "@link.md",
        "@~/notes.md",
        "@~/.gemini/its.md",
        "@~/.claude/mine.md",
    ]
    project.write({"CLAUDE.md": "\n".join(lines)})
    assert content_of(project, "CLAUDE") == "\n".join([*lines[:-1], "Mine."])
    found = imports_not_read(project)
    assert [line for line, _ in found] == [1, 2, 3, 4, 5]
    assert all("outside the project" in message for _, message in found)
    assert "Secret" not in render_prompt(project.discover()).text


def test_an_import_that_is_not_there_is_a_finding_with_its_line(project: Project) -> None:
    project.write({"GEMINI.md": "Intro.\n@./gone.md\n@docs"})
    assert imports_not_read(project) == [(2, "`@./gone.md` is not imported: there is no such file")]
    assert content_of(project, "GEMINI") == "Intro.\n@./gone.md\n@docs"


#
def test_each_import_that_is_not_read_is_told_at_its_own_place(project: Project) -> None:
    text = "bla\nbla `@x/` @docs/none.md and (@docs/other.md), @in.md.\n\t- @../a\\ b.md!"
    project.write({"CLAUDE.md": text, "in.md": "In.\nSee @gone.md", "../a b.md": "Outside."})
    found = [item for item in project.discover().diagnostics if item.code == "import-not-read"]
    lines = text.split("\n")
    spans = [(item.position.line, item.position.column - 1, item.end.column - 1) for item in found]
    assert [(line, lines[line - 1][start:end]) for line, start, end in spans] == [
        (2, "@docs/none.md"), (2, "@docs/other.md"), (2, "@in.md"), (3, "@../a\\ b.md"),
    ]  # fmt: skip
    assert "`@gone.md`" in found[2].message


@pytest.mark.parametrize("data", [b"a\0b", b"x" * 2_000_000])
def test_an_import_that_is_no_text_or_too_large_is_a_finding(project: Project, data: bytes) -> None:
    project.write({"CLAUDE.md": "A.\n@big.md", "big.md": data})
    assert len(imports_not_read(project)) == 1
    assert content_of(project, "CLAUDE") == "A.\n@big.md"


# Time and memory grow with the input
def test_imports_that_multiply_stay_bounded(project: Project) -> None:
    project.write(
        {f"{number}.md": "x" * 3_000 + "".join(f"\n@{other}.md" for other in range(300)) for number in range(300)}
    )
    project.write({"CLAUDE.md": "@0.md"})
    assert len(content_of(project, "CLAUDE")) < 1_100_000


# Amp: "conditional on reading a match"
def test_an_imported_file_with_globs_is_a_rule_of_its_own(project: Project) -> None:
    text = "---\nglobs:\n  - '**/*.ts'\n---\nTypes."
    registry = project({"AGENTS.md": "All.\n@docs/types.md", "CLAUDE.md": "@docs/types.md", "docs/types.md": text})
    assert entry_of(registry, "AGENTS").rule.content == "All."
    assert (bucket_of(registry, "docs/types"), entry_of(registry, "docs/types").rule.globs) == (
        Bucket.ATTACHED,
        ("**/*.ts",),
    )


# "counted once per real path and per content"
def test_a_link_or_a_copy_of_a_context_file_counts_once(project: Project) -> None:
    project.write({"AGENTS.md": "Same words.", "GEMINI.md": "Same words.\n", "pkgs/AGENTS.md": "Of pkgs."})
    project.link("CLAUDE.md", "AGENTS.md")
    registry = project.discover()
    assert names_of(registry) == ["AGENTS", "pkgs/AGENTS"]
    assert skipped_of(registry, "CLAUDE.md")[2:4] == ("duplicate", "AGENTS.md is the same file, or imports it")
    assert skipped_of(registry, "GEMINI.md")[2:4] == ("duplicate", "AGENTS.md says the same")
    # DSC-10: the link at the root stops nothing further down
    assert [reach.entry.rule.name for reach in reach_of(registry, "pkgs/x") if reach.how == "attached"] == [
        "pkgs/AGENTS"
    ]


def test_a_file_that_only_imports_what_is_read_anyway_is_a_duplicate(project: Project) -> None:
    registry = project({"AGENTS.md": "All.", "CLAUDE.md": "@AGENTS.md\n", "GEMINI.md": "@AGENTS.md\nMore."})
    assert names_of(registry) == ["AGENTS", "GEMINI"]
    assert skipped_of(registry, "CLAUDE.md").reason == "duplicate"
    assert render_prompt(registry).text == "All.\n\nMore."


def test_a_copy_counts_where_the_other_one_lost_its_name(project: Project) -> None:
    registry = project({".xcsh/rules/AGENTS.md": "Ours.", "AGENTS.md": "Same.", "CLAUDE.md": "Same."})
    assert names_of(registry) == ["AGENTS", "CLAUDE"]
    assert [entry.rule.origin.provider for entry in registry.shadowed] == ["agents-md"]


def test_copies_count_each_where_nothing_is_deduplicated(project: Project) -> None:
    registry = project({"AGENTS.md": "Same.", "CLAUDE.md": "Same.", USER_SETTINGS: "[prompt]\ndedupe = false\n"})
    assert names_of(registry) == ["AGENTS", "CLAUDE"]


# DSC-09: "a local file is additive and never disables another source"
def test_a_local_file_adds_to_the_shared_one_though_git_ignores_it(project: Project) -> None:
    project.make_repository()
    registry = project({".gitignore": "*.local.md\n", "AGENTS.md": "A", "CLAUDE.local.md": "B", "CLAUDE.md": "C"})
    assert names_of(registry) == ["AGENTS", "CLAUDE", "CLAUDE.local"]


# each with the semantics of its own tool
def test_codex_reads_an_override_in_place_of_the_file_and_an_older_name_stands_in(project: Project) -> None:
    project.write({"AGENTS.md": "A", "AGENTS.override.md": "O", "AGENT.md": "Older", "sub/AGENT.md": "Sub"})
    registry = project.discover()
    assert names_of(registry) == ["AGENTS.override", "sub/AGENT"]
    assert skipped_of(registry, "/AGENTS.md").reason == skipped_of(registry, "project/AGENT.md").reason == "replaced"
    project.write({"AGENTS.override.md": ""})
    assert "AGENTS" in names_of(project.discover())


def test_junie_reads_the_first_of_its_files_and_nothing_after_it(project: Project) -> None:
    project.write({".junie/guidelines.md": "G"})
    assert names_of(project.discover()) == ["guidelines"]
    project.write({".junie/AGENTS.md": "A"})
    registry = project.discover()
    assert names_of(registry) == ["AGENTS"]
    assert skipped_of(registry, "guidelines.md").reason == "replaced"


# R-60, decision 3
def test_a_context_file_of_a_sub_folder_is_attached_with_the_files_there(project: Project) -> None:
    registry = project({"CLAUDE.md": "All.", "a/b/CLAUDE.md": "Deep.", "a/GEMINI.md": "A."})
    assert names_of(registry) == ["CLAUDE", "a/GEMINI", "a/b/CLAUDE"]
    attached = [reach.entry.rule.name for reach in reach_of(registry, "a/b/x.py") if reach.how == "attached"]
    assert attached == ["a/GEMINI", "a/b/CLAUDE"]
    assert render_prompt(registry).text == "All."


# 2.1.72 of its tool
def test_comments_of_claude_files_are_for_people_except_in_code(project: Project) -> None:
    text = "<!-- a\nb -->\nUse make.\n```\n<!-- shown -->\n```\n<!-- c --> Stay.\n<!-- open"
    project.write({"CLAUDE.md": text, "AGENTS.md": "<!-- shown -->\nA."})
    assert content_of(project, "CLAUDE") == "Use make.\n```\n<!-- shown -->\n```\nStay.\n<!-- open"
    assert content_of(project, "AGENTS") == "<!-- shown -->\nA."


def test_the_users_own_context_files_are_named_by_their_place(project: Project) -> None:
    project.write({"~/.claude/CLAUDE.md": "C", "~/.codex/AGENTS.md": "X", "~/.gemini/GEMINI.md": "G", "CLAUDE.md": "P"})
    registry = project.discover()
    assert names_of(registry) == ["~/.claude/CLAUDE", "~/.gemini/GEMINI", "~/.codex/AGENTS", "CLAUDE"]
    assert {entry.rule.origin.level for entry in registry.active} == {"user", "project"}


def test_a_context_file_is_switched_off_by_its_name(project: Project) -> None:
    project.write({"a/AGENTS.md": "A", "AGENTS.md": "R", PROJECT_SETTINGS: 'discovery.disabled = ["rule:a/AGENTS"]\n'})
    registry = project.discover()
    assert names_of(registry) == ["AGENTS"]
    assert skipped_of(registry, "a/AGENTS.md").reason == "disabled"
