"""What people report of tools that do this job, and what happens here instead."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

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

from xcsh.api import render_prompt
from xcsh.model.rule import Bucket
from xcsh.parsing.globs import matching

NOT_DECIDED_HERE = {
    "DSC-01": "a file .xcsh/RULES.md is in no chapter of the specification",
    "FMT-08 round trip": "nothing is exported; the law that a failure never widens is in tests/parsing",
    "FMT-20 export": "as above; the bucket and the globs are tested here",
    "SEC-13 run": "running expressions is the stream guard's; here they are only compiled",
    "PRF-01 worktrees": "only cwd and its repository are read, so a main checkout above a worktree is never reached",
}


# DSC-03
def test_both_ways_to_ignore_a_rule_file_are_explained_and_nothing_vanishes(
    project: Project, *, reference: bool
) -> None:
    project.make_repository()
    project.write({".cursor/rules/ns-a.mdc": "A", ".cursor/rules/ns/a.mdc": "B"})
    project.write({".gitignore": "# generated\n.cursor/rules/ns-*.mdc\n"})
    by_file = project.discover(reference=reference)
    assert skipped_of(by_file, "ns-a.mdc")[2:4] == ("git-ignored", ".gitignore:2")
    project.write({".gitignore": ".cursor/rules/\n"})
    by_folder = project.discover(reference=reference)
    assert "ns-a" in names_of(by_folder)
    for registry in (by_file, by_folder):
        assert registry.found == 2
        if reference:
            assert skipped_of(registry, "ns/a.mdc").reason == "nested"
        else:
            assert "ns/a" in names_of(registry)


# DSC-04
def test_a_rule_in_a_sub_folder_is_found_and_named_by_its_path(project: Project) -> None:
    registry = project({".cursor/rules/basics/product.mdc": "Body."})
    assert names_of(registry) == ["basics/product"]
    assert entry_of(registry, "basics/product").rule.origin.provider == "cursor"


# DSC-06
def test_links_to_files_and_folders_inside_the_project_are_followed(project: Project) -> None:
    project.write({"shared/hello.md": "Content of the target.", "shared/more/deep.md": "Deep."})
    project.link(".xcsh/rules/greeting.md", "../../shared/hello.md")
    project.link(".xcsh/rules/tools", "../../shared/more")
    project.link(".xcsh/rules/gone.md", "nowhere.md")
    project.link(".xcsh/rules/round", "../rules")
    registry = project.discover()
    assert names_of(registry) == ["greeting", "tools/deep"]
    assert entry_of(registry, "greeting").rule.content == "Content of the target."
    assert codes_of(registry, "gone.md") == ["dangling-link"]
    assert skipped_of(registry, "rules/round").reason == "dangling-link"


# DSC-07
def test_a_relative_link_inside_a_linked_folder_resolves_against_the_real_parent(project: Project) -> None:
    project.write({"shared/1.md": "The target."})
    project.link(".xcsh/rules", "../shared/rules")
    project.link("shared/rules/1.md", "../1.md")
    assert entry_of(project.discover(), "1").rule.content == "The target."


# DSC-08
def test_links_out_of_the_project_are_refused_for_projects_and_followed_for_users(
    project: Project, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "style.md").write_text("Style.")
    project.link("~/.xcsh/agent/rules/team", outside)
    project.link(".xcsh/rules/ours", outside)
    registry = project.discover()
    assert names_of(registry) == ["team/style"]
    assert skipped_of(registry, "rules/ours").reason == "outside-project"
    assert str(outside) in skipped_of(registry, "rules/ours").detail
    assert str(outside) in diagnostic_of(registry, "outside-project", "rules/ours").message


# DSC-10
def test_a_context_file_linked_to_another_is_said_once(project: Project) -> None:
    project.make_repository()
    project.write({"AGENTS.md": "Root words.\n", "pkgs/AGENTS.md": "Package words.\n"})
    project.link("CLAUDE.md", "AGENTS.md")
    registry = project.discover(cwd="pkgs")
    prompt = render_prompt(registry).text
    assert prompt.count("Root words.") == 1
    assert prompt.count("Package words.") == 1


# DSC-15
def test_every_file_of_a_folder_is_active_shadowed_or_skipped_with_a_reason(
    project: Project, *, reference: bool
) -> None:
    project.make_repository()
    registry = project(
        {
            ".gitignore": "*.log.md\n",
            ".cursor/rules/a.mdc": "A",
            ".cursor/rules/a.md": "A too",
            ".cursor/rules/.b.mdc": "B",
            ".cursor/rules/c.log.md": "C",
            ".cursor/rules/d.txt": "D",
            ".cursor/rules/e.mdc": "",
        },
        reference=reference,
    )
    assert names_of(registry) == ["a"]
    assert [entry.rule.path[-6:] for entry in registry.shadowed] == ["/a.mdc"]
    assert {Path(skipped.path).name: skipped.reason for skipped in registry.skipped} == {
        ".b.mdc": "hidden",
        "c.log.md": "git-ignored",
        "d.txt": "extension",
        "e.mdc": "empty",
    }


# DSC-13
def test_a_rule_of_an_installed_plugin_is_active_once_and_goes_with_the_plugin(project: Project) -> None:
    root = project.path("~/plugin")
    entry = {"scope": "user", "installPath": str(root), "version": "1"}
    project.write(
        {
            "~/plugin/rules/style.md": "---\npaths: src/**\n---\nStyle.",
            "~/.claude/plugins/installed_plugins.json": json.dumps({"version": 2, "plugins": {"tidy@market": [entry]}}),
        }
    )
    [found] = project.discover().active
    assert (found.rule.name, found.rule.origin.plugin, found.bucket) == ("style", "tidy", Bucket.ATTACHED)
    assert project.discover(reference=True).all == ()
    project.write({"~/.claude/settings.json": '{"enabledPlugins": {"tidy@market": false}}'})
    assert project.discover().all == ()


# DSC-14
def test_both_folders_of_clines_user_rules_are_read(project: Project) -> None:
    registry = project({"~/Cline/Rules/a.md": "A", "~/Documents/Cline/Rules/b.md": "B", "~/Cline/Rules/b.md": "C"})
    assert names_of(registry) == ["b", "a"]
    assert [entry.rule.content for entry in registry.shadowed] == ["C"]


# FMT-05
def test_no_prompt_ever_holds_the_frontmatter_of_a_crlf_file(project: Project, *, reference: bool) -> None:
    text = "---\r\ndescription: Windows\r\nglobs: src/**\r\nalwaysApply: true\r\n---\r\nBody.\r\n"
    registry = project({".cursor/rules/a.mdc": text}, reference=reference)
    rule = entry_of(registry, "a").rule
    assert (rule.description, rule.globs, rule.content) == ("Windows", ("src/**",), "Body.")
    assert render_prompt(registry).text == "Body."


# FMT-09
def test_scope_as_quoted_words_between_commas_is_read_as_a_list_with_a_finding(project: Project) -> None:
    text = '---\ncondition: foo\\d+\nscope: "text","thinking"\n---\nBody.\n'
    registry = project({".xcsh/rules/a.md": text})
    entry = entry_of(registry, "a")
    assert entry.bucket == Bucket.TTSR
    assert entry.rule.trigger.scopes == ("text", "thinking")
    assert diagnostic_of(registry, "frontmatter-repaired").position == (3, 8)


# FMT-13
def test_the_trigger_of_windsurf_decides_and_foreign_keys_are_reported(project: Project) -> None:
    registry = project(
        {
            ".windsurf/rules/a.md": "---\nalwaysApply: true\nglobs: src/**\n---\nA",
            ".windsurf/rules/b.md": "---\ntrigger: glob\nglobs: src/**, lib/**\n---\nB",
            ".windsurf/rules/c.md": "---\ntrigger: always_on\n---\nC",
            ".windsurf/rules/d.md": "---\ntrigger: model_decision\ndescription: D\n---\nD",
            ".windsurf/rules/e.md": "---\ntrigger: manual\n---\nE",
        }
    )
    assert {entry.rule.name: entry.bucket for entry in registry.active} == {
        "a": Bucket.ALWAYS_APPLY,
        "b": Bucket.ATTACHED,
        "c": Bucket.ALWAYS_APPLY,
        "d": Bucket.RULEBOOK,
        "e": Bucket.INACTIVE,
    }
    assert entry_of(registry, "b").rule.globs == ("src/**", "lib/**")
    assert diagnostic_of(registry, "foreign-key", "a.md").position == (2, 1)
    assert codes_of(registry, "b.md") == []


# FMT-14
def test_frontmatter_below_a_comment_is_read_and_reported_with_the_line_of_its_fence(project: Project) -> None:
    text = "<!-- header\nof two lines -->\n---\ndescription: D\n---\nBody.\n"
    registry = project({".cursor/rules/a.mdc": text})
    rule = entry_of(registry, "a").rule
    assert (rule.description, rule.content) == ("D", "Body.")
    assert diagnostic_of(registry, "frontmatter-not-first").position == (3, 1)


# FMT-16
@pytest.mark.parametrize(
    ("lines", "position"),
    [
        ("globs: ['a' 'b']", (2, 8)),
        ("description: @scope/kit", (2, 14)),
        ("globs: *.ts", (2, 8)),
        ("globs:\n\t- src/**", (3, 1)),
        ("owner: @team\ndescription: D", (2, 8)),
    ],
)
def test_a_finding_about_invalid_frontmatter_has_a_place_a_message_and_a_hint(
    project: Project, lines: str, position: tuple[int, int]
) -> None:
    registry = project({".xcsh/rules/a.md": f"---\n{lines}\n---\nBody."})
    repairs = [item for item in registry.diagnostics if item.code in ("frontmatter-repaired", "invalid-frontmatter")]
    assert [item.position for item in repairs] == [position]
    assert repairs[0].message
    assert repairs[0].hint


# FMT-17
def test_the_pattern_key_of_another_tool_scopes_a_rule_and_says_so(project: Project) -> None:
    registry = project({".cursor/rules/a.mdc": "---\npaths: src/**\n---\nBody."})
    entry = entry_of(registry, "a")
    assert (entry.bucket, entry.rule.globs) == (Bucket.ATTACHED, ("src/**",))
    finding = diagnostic_of(registry, "foreign-key")
    assert finding.position == (2, 1)
    assert "`globs`" in finding.message


# FMT-18
def test_an_unclosed_block_makes_a_rule_inactive_and_true_is_true_in_any_spelling(project: Project) -> None:
    registry = project(
        {
            ".cursor/rules/open.mdc": "---\nalwaysApply: true\n\nBody.\n",
            ".cursor/rules/capital.mdc": "---\nalwaysApply: True\n---\nBody.\n",
            ".cursor/rules/quoted.mdc": '---\nalwaysApply: "true"\n---\nBody.\n',
        }
    )
    assert bucket_of(registry, "open") == Bucket.INACTIVE
    assert entry_of(registry, "open").rule.content.startswith("---\n")
    assert diagnostic_of(registry, "unterminated-frontmatter").position == (1, 1)
    assert bucket_of(registry, "capital") == bucket_of(registry, "quoted") == Bucket.ALWAYS_APPLY
    assert codes_of(registry, "capital.mdc") == []
    assert diagnostic_of(registry, "boolean-spelling", "quoted.mdc").position == (2, 14)


# FMT-20
def test_empty_globs_are_no_globs(project: Project, *, reference: bool) -> None:
    registry = project({".cursor/rules/a.mdc": "---\nglobs:\nalwaysApply: true\n---\nBody."}, reference=reference)
    assert entry_of(registry, "a").rule.globs == ()
    assert bucket_of(registry, "a") == Bucket.ALWAYS_APPLY


SPELLINGS = [
    "src/**/*.ts, lib/**",
    '"src/**/*.ts, lib/**"',
    "'src/**/*.ts', 'lib/**'",
    "[src/**/*.ts, lib/**]",
    '["src/**/*.ts", "lib/**"]',
    "\n  - src/**/*.ts\n  - lib/**",
    "\n- 'src/**/*.ts'\n- lib/**",
    "src/**/*.ts,lib/**",
    "src/**/*.ts , lib/**  # both",
]


# GLB-01, GLB-02
@pytest.mark.parametrize("value", ["**/*.ts,**/*.tsx", "**/*.ts, **/*.tsx", '"**/*.ts,**/*.tsx"'])
def test_globs_in_one_string_are_separate_patterns(project: Project, value: str) -> None:
    rule = entry_of(project({".cursor/rules/a.mdc": f"---\nglobs: {value}\n---\nBody."}), "a").rule
    assert rule.globs == ("**/*.ts", "**/*.tsx")
    assert matching(rule.globs, "src/a.tsx") == "**/*.tsx"
    assert matching(rule.globs, "src/a.ts") == "**/*.ts"
    assert matching(rule.globs, "src/a.py") is None


# GLB-02
def test_commas_inside_braces_do_not_split(project: Project) -> None:
    rule = entry_of(
        project({".cursor/rules/a.mdc": "---\nglobs: src/*.{ts,tsx}, a/{b,c/{d,e}}/**\n---\nBody."}), "a"
    ).rule
    assert rule.globs == ("src/*.{ts,tsx}", "a/{b,c/{d,e}}/**")


# GLB-03
@pytest.mark.parametrize("key", ["globs", "paths"])
@pytest.mark.parametrize("value", SPELLINGS)
@pytest.mark.parametrize("provider", [".cursor/rules", ".windsurf/rules", ".clinerules", ".xcsh/rules"])
def test_every_spelling_of_one_scope_gives_the_same_patterns(
    project: Project, provider: str, value: str, key: str
) -> None:
    separator = "" if value.startswith("\n") else " "
    rule = entry_of(project({f"{provider}/a.md": f"---\n{key}:{separator}{value}\n---\nBody."}), "a").rule
    assert rule.globs == ("src/**/*.ts", "lib/**")


# GLB-05
def test_the_body_of_a_scoped_rule_is_not_in_the_first_prompt(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".cursor/rules/plans.mdc": "---\nglobs: plans/**\n---\nSecret plan.",
            ".xcsh/rules/listed.md": "---\nglobs: plans/**\ndescription: Plans\n---\nListed plan.",
        },
        reference=reference,
    )
    prompt = render_prompt(registry)
    assert "plan." not in prompt.text
    assert [part.rule for part in prompt.parts] == ["listed"]


# GLB-08
def test_a_file_name_with_a_blank_matches() -> None:
    assert matching(("notes/**/*.md",), "notes/a b.md")
    assert matching(("notes/a b.md",), "notes/a b.md")


# GLB-09
def test_two_stars_also_stand_for_no_folder() -> None:
    assert matching(("**/*.dart",), "main.dart")
    assert matching(("**/*.dart",), "lib/a.dart")
    assert matching(("lib/**/*.dart",), "lib/a.dart")


# GLB-10
def test_brackets_that_are_no_class_are_literal() -> None:
    path = "app/sign-in/[[...sign-in]]/page.js"
    assert matching(("app/**/page.js",), path)
    assert matching((path,), path)
    assert matching(("app/*/[[...sign-in]]/*.js",), path)
    assert matching(("[z-a]",), "m") is None
    assert matching(("[z-a]",), "[z-a]")


# GLB-12
def test_dot_files_and_dot_folders_match_every_time() -> None:
    for _ in range(2):
        assert matching(("**/*.yml",), ".github/workflows/ci.yml")
        assert matching(("*",), ".env")
        assert matching(("**/.github/**",), ".github/workflows/ci.yml")


# GLB-13
@pytest.mark.parametrize("path", ["docs/a.md", "docs/x/b.md", "README.md"])
def test_braces_may_hold_two_stars(path: str) -> None:
    assert matching(("{README.md,docs/**/*.md}",), path)


# PRC-08
def test_context_files_are_merged_in_an_order_that_the_parts_of_the_prompt_show(project: Project) -> None:
    project.make_repository()
    project.write({"AGENTS.md": "Of the project.", "pkg/AGENTS.md": "Of the package.", "pkg/CLAUDE.md": "Of Claude."})
    prompt = render_prompt(project.discover(cwd="pkg"))
    assert prompt.text == "Of the project.\n\nOf the package.\n\nOf Claude."
    assert [part.path.removeprefix(f"{project.root}/") for part in prompt.parts] == [
        "AGENTS.md",
        "pkg/AGENTS.md",
        "pkg/CLAUDE.md",
    ]
    assert all(part.tokens > 0 for part in prompt.parts)


# PRC-11
def test_every_entry_says_why_it_is_where_it_is(project: Project) -> None:
    registry = project(
        {
            ".xcsh/rules/always.md": "---\nalwaysApply: true\n---\nA",
            ".xcsh/rules/scoped.md": "---\nglobs: src/**\n---\nB",
            ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nC",
        }
    )
    assert entry_of(registry, "always").reason == "alwaysApply is true"
    assert entry_of(registry, "scoped").reason == "has globs"
    [loser] = registry.shadowed
    assert loser.reason == "shadowed by xcsh"
    assert loser.shadowed_by.path == str(project.root / ".xcsh/rules/always.md")


# SEC-06
def test_hidden_characters_are_reported_with_code_point_place_and_severity(
    project: Project, *, reference: bool
) -> None:
    text = "# He\u00adading\na\u200bb\nc \u202ed\ne \u2066f\ng \U000e0041h\n"
    registry = project({".xcsh/rules/a.md": text}, reference=reference)
    assert names_of(registry) == (["a"] if reference else [])  # held back until accepted
    found = [(item.position, item.severity, item.code) for item in registry.diagnostics if "hidden:" in item.message]
    assert found == [
        ((1, 5), "warning", "invisible-characters"),
        ((2, 2), "warning", "invisible-characters"),
        ((3, 3), "error", "bidi-control"),
        ((4, 3), "error", "bidi-control"),
        ((5, 3), "error", "unicode-tag-characters"),
    ]
    messages = " ".join(item.message for item in registry.diagnostics)
    assert all(f"U+{point}" in messages for point in ("00AD", "200B", "202E", "2066", "E0041"))
    assert messages.isascii()


# SEC-08
def test_joiners_of_emoji_and_scripts_and_a_byte_order_mark_are_no_finding(
    project: Project, *, reference: bool
) -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f \U0001f3f3\ufe0f\u200d\U0001f308"
    persian = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    fine = f"\ufeff---\nalwaysApply: true\n---\n{family} {flag} {persian}\n"
    registry = project({".xcsh/rules/fine.md": fine, ".xcsh/rules/bad.md": "pass\u200dword"}, reference=reference)
    assert codes_of(registry, "fine.md") == []
    assert diagnostic_of(registry, "invisible-characters", "bad.md").position == (1, 5)


# SEC-10
def test_a_folder_link_that_leaves_the_project_is_not_walked(
    project: Project, tmp_path: Path, *, reference: bool
) -> None:
    private = tmp_path / "private"
    private.mkdir()
    (private / "plan.md").write_text("Private.")
    project.write({".xcsh/rules/own.md": "Own."})
    project.link(".xcsh/rules/escape", os.path.relpath(private, project.root / ".xcsh/rules"))
    registry = project.discover(reference=reference)
    assert names_of(registry) == ["own"]
    assert skipped_of(registry, "rules/escape").reason == "outside-project"


# SEC-13
def test_conditions_that_would_hang_a_backtracking_engine_cost_discovery_nothing(
    project: Project, *, reference: bool
) -> None:
    for number in range(100):
        project.write({f".xcsh/rules/{number}.md": "---\ncondition: (a+)+$\n---\nBody."})
    project.write({".xcsh/rules/long.md": f"---\ncondition: {'(ab|c)*' * 300}\n---\nBody."})
    start = time.process_time()
    registry = project.discover(reference=reference)
    assert time.process_time() - start < 20
    assert bucket_of(registry, "0") == Bucket.TTSR


# SEC-14
def test_an_invalid_condition_is_reported_and_the_others_of_the_rule_still_work(
    project: Project, *, reference: bool
) -> None:
    text = "---\ncondition:\n  - '([a-z'\n  - 'fine\\d'\n---\nBody."
    registry = project(
        {".xcsh/rules/a.md": text, ".xcsh/rules/b.md": "---\ncondition: ([a-z\n---\nB"}, reference=reference
    )
    assert entry_of(registry, "a").rule.trigger.conditions == ("fine\\d",)
    assert bucket_of(registry, "b") == Bucket.INACTIVE
    assert "([a-z" in diagnostic_of(registry, "invalid-condition", "a.md").message
    assert diagnostic_of(registry, "invalid-condition", "b.md").position == (2, 12)


# SEC-16
def test_nothing_of_a_repository_is_executed(project: Project) -> None:
    hook = project.root / "monitor.sh"
    project.write(
        {"monitor.sh": f"#!/bin/sh\ntouch {project.root}/executed\n", ".xcsh/rules/a.md": "A", ".gitignore": "*.log\n"}
    )
    hook.chmod(0o755)
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    subprocess.run(["git", "-C", str(project.root), "config", "core.fsmonitor", str(hook)], check=True)
    project.write(
        {".claude/settings.local.json": '{"hooks": {"SessionStart": [{"hooks": [{"command": "touch executed"}]}]}}'}
    )
    project.discover()
    assert not (project.root / "executed").exists()


# SEC-17
def test_a_projects_settings_cannot_reach_beyond_the_project(project: Project) -> None:
    registry = project(
        {
            PROJECT_SETTINGS: 'context_files = ["../../.ssh/id_rsa"]\ndiscovery.links = "anywhere"\ndiscovery.disabled = ["rule:own"]\n',
            "~/.xcsh/agent/rules/own.md": "The user's.",
        }
    )
    assert names_of(registry) == ["own"]
    assert diagnostic_of(registry, "unknown-setting").position == (1, 1)
    assert diagnostic_of(registry, "setting-not-allowed").position == (2, 1)


# PRF-01
def test_a_worktree_inside_the_main_checkout_loads_each_rule_once(project: Project) -> None:
    project.make_repository()
    rules = {f".cursor/rules/r{number}.mdc": "---\nalwaysApply: true\n---\nWords." for number in range(13)}
    project.write({**rules, "AGENTS.md": "Main."})
    project.write({f".worktrees/w/{name}": text for name, text in rules.items()})
    project.write({".worktrees/w/.git": "gitdir: ../../.git/worktrees/w\n", ".worktrees/w/AGENTS.md": "Tree."})
    main, tree = project.discover(), project.discover(cwd=".worktrees/w")
    assert len(main.active) == len(tree.active) == 14
    assert render_prompt(main).tokens == render_prompt(tree).tokens


def test_the_user_can_allow_links_out_of_projects(project: Project, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("Outside.")
    project.link(".xcsh/rules/a.md", tmp_path / "outside.md")
    assert names_of(project({USER_SETTINGS: '[discovery]\nlinks = "anywhere"\n'})) == ["a"]
