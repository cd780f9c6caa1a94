"""What the owning tool reads otherwise is said, and no hint makes it read the file wrongly."""

from __future__ import annotations

import pytest
from tests.support import Project

from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.surfaces.explain import differences, explain

OTHERWISE = ("unread-by-tool", "read-otherwise", "cut-by-tool")


def said_of(project: Project, name: str, text: str) -> list[str]:
    registry = project({name: text})
    found = [item for item in registry.diagnostics if item.code in OTHERWISE]
    for item in found:
        assert item.path == str(project.path(name))
    return [item.message for item in found]


# R-62, formats.md 2.2 and 4.3
@pytest.mark.parametrize(
    ("name", "block", "words"),
    [
        (".cursor/rules/a.mdc", 'globs: "src/**"', "the quotes for a part of the pattern"),
        (".cursor/rules/a.mdc", "globs: ['a/**']", "a list for no patterns"),
        (".cursor/rules/a.mdc", "globs:\n  - a/**", "a list for no patterns"),
        (".cursor/rules/a.mdc", "description: >-\n  One\n  two", "not the lines below it"),
        (".cursor/rules/a.md", "globs: a/**", "reads no files that end in .md"),
        ("x/.cursor/rules/a.md", "globs: a/**", "reads no files that end in .md"),
        (".cursor/rules/a.mdc", "activation:\n  globs: a/**", "no key inside `activation`"),
        (".clinerules/a.md", "paths: src/**", "a text for no key and applies the rule always"),
        (".github/instructions/a.instructions.md", "applyTo: ['a/**']", "a list for no key and never applies"),
        (".continue/rules/a.md", "globs: a/**, b/**", "a text for one pattern, commas and all"),
        (".cursor/rules/a.mdc", "description: Issue #1 and #2", "a reader of YAML ends it"),
    ],
)
def test_what_the_tool_does_otherwise_is_one_finding(project: Project, name: str, block: str, words: str) -> None:
    said = [message for message in said_of(project, name, f"---\n{block}\n---\nBody.") if words in message]
    assert len(said) == 1


@pytest.mark.parametrize(
    ("name", "block"),
    [
        (".cursor/rules/a.mdc", "globs: **/*.ts, src/**\ndescription: One line\nalwaysApply: false"),
        (".cursor/rules/a.mdc", "globs:\nalwaysApply: true"),
        (".clinerules/a.md", "paths:\n  - 'src/**'"),
        (".clinerules/a.md", "paths: ['src/**', 'b/**']"),
        (".clinerules/a.md", "paths: []"),
        (".github/instructions/a.instructions.md", "applyTo: '**/*.ts,**/*.tsx'"),
        (".github/instructions/a.instructions.md", "applyTo: **/*.ts"),
        (".continue/rules/a.md", 'globs: ["**/*.ts", "**/*.tsx"]'),
        (".claude/rules/a.md", "paths: a/**, b/**"),
        (".xcsh/rules/a.md", 'globs: ["a/**"]\ndescription: Issue'),
        (".kiro/steering/a.md", "inclusion: fileMatch\nfileMatchPattern: ['a/**']"),
    ],
)
def test_what_the_tool_reads_as_it_is_meant_is_no_finding(project: Project, name: str, block: str) -> None:
    assert said_of(project, name, f"---\n{block}\n---\nBody.") == []


# "never advising a spelling that breaks it in the owning tool"
def test_what_a_hint_advises_is_what_the_tool_reads(project: Project) -> None:
    for name, key in ((".clinerules/a.md", "paths"), (".github/instructions/a.instructions.md", "applyTo")):
        wrong = "src/**" if key == "paths" else "['src/**']"
        registry = project({name: f"---\n{key}: {wrong}\n---\nBody."})
        [found] = [item for item in registry.diagnostics if item.code == "read-otherwise"]
        advised = found.hint.partition(f"{key}: ")[2]
        assert advised
        assert said_of(project, name, f"---\n{key}: {advised}\n---\nBody.") == []


# formats.md 2.2: limits
def test_what_a_tool_cuts_is_said_and_nothing_is_cut_here(project: Project) -> None:
    registry = project({".windsurf/rules/a.md": "x" * 12_001, ".devin/rules/b.md": "y" * 12_000})
    [found] = [item for item in registry.diagnostics if item.code == "cut-by-tool"]
    assert found.message == "12,001 characters; Windsurf takes the first 12,000"
    assert {len(entry.rule.content) for entry in registry.active} == {12_001, 12_000}


# UI-12
def test_context_files_above_codex_limit_are_reported_with_the_bytes_that_it_drops(project: Project) -> None:
    project.make_repository()
    project.write({"AGENTS.md": "é" * 15_000, "a/AGENTS.md": "x" * 5_000, "a/b/AGENTS.md": "y" * 40_000})
    [found] = [item for item in project.discover(cwd="a").diagnostics if item.code == "cut-by-tool"]
    assert found.path.endswith("a/AGENTS.md")
    assert found.message == "Codex takes 32,768 bytes of such files together; of this one 2,232 are cut"


# reference mode says nothing that the reference does not
def test_nothing_is_said_where_dialects_are_not_read(project: Project) -> None:
    registry = project({".cursor/rules/a.md": '---\nglobs: "a/**"\n---\nBody.'}, reference=True)
    assert [item.code for item in registry.diagnostics if item.code in OTHERWISE] == []


def test_explain_says_what_the_tool_does_otherwise(project: Project) -> None:
    registry = project({".clinerules/a.md": "---\nglobs: a/**\n---\nBody."})
    [found] = explain(registry, "a", {provider.id: provider for provider in BUILTIN_PROVIDERS})
    assert differences(found) == ["`globs` is no key of Cline, which ignores it; it counts here"]
