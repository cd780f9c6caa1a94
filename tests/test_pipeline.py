"""The whole of discovery: faults stay where they are, and each kind of finding can happen."""

from __future__ import annotations

import os
from collections.abc import Callable

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
)

from xcsh.api import discover
from xcsh.model.codes import CODES
from xcsh.model.diagnostic import Severity
from xcsh.model.provider import CommandTable, Provider, RuleFields, RuleTable
from xcsh.model.registry import Registry
from xcsh.model.rule import Bucket
from xcsh.model.source import Level, Root, Source
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.surfaces.shapes import rules_shape


def _raise(value: object) -> object:
    raise RuntimeError("a broken reader")


BROKEN = Provider(
    "broken",
    "Broken",
    60,
    RuleTable(
        (Source(Root.CWD, ".broken", Level.PROJECT, (".md",)),),
        RuleFields(globs=_raise, always_apply=_raise, description=_raise, trigger=_raise),
    ),
    reference=True,
)


STRANGE = Provider(
    "strange", "Strange", 20, commands=CommandTable((Source(Root.CWD, ".strange", "nobody's", (".md",)),))
)


# C-1
def test_an_item_of_an_unknown_level_is_skipped_and_the_others_load(project: Project) -> None:
    project.write({".strange/a.md": "Go.", ".claude/commands/b.md": "Go."})
    registry = project.discover(providers=(STRANGE, *BUILTIN_PROVIDERS))
    assert [item.reason for item in registry.commands.skipped] == ["invalid"]
    assert "b" in {entry.command.name for entry in registry.commands.active}


#
def test_a_fault_in_one_file_is_a_diagnostic_on_it_and_the_rest_loads(project: Project, *, reference: bool) -> None:
    tree = {
        ".xcsh/rules/binary.md": b"abc\0",
        ".xcsh/rules/latin.md": b"Caf\xe9.",
        ".xcsh/rules/large.md": "x" * 2_000_000,
        ".xcsh/rules/yaml.md": "---\na: *b\nalwaysApply: true\n---\nBody.",
        ".xcsh/rules/sound.md": "Sound.",
    }
    project.link(".xcsh/rules/gone.md", "nowhere")
    registry = project(tree, reference=reference)
    assert names_of(registry) == ["latin", "sound", "yaml"]
    for name, code in {
        "binary": "binary-content",
        "latin": "not-utf8",
        "large": "file-too-large",
        "yaml": "invalid-frontmatter" if reference else "frontmatter-repaired",
        "gone": "dangling-link",
    }.items():
        assert code in codes_of(registry, f"{name}.md")
    assert codes_of(registry, "sound.md") == ["inactive-rule"]


#
def test_a_provider_that_raises_is_a_warning_and_the_others_load(project: Project, *, reference: bool) -> None:
    project.write({".broken/a.md": "---\ndescription: D\n---\nBody.", ".xcsh/rules/b.md": "B", ".clinerules/c.md": "C"})
    registry = project.discover(providers=(BROKEN, *BUILTIN_PROVIDERS), reference=reference)
    assert names_of(registry) == ["b", "c"]
    finding = diagnostic_of(registry, "provider-failed")
    assert (finding.severity, finding.provider) == ("warning", "broken")
    assert "a broken reader" in finding.message


#
def test_every_diagnostic_reaches_the_registry_in_one_order(project: Project, *, reference: bool) -> None:
    project.write({f".xcsh/rules/{name}.md": "---\na: [\nb: *c\n---\nx\u200by" for name in "cab"})
    registry = project.discover(reference=reference)
    assert len({item.path for item in registry.diagnostics}) == 3
    assert all(item.severity in Severity.ORDER for item in registry.diagnostics)
    assert len(rules_shape(registry, registry.all, with_skipped=True)["diagnostics"]) == len(registry.diagnostics)


#
def test_the_list_of_rules_carries_what_people_ask_for(project: Project, *, reference: bool) -> None:
    tree = {
        ".xcsh/rules/a.md": "---\ndescription: D\nglobs: src/**\n---\nx\u200by",
        "~/.xcsh/agent/rules/a.md": "The user's.",
        ".xcsh/rules/b.md": "---\ncondition: foo\\d\n---\nBody.",
    }
    registry = project(tree, reference=reference)
    rules = {rule["path"]: rule for rule in rules_shape(registry, registry.all, with_skipped=True)["rules"]}
    first = rules[str(project.root / ".xcsh/rules/a.md")]
    assert (first["name"], first["trigger"], first["globs"]) == ("a", "description", ["src/**"])
    assert (first["provider"], first["providerName"], first["level"]) == ("native", "xcsh", "project")
    assert [item["code"] for item in first["diagnostics"]] == ["shadows-user-rule", "invisible-characters"]
    shadowed = rules[str(project.home / ".xcsh/agent/rules/a.md")]
    assert (shadowed["shadowed"], shadowed["shadowedBy"], shadowed["bucket"]) == (True, first["path"], None)
    assert rules[str(project.root / ".xcsh/rules/b.md")]["trigger"] == "stream"


def native(*lines: str) -> dict[str, str | bytes]:
    return {".xcsh/rules/a.md": "\n".join(lines)}


def cursor(*lines: str) -> dict[str, str | bytes]:
    return {".cursor/rules/a.mdc": "\n".join(("---", *lines, "---", "Body."))}


PRODUCERS: dict[str, dict[str, str | bytes]] = {
    "file-too-large": {".xcsh/rules/a.md": "x" * 1_048_577},
    "large-rule": {".xcsh/rules/a.md": "x" * 32_001},
    "binary-content": {".xcsh/rules/a.md": b"\0"},
    "not-utf8": {".xcsh/rules/a.md": b"\xe9"},
    "invalid-frontmatter": cursor("just words", "description: D"),
    "frontmatter-repaired": cursor("description: Use when: adding a queue"),
    "boolean-spelling": cursor('alwaysApply: "true"'),
    "unterminated-frontmatter": native("---", "description: D", "Body."),
    "frontmatter-not-first": native("", "---", "description: D", "---", "Body."),
    "frontmatter-fence": native("---", "description: D", "---# Title"),
    "frontmatter-not-mapping": native("---", "- just a list", "---", "Body."),
    "frontmatter-too-large": cursor(*(f"k{number}: {{a: b}}" for number in range(10_000))),
    "read-otherwise": cursor('globs: "src/**"'),
    "cut-by-tool": {".devin/rules/a.md": "x" * 12_001},
    "import-not-read": {"CLAUDE.md": "See @docs/gone.md."},
    "lost-frontmatter": {".clinerules/a.md": "- - -\npaths: src/**\n- - -\nBody."},
    "pattern-spelling": cursor("globs: src/** tests/**"),
    "duplicate-key": cursor("description: A", "description: B"),
    "key-spelling": cursor("always-apply: true"),
    "foreign-key": {".windsurf/rules/a.md": "---\nalwaysApply: true\n---\nBody."},
    "value-type": cursor("description: 42"),
    "unknown-trigger": {".windsurf/rules/a.md": "---\ntrigger: sometimes\n---\nBody."},
    "too-many-alternatives": cursor("globs: " + "{a,b}" * 20),
    "invisible-characters": native("a\u200bb"),
    "bidi-control": native("a\u202eb"),
    "unicode-tag-characters": native("a\U000e0041b"),
    "empty-rule": native("---", "description: D", "---"),
    "name-characters": {".xcsh/rules/line\nfeed.md": "Body."},
    "case-collision": {".xcsh/rules/Style.md": "Body.", ".xcsh/rules/style.md": "Body."},
    "shadows-user-rule": {".xcsh/rules/style.md": "Body.", "~/.xcsh/agent/rules/style.md": "Body."},
    "invalid-condition": cursor("condition: ([a-z"),
    "unreachable-condition": cursor("condition: a", "scope: nowhere"),
    "unknown-interrupt-mode": cursor("condition: a+b", "interrupt_mode: sometimes"),
    "inactive-rule": cursor(),
    "prompt-budget": {f".clinerules/{number}.md": "word " * 6_000 for number in range(2)},
    "unknown-key": {".claude/commands/a.md": "---\ncolour: red\n---\nGo."},
    "unknown-restriction": {".claude/commands/a.md": "---\nhide-from-model: true\n---\nGo."},
    "unreachable-command": {".claude/commands/my command.md": "Go."},
    "shadowed-by-builtin": {".claude/commands/resume.md": "Go."},
    "unclosed-block": {".claude/commands/a.md": "{{#if args}}Go."},
    "placeholder-in-code": {".claude/commands/a.md": "Run `awk '{print $1}'`."},
    "include-runs-argument": {".claude/commands/a.md": "!`sh -c 'grep -r $1 .'`"},
    "include-prints-argument": {".gemini/commands/a.toml": 'prompt = "!{echo {{args}}}"'},
    "amount-placeholder": {".claude/commands/a.md": "It costs $12.50."},
    "text-held-back": native("a\u202eb"),
    "unread-by-tool": {".codex/prompts/a.md": "Go."},
    "skill-limits": {".agents/skills/maps/SKILL.md": "---\nname: My Skill\n---\nDraw."},
    "invalid-toml": {".gemini/commands/a.toml": "prompt = 3"},
    "invalid-plugin-registry": {"~/.claude/plugins/installed_plugins.json": "{"},
    "stale-plugin": {
        "~/.claude/plugins/installed_plugins.json": '{"version": 2, "plugins": {"a@b": [{"installPath": "/no/such/folder"}]}}'
    },
    "unknown-setting": {USER_SETTINGS: "discovery.recusive = true"},
    "invalid-setting": {USER_SETTINGS: 'discovery.recursive = "perhaps"'},
    "invalid-settings-file": {USER_SETTINGS: "= ="},
    "setting-not-allowed": {PROJECT_SETTINGS: 'discovery.links = "anywhere"'},
}


def _unreadable_file(project: Project) -> None:
    path = os.path.join(os.fsencode(project.root), b".xcsh/rules/a.md")
    os.makedirs(os.path.dirname(path))
    os.symlink(b"x" * 300, path)  # the name of the target is longer than any file system takes


def _unreadable_folder(project: Project) -> None:
    (project.root / ".xcsh").mkdir()
    os.symlink("x" * 300, project.root / ".xcsh/rules")


def _not_a_file(project: Project) -> None:
    project.path(".xcsh/rules/a.md").mkdir(parents=True)


def _dangling_link(project: Project) -> None:
    project.link(".xcsh/rules/a.md", "nowhere")


def _outside_project(project: Project) -> None:
    project.write({"~/a.md": "Outside."})
    project.link(".xcsh/rules/a.md", project.path("~/a.md"))


def _provider_failed(project: Project) -> None:
    project.write({".broken/a.md": "---\ndescription: D\n---\nBody."})


MAKERS: dict[str, Callable[[Project], None]] = {
    "unreadable-file": _unreadable_file,
    "unreadable-folder": _unreadable_folder,
    "not-a-file": _not_a_file,
    "dangling-link": _dangling_link,
    "outside-project": _outside_project,
    "provider-failed": _provider_failed,
    "invalid-level": lambda project: project.write({".strange/a.md": "Go."}),
}


NOT_BY_DISCOVERY = {
    "extension-failed", "extension-hangs", "command-refused", "command-failed",  # tests/extensions, tests/session
    "invalid-trust-file",  # tests/sources/test_trust.py
    "invalid-consent-pattern",  # tests/agent/consent/test_consent.py
    "invalid-variable", "unknown-variable",  # tests/sources/test_settings_given.py
    "session-line", "session-record", "session-message",  # tests/session/store
    "invalid-mcp-file", "invalid-mcp-server", "unknown-mcp-key", "mcp-server-shadowed",  # tests/sources/test_mcp_files.py
    "mcp-not-started", "mcp-server-failed", "mcp-limit",  # tests/session/mcp/test_mcp_servers.py
    "unknown-tool", "runaway-condition",  # tests/guard/test_stream_guard.py
    "matches-empty", "self-matching-condition", "long-match",  # tests/guard/test_odd_rules.py
    "search-cut",  # tests/sources/test_nested.py
    "kept-last-good",  # tests/registry/test_last_good.py
    "matches-everything", "foreign-syntax",  # tests/guard/test_everything.py, test_foreign_syntax.py
}  # fmt: skip
"""What is found only where code is loaded or trusted; discovery runs none."""


@pytest.mark.parametrize("code", [code for code in CODES if code not in NOT_BY_DISCOVERY])
def test_every_code_has_a_tree_that_produces_it(project: Project, code: str) -> None:
    if code in MAKERS:
        MAKERS[code](project)
    else:
        project.write(PRODUCERS[code])
    registry = project.discover(providers=(BROKEN, STRANGE, *BUILTIN_PROVIDERS))
    findings = [item for item in registry.diagnostics if item.code == code]
    assert findings
    for finding in findings:
        assert finding.severity == CODES[code].severity
        assert finding.message
        assert finding.message[-1] != "."
        assert finding.path or code == "provider-failed"


def test_every_code_is_explained() -> None:
    for code, entry in CODES.items():
        assert code == code.lower()
        assert entry.summary
        assert entry.summary[-1] != "."
        assert entry.explanation[-1] == "."
        assert entry.example


def test_a_sound_project_has_no_diagnostic(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".xcsh/rules/a.md": "---\nalwaysApply: true\n---\nA",
            ".cursor/rules/b.mdc": "---\ndescription: B\nglobs: src/**\nalwaysApply: false\n---\nB",
            ".windsurf/rules/c.md": "---\ntrigger: always_on\ndescription: C\n---\nC",
            ".clinerules/d.md": "---\npaths:\n  - src/**\n---\nD",
            ".xcsh/rules/e.md": '---\ncondition: "foo[0-9]+"\nscope: text\n---\nE',
        },
        reference=reference,
    )
    assert len(registry.active) == 5
    quiet = [item for item in registry.diagnostics if item.code != "inactive-rule"]
    assert quiet == []
    assert codes_of(registry) == (["inactive-rule"] if reference else [])  # the reference knows no `paths`


def test_a_program_gets_the_same_registry_from_the_front_door(project: Project, *, reference: bool) -> None:
    registry = project({".xcsh/rules/a.md": "---\nalwaysApply: true\n---\nA"}, reference=reference)
    assert discover(project.root, home=project.home, reference=reference) == registry


def test_two_discoveries_of_one_tree_are_equal(project: Project, *, reference: bool) -> None:
    tree = {code: tree for code, tree in PRODUCERS.items() if code not in ("large-rule", "file-too-large")}
    for files in tree.values():
        project.write(files)
    first: Registry = project.discover(reference=reference)
    assert project.discover(reference=reference) == first


def test_the_folder_without_anything_is_an_empty_registry(project: Project, *, reference: bool) -> None:
    registry = project({}, reference=reference)
    assert (registry.all, registry.skipped, registry.diagnostics) == ((), (), ())
    assert project.discover(cwd="missing", reference=reference).all == ()


def test_a_stream_rule_without_description_is_active(project: Project, *, reference: bool) -> None:
    assert bucket_of(project(native("---", "condition: foo\\d", "---", "B"), reference=reference), "a") == Bucket.TTSR


def test_body_lines_are_counted_from_the_top_of_the_file(project: Project) -> None:
    registry = project({".xcsh/rules/a.md": "---\nalwaysApply: true\n---\n\n\n" + "x" * 40_000})
    assert diagnostic_of(registry, "large-rule").position == (6, 1)
    assert entry_of(registry, "a").rule.content[0] == "x"
