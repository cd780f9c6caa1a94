"""The table of docs/compatibility.md: what each cell says is what discovery does."""

from __future__ import annotations

import pytest
from tests.support import Project
from tools.compatibility import NO, YES, Row, pattern_key, rows

from xcsh.model.provider import Provider, RuleTable
from xcsh.model.source import Level, Root, Source
from xcsh.providers import BUILTIN_PROVIDERS

ROWS = rows(BUILTIN_PROVIDERS)
IN_PROJECT = (Root.CWD, Root.ANCESTORS, Root.NEAREST)
TOML = 'prompt = "Go."\n'


def parts_of(row: Row) -> list[Provider]:
    return [provider for provider in BUILTIN_PROVIDERS if provider.title == row.tool and provider.priority]


def tables_of(row: Row) -> list[RuleTable]:
    return [provider.rules for provider in parts_of(row) if provider.rules is not None]


def file_of(source: Source) -> str:
    path = source.path.replace("*", "x")
    if source.marker:
        return f"{path}/a/{source.marker}"
    home = "~/" if source.root == Root.HOME else ""
    return home + (f"{path}/a{source.extensions[0]}" if source.extensions else path)


@pytest.mark.parametrize("row", ROWS, ids=[row.tool for row in ROWS])
def test_rules_are_read_where_the_table_says_so(row: Row, project: Project) -> None:
    assert (row.rules == YES) == bool(tables_of(row))  # those of plugins: DSC-13 in test_reports.py
    for table in tables_of(row):
        for source in table.sources:
            if source.root in (*IN_PROJECT, Root.HOME):
                fresh = Project(project.root / "fresh" / str(len(list(project.root.rglob("*")))))
                fresh.write({file_of(source): "Body."})
                registry = fresh.discover(providers=parts_of(row))
                assert [entry.rule.path for entry in registry.active] == [str(fresh.path(file_of(source)))]


@pytest.mark.parametrize("row", ROWS, ids=[row.tool for row in ROWS])
def test_sub_folders_are_read_where_the_table_says_so(row: Row, project: Project) -> None:
    project.write({".continue/config.yaml": "", "a/b.txt": ""})
    for table in tables_of(row):
        for source in table.sources:
            if source.level == Level.PROJECT and source.root != Root.NEAREST:
                project.write({f"sub/{file_of(source)}": f"Body of {file_of(source)}."})
    registry = project.discover(providers=parts_of(row))
    assert (row.nested == YES) == bool(registry.active)
    assert all(entry.rule.name.startswith("sub/") for entry in registry.active)


@pytest.mark.parametrize("row", ROWS, ids=[row.tool for row in ROWS])
def test_patterns_are_read_from_the_key_that_the_table_names(row: Row, project: Project) -> None:
    assert (row.patterns == NO) == (not any(pattern_key(table) for table in tables_of(row)))
    for table in tables_of(row):
        key = pattern_key(table)
        source = next((each for each in table.sources if each.root in IN_PROJECT and each.extensions), None)
        if key is None or source is None:
            continue
        assert f"`{key}`" in row.patterns
        project.write({file_of(source): f"---\n{key}: src/**\n---\nBody."})
        [entry] = project.discover(providers=parts_of(row)).active
        assert entry.rule.globs == ("src/**",)
        codes = {item.code for item in project.discover(providers=parts_of(row)).diagnostics}
        assert "foreign-key" not in codes


@pytest.mark.parametrize("row", ROWS, ids=[row.tool for row in ROWS])
def test_imports_are_put_in_where_the_table_says_so(row: Row, project: Project) -> None:
    for table in tables_of(row):
        source = next((each for each in table.sources if each.root in IN_PROJECT), None)
        if source is None:
            continue
        project.write({file_of(source): "@other.txt", "other.txt": "Imported.", f"{source.path}-x/other.txt": ""})
        folder = project.path(file_of(source)).parent
        (folder / "other.txt").write_text("Imported.")
        contents = {entry.rule.content for entry in project.discover(providers=parts_of(row)).active}
        assert ("Imported." in contents) == table.imports or source.extensions
    assert (row.imports != NO) == any(table.imports for table in tables_of(row))


@pytest.mark.parametrize("row", ROWS, ids=[row.tool for row in ROWS])
def test_what_a_tool_takes_is_what_doctor_says(row: Row, project: Project) -> None:
    limits = {
        source: table.own.total_bytes or source.limit
        for table in tables_of(row)
        for source in table.sources
        if source.root in (*IN_PROJECT, Root.HOME) and (table.own.total_bytes or source.limit)
    }
    assert (row.limit == NO) == (not any(s.limit for t in tables_of(row) for s in t.sources) and not limits)
    for source, limit in limits.items():
        assert f"{limit:,}" in row.limit
        for length in (limit, limit + 1):
            project.write({file_of(source): "x" * length})
            found = project.discover(providers=parts_of(row)).diagnostics
            assert ("cut-by-tool" in {item.code for item in found}) == (length > limit)
        project.path(file_of(source)).unlink()


@pytest.mark.parametrize("row", ROWS, ids=[row.tool for row in ROWS])
def test_commands_and_skills_are_read_where_the_table_says_so(row: Row, project: Project) -> None:
    parts = parts_of(row)
    for provider in parts:
        for table in (provider.commands, provider.prompts, provider.skills):
            source = next((each for each in table.sources if each.root in IN_PROJECT), None) if table else None
            if source is not None and table is not None:
                project.write({file_of(source): TOML if table.toml else "Go."})
    registry = project.discover(providers=parts)
    plugins = any(table.plugins for p in parts for table in (p.commands, p.skills) if table)
    assert (row.commands == YES) == (bool(registry.commands.active or registry.prompts.active) or plugins)
    assert (row.skills == YES) == (bool(registry.skills.active) or plugins)
