"""Tools beyond the reference change nothing of what the reference makes of a tree (R-60)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import Project, names_of

from xcsh.model.registry import Registry
from xcsh.providers import BUILTIN_PROVIDERS

REFERENCE = tuple(provider for provider in BUILTIN_PROVIDERS if provider.reference)
IDS = frozenset(provider.id for provider in REFERENCE)

TREE = {
    ".xcsh/rules/style.md": "---\nalwaysApply: true\n---\nN",
    "~/.xcsh/agent/rules/AGENTS.md": "User's AGENTS.",
    ".cursor/rules/style.mdc": "---\nglobs: *.ts\n---\nC",
    ".cursor/rules/pay.mdc": "---\ndescription: Pay\n---\nC",
    "~/.cursor/rules/CLAUDE.mdc": "---\nalwaysApply: true\n---\nC",
    ".windsurf/rules/style.md": "W",
    ".windsurf/rules/AGENTS.md": "---\ntrigger: always_on\n---\nW",
    ".clinerules/a.md": "K",
    ".clinerules/services/pay/pay.md": "---\npaths: ['x/**']\n---\nK",
    "AGENTS.md": "All.",
    "CLAUDE.md": "@AGENTS.md\nMore.",
    "services/pay/.cursor/rules/pay.mdc": "Nested.",
    "services/pay/AGENTS.md": "Nested.",
    ".claude/rules/style.md": "Claude.",
    ".github/instructions/a.instructions.md": "---\napplyTo: '**'\nname: style\n---\nG",
    ".kiro/steering/style.md": "Kiro.",
    ".continue/rules/a.md": "---\nname: style\n---\nContinue.",
    ".roo/rules/a.md": "Roo.",
    ".rules": "Zed.",
    ".devin/rules/style.md": "Devin.",
}
PATHS = (*TREE, ".clinerules", ".windsurfrules", ".cursorrules", "GEMINI.md", ".augment/rules/a.md", ".trae/rules/a.md")
TEXTS = (
    *TREE.values(), "", "---\nname: a\nalwaysApply: true\n---\nB", "---\nglobs: x/**\n", "---\ncondition: a\\d\n---\nT",
)  # fmt: skip


def outcomes(registry: Registry) -> list[tuple[object, ...]]:
    """Everything about the rules of the reference's tools, in order."""
    entries = [entry for entry in registry.all if entry.rule.origin.provider in IDS]
    skipped = [item for item in registry.skipped if item.provider in IDS]
    findings = [item for item in registry.diagnostics if item.provider in IDS and item.code != "prompt-budget"]
    return [*map(tuple, entries), *map(tuple, skipped), *map(tuple, findings)]


def check(project: Project) -> Registry:
    alone = project.discover(providers=REFERENCE)
    everything = project.discover()
    assert outcomes(everything) == outcomes(alone)
    return everything


# "so that adding them changes no reference outcome"
def test_other_tools_change_nothing_of_the_reference(project: Project) -> None:
    project.write(TREE)
    registry = check(project)
    assert len(registry.all) == len(TREE)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(tree=st.dictionaries(st.sampled_from(PATHS), st.sampled_from(TEXTS), max_size=12))
def test_other_tools_change_nothing_in_any_tree(tmp_path: Path, tree: dict[str, str]) -> None:
    shutil.rmtree(tmp_path / "tree", ignore_errors=True)
    project = Project(tmp_path / "tree")
    if ".clinerules" in tree:
        tree = {name: text for name, text in tree.items() if not name.startswith(".clinerules/")}
    project.write(tree)
    check(project)


# "With `reference` they are absent"
@pytest.mark.parametrize("name", TREE)
def test_in_reference_mode_no_other_tool_is_read(project: Project, name: str) -> None:
    project.write({name: TREE[name]})
    registry = project.discover(reference=True)
    assert {entry.rule.origin.provider for entry in registry.all} <= IDS
    assert (not registry.all) == (name not in tuple(TREE)[:8])


def test_every_tool_beyond_ranks_below_the_reference() -> None:
    lowest = min(provider.priority for provider in REFERENCE if provider.rules)
    beyond = [provider for provider in BUILTIN_PROVIDERS if provider.rules and not provider.reference]
    assert len(beyond) > 15
    assert all(provider.priority < lowest for provider in beyond)


def test_all_tools_are_read_side_by_side(project: Project) -> None:
    project.write(TREE)
    assert {"AGENTS", "CLAUDE", "services/pay/pay", "services/pay/AGENTS", "rules"} <= set(names_of(project.discover()))
