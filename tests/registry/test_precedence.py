"""Who wins a name: one total order, whatever order files were found in."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import Project, default_settings, diagnostic_of, entry_of, names_of

from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.rule import Rule
from xcsh.model.source import Level, Origin
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.registry.precedence import provider_positions, rank
from xcsh.registry.resolve import resolve_rules

POSITIONS = provider_positions(BUILTIN_PROVIDERS)
RULES = st.lists(
    st.builds(
        lambda provider, row, depth, name, number: Rule(
            name,
            "Body.",
            Origin(provider, provider, Level.PROJECT, f"/p/{number}", row),
            rank=(row, depth, f"{name}{number}"),
        ),
        st.sampled_from(sorted(POSITIONS)),
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from(["a", "b", "A", "a/b", "\u00e9"]),
        st.integers(0, 10_000),
    ),
    max_size=12,
    unique_by=lambda rule: rank(rule, POSITIONS),
)


# The specification says: "Providers run by priority, highest first; ties keep registration order."
@given(RULES, st.randoms())
def test_precedence_is_a_total_order_that_forgets_the_order_of_finding(
    rules: list[Rule], random_: random.Random
) -> None:
    shuffled = list(rules)
    random_.shuffle(shuffled)
    ranks = [rank(rule, POSITIONS) for rule in rules]
    assert len(set(ranks)) == len(ranks)
    assert all((left < right) != (right < left) for left in ranks for right in ranks if left is not right)
    settings_ = default_settings()
    assert resolve_rules(rules, POSITIONS, settings_, _ignore) == resolve_rules(shuffled, POSITIONS, settings_, _ignore)


# The specification says: "First wins by name. Later items of that name are kept in `all`, marked shadowed (and by whom), and excluded."
@given(RULES)
def test_the_smallest_rank_of_a_name_wins_and_names_itself_to_the_losers(rules: list[Rule]) -> None:
    entries = resolve_rules(rules, POSITIONS, default_settings(), _ignore)
    assert [rank(entry.rule, POSITIONS) for entry in entries] == sorted(rank(rule, POSITIONS) for rule in rules)
    for name in {rule.name for rule in rules}:
        first, *later = [entry for entry in entries if entry.rule.name == name]
        assert first.shadowed_by is None
        assert all(entry.shadowed_by is first.rule for entry in later)


def _ignore(diagnostic: object) -> None:
    """The findings are of no interest here."""


# The specification says: "Within a provider the order is: the source order above, then file name by code point"
@given(st.permutations(["b.md", "a.md", "B.md", "\u00e9.md", "10.md", "9.md", "z/a.md", "a/z.md", "a/b/c.md", "a.mdc"]))
@settings(max_examples=20)
def test_discovery_does_not_depend_on_the_order_in_which_files_came_to_a_folder(
    tmp_path_factory, order: list[str]
) -> None:
    project = Project(tmp_path_factory.mktemp("order"))
    registry = project({f".xcsh/rules/{name}": f"Rule {name}" for name in order})
    paths = [Path(entry.rule.path).relative_to(project.root / ".xcsh/rules").as_posix() for entry in registry.all]
    assert paths == ["10.md", "9.md", "B.md", "a.md", "a.mdc", "b.md", "\u00e9.md", "a/z.md", "z/a.md", "a/b/c.md"]


#
def test_providers_register_with_their_priorities_and_cursor_before_windsurf() -> None:
    with_rules = [provider for provider in BUILTIN_PROVIDERS if provider.rules is not None]
    reference = [provider for provider in with_rules if provider.reference]
    assert [(provider.id, provider.priority) for provider in reference] == [
        ("native", 100),
        ("cursor", 50),
        ("windsurf", 50),
        ("cline", 40),
    ]
    assert all(provider.priority < 40 for provider in with_rules if not provider.reference)


#
def test_providers_rank_by_priority_and_ties_keep_registration_order(project: Project, *, reference: bool) -> None:
    tree = {
        ".clinerules/same.md": "Cline.",
        ".windsurf/rules/same.md": "Windsurf.",
        ".cursor/rules/same.mdc": "Cursor.",
        ".xcsh/rules/same.md": "Native.",
    }
    registry = project(tree, reference=reference)
    assert [entry.rule.origin.provider for entry in registry.all] == ["native", "cursor", "windsurf", "cline"]

    def after(providers: tuple[Provider, ...]) -> Registry:
        return project.discover(reference=reference, providers=providers)

    backwards = after(BUILTIN_PROVIDERS[::-1])
    assert [entry.rule.origin.provider for entry in backwards.all] == ["native", "windsurf", "cursor", "cline"]


#
def test_a_rule_is_its_name_alone_whatever_its_level_ending_or_content(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".xcsh/rules/a.md": "---\nalwaysApply: true\n---\nOne.",
            ".xcsh/rules/a.mdc": "---\ndescription: D\n---\nTwo.",
            "~/.xcsh/agent/rules/a.md": "Three.",
            ".cursor/rules/a.md": "Four.",
            ".cursor/rules/A.md": "Five.",
        },
        reference=reference,
    )
    assert sorted(names_of(registry)) == ["A", "a"]
    assert [entry.rule.content for entry in registry.shadowed] == ["Two.", "Three.", "Four."]


#
def test_later_rules_of_a_name_are_shadowed_and_a_shadowed_rule_of_the_user_is_reported(
    project: Project, *, reference: bool
) -> None:
    registry = project(
        {
            ".xcsh/rules/a.md": "Project.",
            "~/.xcsh/agent/rules/a.md": "User.",
            "~/.cursor/rules/b.mdc": "User.",
            ".cursor/rules/b.mdc": "Project.",
        },
        reference=reference,
    )
    assert entry_of(registry, "a").rule.content == "Project."
    assert entry_of(registry, "b").rule.content == "User."
    assert [(entry.rule.content, entry.shadowed_by.path) for entry in registry.shadowed] == [
        ("User.", str(project.root / ".xcsh/rules/a.md")),
        ("Project.", str(project.home / ".cursor/rules/b.mdc")),
    ]
    finding = diagnostic_of(registry, "shadows-user-rule")
    assert (finding.severity, finding.path) == ("information", str(project.root / ".xcsh/rules/a.md"))
    assert finding.related == (str(project.home / ".xcsh/agent/rules/a.md"),)
