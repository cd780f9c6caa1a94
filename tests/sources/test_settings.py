"""settings.toml: what it may say, and how far it reaches."""

from __future__ import annotations

import tomllib

import pytest
from tests.support import (
    PROJECT_SETTINGS,
    USER_SETTINGS,
    Project,
    bucket_of,
    codes_of,
    default_settings,
    diagnostic_of,
    entry_of,
    names_of,
    skipped_of,
)

from xcsh.guard.policy import Policy, policy_of
from xcsh.model.rule import Bucket
from xcsh.model.settings import SETTINGS
from xcsh.sources.settings import places as settings_places


#
def test_a_disabled_provider_leaves_before_precedence(project: Project, *, reference: bool) -> None:
    tree = {
        ".cursor/rules/a.mdc": "Cursor.",
        ".windsurf/rules/a.md": "Windsurf.",
        USER_SETTINGS: 'discovery.disabled = ["cursor"]\n',
    }
    registry = project(tree, reference=reference)
    assert entry_of(registry, "a").rule.origin.provider == "windsurf"
    assert registry.shadowed == ()
    skipped = skipped_of(registry, "a.mdc")
    assert skipped.reason == "disabled"
    assert "cursor" in skipped.detail


#
def test_a_disabled_rule_leaves_before_precedence_and_shadows_nothing(project: Project, *, reference: bool) -> None:
    tree = {
        ".xcsh/rules/a.md": "A",
        ".xcsh/rules/b.md": "B",
        ".cursor/rules/a.mdc": "A",
        PROJECT_SETTINGS: '[discovery]\ndisabled = ["rule:a"]\n',
        "~/.xcsh/agent/rules/a.md": "The user's.",
    }
    registry = project(tree, reference=reference)
    assert names_of(registry) == ["b", "a"]
    assert entry_of(registry, "a").rule.content == "The user's."
    assert {skipped.detail for skipped in registry.skipped} == {"rule:a is disabled in settings"}
    assert codes_of(registry, "rules/a.md") == ["inactive-rule"]


#
def test_a_projects_settings_reach_only_its_own_items(project: Project) -> None:
    tree = {
        ".clinerules/p.md": "Project.",
        "~/.codeium/windsurf/memories/global_rules.md": "User.",
        "~/.cursor/rules/u.mdc": "---\nglobs: a, b\n---\nUser.",
        ".cursor/rules/p2.mdc": "---\nglobs: a, b\n---\nProject.",
        PROJECT_SETTINGS: 'rules.activation = "reference"\nrules.attach = "advisory"\n'
        'frontmatter.repair = false\ndiscovery.disabled = ["rule:u", "windsurf"]\n',
    }
    registry = project(tree)
    assert bucket_of(registry, "p") == Bucket.INACTIVE
    assert bucket_of(registry, "global_rules") == Bucket.ALWAYS_APPLY
    assert (bucket_of(registry, "u"), entry_of(registry, "u").rule.globs) == (Bucket.ATTACHED, ("a", "b"))
    assert (bucket_of(registry, "p2"), entry_of(registry, "p2").rule.globs) == (Bucket.INACTIVE, ("a, b",))


#
@pytest.mark.parametrize("setting", [setting for setting in SETTINGS if not setting.project], ids=lambda s: s.key)
def test_a_project_cannot_set_what_reaches_beyond_it(project: Project, setting) -> None:
    value = {bool: "false", int: "5", str: '"anywhere"', tuple: "[]"}[type(setting.default)]
    registry = project({PROJECT_SETTINGS: f"{setting.key} = {value}\n"})
    assert diagnostic_of(registry, "setting-not-allowed").position == (1, 1)
    assert registry.settings.project[setting.key] == setting.default
    assert registry.settings.user[setting.key] == setting.default


#
def test_lists_of_the_user_and_the_project_add_up(project: Project) -> None:
    tree = {f".xcsh/rules/{name}.md": name for name in "abc"}
    settings = {
        USER_SETTINGS: 'discovery.disabled = ["rule:a"]\n',
        PROJECT_SETTINGS: 'discovery.disabled = ["rule:b"]\n',
    }
    assert names_of(project({**tree, **settings})) == ["c"]


#
def test_a_command_is_switched_off_by_the_name_that_is_typed_and_by_that_of_its_file(project: Project) -> None:
    commands = {".claude/commands/git/pr.md": "Make it.", ".claude/commands/git/log.md": "Show it."}
    registry = project({**commands, USER_SETTINGS: 'discovery.disabled = ["command:git:pr", "command:git/log"]\n'})
    assert [entry.command.name for entry in registry.commands.all if entry.command.origin.provider == "claude"] == []
    assert [(item.reason, item.detail) for item in registry.commands.skipped] == [
        ("disabled", "command:git/log is disabled in settings"),
        ("disabled", "command:git:pr is disabled in settings"),
    ]
    assert "invalid-setting" not in {item.code for item in registry.diagnostics}


def test_the_reference_switches_everything_beyond_it_off_at_once(project: Project) -> None:
    tree = {
        ".clinerules/a.md": "A",
        ".xcsh/rules/b/c.md": "C",
        ".xcsh/rules/d.md": "---\nglobs: a, b\n---\nD",
        "AGENTS.md": "G",
    }
    by_call = project(tree, reference=True)
    by_setting = project({USER_SETTINGS: 'reference = true\nrules.attach = "auto"\ndiscovery.recursive = true\n'})
    assert by_call.settings.user == by_setting.settings.user == default_settings(reference=True).user
    assert [entry[:3] for entry in by_call.all] == [entry[:3] for entry in by_setting.all]
    assert names_of(by_call) == ["d", "a"]
    assert {entry.bucket for entry in by_call.active} == {Bucket.INACTIVE}


def test_a_project_may_ask_for_the_reference_for_its_own_items(project: Project) -> None:
    tree = {
        ".clinerules/a.md": "A",
        "~/.codeium/windsurf/memories/global_rules.md": "G",
        PROJECT_SETTINGS: "reference = true\n",
    }
    registry = project(tree)
    assert bucket_of(registry, "a") == Bucket.INACTIVE
    assert bucket_of(registry, "global_rules") == Bucket.ALWAYS_APPLY


def test_an_unknown_setting_is_reported_with_the_nearest_name(project: Project) -> None:
    registry = project({USER_SETTINGS: "\n[discovery]\nrecusive = false\n"})
    finding = diagnostic_of(registry, "unknown-setting")
    assert finding.position == (3, 1)
    assert "`discovery.recursive`" in finding.message


def test_a_file_above_the_limit_of_the_user_is_not_read(project: Project, *, reference: bool) -> None:
    tree = {
        ".xcsh/rules/a.md": "x" * 101,
        ".xcsh/rules/b.md": "x" * 100,
        USER_SETTINGS: "discovery.max_file_bytes = 100\n",
    }
    registry = project(tree, reference=reference)
    assert names_of(registry) == ["b"]
    assert skipped_of(registry, "a.md").reason == "too-large"


def test_every_setting_has_a_summary_and_a_reference_value_of_its_own_type() -> None:
    for setting in SETTINGS:
        assert setting.summary
        assert setting.reference is None or type(setting.reference) is type(setting.default)
        assert not setting.choices or {setting.default} <= set(setting.choices)


# T-9, T-11, T-12, T-15
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('interrupt_mode = "sometimes"', '"always" or "prose-only" or "tool-only" or "never"'),
        ('repeat_mode = "twice"', '"once" or "after-gap"'),
        ('context_mode = "drop"', '"discard" or "keep"'),
        ("repeat_gap = 0", "a positive number"),
        ("max_interrupts = -1", "a number from 0 on"),
    ],
)
def test_a_setting_of_stream_rules_that_is_none_is_named_with_its_line_and_what_it_takes(
    project: Project, line: str, says: str
) -> None:
    registry = project({USER_SETTINGS: f"[ttsr]\n{line}\n"})
    finding = diagnostic_of(registry, "invalid-setting")
    assert finding.position == (2, 1)
    assert says in finding.message
    assert policy_of(registry.settings) == Policy()
    assert registry.settings.get("ttsr.context_mode") == "discard"


# T-11, T-12, T-15
def test_the_settings_of_stream_rules_reach_the_guard(project: Project) -> None:
    lines = ('repeat_mode = "after-gap"', "repeat_gap = 3", 'interrupt_mode = "tool-only"', "max_interrupts = 0")
    registry = project({USER_SETTINGS: "\n".join(("[ttsr]", *lines))})
    assert registry.diagnostics == ()
    assert policy_of(registry.settings) == Policy("after-gap", 3, "tool-only", 0)
    assert policy_of(project.discover(reference=True).settings) == policy_of(registry.settings)
    assert policy_of(default_settings()) == Policy()


VALUES = {
    "text": ('"perhaps"', "not 'perhaps'"),
    "long text": (f'"{"x" * 5_000}"', "…"),
    "lines": ('"a\\nb"', "not 'a\\nb'"),
    "false": ("false", "not false"),
    "zero": ("0", "not 0"),
    "negative": ("-5", "not -5"),
    "beyond 64 bits": (str(2**63), f"not {2**63}"),
    "5,000 hexadecimal digits": ("0x" + "f" * 5_000, "thousands of digits"),
    "float": ("1.5", "not 1.5"),
    "nan": ("nan", "not nan"),
    "infinity": ("-inf", "not -inf"),
    "date": ("2024-01-02", "not 2024-01-02"),
    "time": ("03:04:05", "not 03:04:05"),
    "date and time": ("2024-01-02T03:04:05Z", "not 2024-01-02 03:04:05+00:00"),
    "list": ("[1, 2]", "not [1, 2]"),
    "long list": (f"[{'1, ' * 5_000}]", "…"),
    "list of lists": (f"{'[' * 50}{']' * 50}", "…"),
    "list of long numbers": (f"[0x{'f' * 5_000}]", "thousands of digits"),
    "table": ("{a = 1}", "not {'a': 1}"),
    "empty table": ("{}", "not {}"),
}


#
@pytest.mark.parametrize(("value", "shown"), VALUES.values(), ids=VALUES)
def test_a_value_of_another_type_is_a_finding_and_the_default_holds(project: Project, value: str, shown: str) -> None:
    registry = project({USER_SETTINGS: "".join(f"{setting.key} = {value}\n" for setting in SETTINGS)})
    given = tomllib.loads(f"x = {value}")["x"]
    findings = {item.position: item for item in registry.diagnostics if item.path.endswith("settings.toml")}
    for line, setting in enumerate(SETTINGS, 1):
        if type(given) in (bool, str) and type(given) is type(setting.default) and not setting.choices:
            assert (line, 1) not in findings
            continue
        if type(given) is int and type(setting.default) is int and setting.least <= given < 2**63:
            assert (line, 1) not in findings
            continue
        finding = findings[line, 1]
        assert finding.code == "invalid-setting"
        assert shown in finding.message
        assert len(finding.message) < 200
        assert registry.settings.user[setting.key] == setting.default


#
@pytest.mark.parametrize(
    ("value", "column"), [("1" * 5_000, 5), ("[1, " + "1" * 5_000 + "]", 9), ("-" + "1_" * 4_400 + "1", 6)]
)
def test_a_number_of_thousands_of_digits_is_a_finding(project: Project, value: str, column: int) -> None:
    finding = diagnostic_of(project({PROJECT_SETTINGS: f"a = 1\nb = {value}\n"}), "invalid-settings-file")
    assert finding.position == (2, column)
    assert "thousands of digits" in finding.message


# time and memory grow with the input, whatever the input
def test_of_many_unknown_settings_the_first_are_named_and_the_others_counted(project: Project) -> None:
    lines = "\n".join(f"key_{number} = {number}" for number in range(5_000))
    registry = project({USER_SETTINGS: f"[discovery]\n{lines}\nrecursive = 1\n"})
    findings = [item for item in registry.diagnostics if item.code == "unknown-setting"]
    assert [item.position for item in findings] == [(line, 1) for line in range(2, 23)]
    assert findings[-1].message == "and 4,980 more unknown settings"
    assert diagnostic_of(registry, "invalid-setting").position == (5_002, 1)


# time and memory grow with the input, whatever the input
def test_the_lines_of_a_settings_file_are_looked_at_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[list[str]] = []
    name = settings_places._name

    def counting(table: str, parts: list[str]) -> str:
        looked.append(parts)
        return name(table, parts)

    monkeypatch.setattr(settings_places, "_name", counting)
    project({USER_SETTINGS: "\n".join(f"key_{number} = {number}" for number in range(500))})
    assert len(looked) == 500


PLACES = {
    "dotted": ("a = 1\ndiscovery.recusive = 1", (2, 1)),
    "quoted": ('"discovery" . "recusive" = 1', (1, 1)),
    "dotted deeper": ("\ndiscovery.recusive.x = 1", (2, 1)),
    "a table of its own": ("\n[discovery.recusive]\nx = 1", (2, 2)),
    "below a list of tables": ("[discovery]\n[[other]]\nrecusive = 2\n[discovery.recusive]\nx = 1", (4, 2)),
    "below a comment": ("[discovery]\n# recusive = 1\nrecusive = 2", (3, 1)),
}


@pytest.mark.parametrize(("text", "position"), PLACES.values(), ids=PLACES)
def test_an_unknown_setting_is_found_however_its_key_is_spelled(
    project: Project, text: str, position: tuple[int, int]
) -> None:
    registry = project({USER_SETTINGS: text})
    assert position in [item.position for item in registry.diagnostics if "`discovery.recusive`" in item.message]


# time and memory grow with the input, whatever the input
@pytest.mark.parametrize(
    "text",
    [
        "a." * 300_000 + "b = 1",
        "x = {" + "a." * 300_000 + "b = 1}",
        "\n".join(f"k{number}." + "a . " * 5_000 + "b = 1" for number in range(50)),
        f"[{'a.' * 200_000}b]\n" + "x = 1\n" * 20_000,
        f"[{'a' * 500_000}]\n" + "".join(f"k{number} = 1\n" for number in range(40_000)),
        "x" + " " * 1_000_000,
        "x = " + '"' * 1_000_000,
        "x = '''" + "a.'\".b" * 100_000,
    ],
    ids=[
        "deep",
        "deep inside",
        "deep and often",
        "below a deep table",
        "below a long table",
        "spaces",
        "quotes",
        "text",
    ],
)
def test_a_settings_file_that_invites_much_work_is_a_finding(project: Project, text: str) -> None:
    registry = project({PROJECT_SETTINGS: text})
    assert {item.code for item in registry.diagnostics} <= {"invalid-settings-file", "unknown-setting"}
    assert 1 <= len(registry.diagnostics) <= 21
    assert all(len(item.message) < 300 for item in registry.diagnostics)


FAULTS = {
    "indented": ("[ttsr]\n  enable = false", "unknown-setting", (2, 3), "did you mean `ttsr.enabled`?"),
    "without its table": ("max_interrupts = 1", "unknown-setting", (1, 1), "did you mean `ttsr.max_interrupts`?"),
    "in a table of another name": ("[trsr]\nenabled = 1", "unknown-setting", (2, 1), "did you mean `ttsr.enabled`?"),
    "in capitals": ("[TTSR]\nEnabled = true", "unknown-setting", (2, 1), "did you mean `ttsr.enabled`?"),
    "inline": ("ttsr = {repeat_gap = 1, enable = true}", "unknown-setting", (1, 25), "`ttsr.enabled`"),
    "inline and of a wrong type": ("ttsr = { enabled = 3 }", "invalid-setting", (1, 10), "takes true or false, not 3"),
    "below texts of lines": ('model = """\n enable=1\n"""\n\nenable=2', "unknown-setting", (5, 1), "ttsr.enabled"),
    "a table that is a value": ("ttsr = true", "unknown-setting", (1, 1), "`ttsr` is a table of settings, such as"),
    "a table that is a list": ("[[ttsr]]\nenabled = true", "unknown-setting", (1, 3), "`ttsr` is a table of settings"),
    "a value that is a table": (
        "[ttsr.enabled]\nx = 1",
        "invalid-setting",
        (1, 2),
        "takes true or false, not {'x': 1}",
    ),
    "a list of other things": ("consent.deny = ['a', 1]", "invalid-setting", (1, 1), "takes a list of texts"),
    "a table with nothing in it": ("model = 'a'\n [nothing]\n", "unknown-setting", (2, 3), "unknown setting `nothing`"),
    "a table in a table": ("[ttsr.enabled2.deep]\nx = 1", "unknown-setting", (1, 2), "`ttsr.enabled2`"),
}


#
@pytest.mark.parametrize(("text", "code", "position", "says"), FAULTS.values(), ids=FAULTS)
def test_what_is_wrong_with_a_key_is_said_at_its_place(
    project: Project, text: str, code: str, position: tuple[int, int], says: str
) -> None:
    registry = project({USER_SETTINGS: text})
    assert [(item.code, item.position) for item in registry.diagnostics] == [(code, position)]
    assert says in registry.diagnostics[0].message


TWICE = {
    "a key": ("model = 'a'\n\n  model = 'b'\n[ttsr]\n", (3, 3), "`model` is set twice, first on line 1"),
    "a key in a table": ("[ttsr]\nenabled = true\nenabled = true", (3, 1), "`ttsr.enabled` is set twice, first on line 2"),
    "a table": ("[ttsr]\nenabled = true\n[prompt]\n[ttsr]\n", (4, 2), "`ttsr` is set twice, first on line 1"),
    "a dotted key and a table": ("# x\nttsr.enabled = true\n[ttsr]\n", (3, 2), "`ttsr` is set twice, first on line 2"),
    "a key inside a value": ("model = 'a'\nmodel.x = 1", (2, 1), "`model.x` is set twice, first on line 1"),
    "an inline key": ("ttsr = {enabled = true, enabled = true}", (1, 25), "`ttsr.enabled` is set twice, first on line 1"),
}  # fmt: skip


# one finding, and the defaults hold
@pytest.mark.parametrize(("text", "position", "says"), TWICE.values(), ids=TWICE)
def test_a_key_that_is_set_twice_is_named_with_both_places(
    project: Project, text: str, position: tuple[int, int], says: str
) -> None:
    registry = project({USER_SETTINGS: text})
    assert [item.code for item in registry.diagnostics] == ["invalid-settings-file"]
    assert (registry.diagnostics[0].position, registry.diagnostics[0].message) == (position, f"not TOML: {says}")
    assert registry.settings == default_settings()


@pytest.mark.parametrize("text", ["hello world", "[ttsr\n", "a = [1,", 'a = "x', "{}", "\x01", "model == 'a'"])
def test_a_file_that_is_no_toml_is_one_finding_and_the_defaults_hold(project: Project, text: str) -> None:
    registry = project({USER_SETTINGS: text})
    assert [(item.code, item.severity) for item in registry.diagnostics] == [("invalid-settings-file", "error")]
    assert registry.diagnostics[0].position is not None
    assert registry.settings == default_settings()


# R-30a
def test_what_a_project_may_not_set_is_said_at_its_place_and_the_rest_counts(project: Project) -> None:
    registry = project({PROJECT_SETTINGS: "[rules]\nattach = 'advisory'\n\n[consent]\n  allow = ['shell(ls:*)']\n"})
    finding = diagnostic_of(registry, "setting-not-allowed")
    assert finding.position == (5, 3)
    assert registry.settings.project["consent.allow"] == ()
    assert registry.settings.project["rules.attach"] == "advisory"
