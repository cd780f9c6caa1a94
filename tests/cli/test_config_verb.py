"""`xcsh config`: what a setting is, where it comes from, and changing one in its file."""

from __future__ import annotations

import io
import os
import sys

import pytest
from tests.cli.conftest import Xcsh
from tests.cli.shapes import check_shape
from tests.support import PROJECT_SETTINGS, USER_SETTINGS

from xcsh.model.settings import SETTINGS


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("XCSH_")]:
        monkeypatch.delenv(name)


def row_of(out: str, key: str) -> list[str]:
    return next(line for line in out.splitlines() if f" {key} " in line).split()


def test_every_setting_is_listed_with_its_value_and_the_default_ones_are_not_marked(xcsh: Xcsh) -> None:
    outcome = xcsh("config")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"settings  {len(SETTINGS)} settings · none not the default\n")
    keys = [line.split()[0] for line in outcome.out.splitlines()[2:-2]]
    assert keys == [setting.key for setting in SETTINGS]
    assert row_of(outcome.out, "undo.max_file_bytes") == ["undo.max_file_bytes", "20_971_520", "default"]


#
def test_what_differs_is_marked_and_says_where_it_comes_from(xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    xcsh.project.write({
        USER_SETTINGS: "[ttsr]\nenabled = false\n[consent]\ndeny = [\n 'tool(a:*)',\n 'tool(b:*)']\n",
        PROJECT_SETTINGS: "\n\nrules.attach = 'advisory'\n",
    })  # fmt: skip
    monkeypatch.setenv("XCSH_REQUESTS_ATTEMPTS", "7")
    monkeypatch.setenv("XCSH_CONSENT_DENY", "tool(c:*)")
    out = xcsh("config", "--set", "ttsr.repeat_gap=3", "--set", "consent.deny=tool(d:*)").out
    assert "5 not the default" in out
    assert row_of(out, "ttsr.enabled") == ["*", "ttsr.enabled", "false", "~/.xcsh/agent/settings.toml:2"]
    assert row_of(out, "requests.attempts") == ["*", "requests.attempts", "7", "XCSH_REQUESTS_ATTEMPTS"]
    assert row_of(out, "ttsr.repeat_gap") == ["*", "ttsr.repeat_gap", "3", "--set"]
    lines = out.splitlines()
    at = next(number for number, line in enumerate(lines) if "rules.attach " in line)
    assert lines[at].split() == ["rules.attach", "auto", "default"]
    assert lines[at + 1].split() == ["*", "project's", "items", "advisory", ".xcsh/settings.toml:3"]
    at = next(number for number, line in enumerate(lines) if "consent.deny" in line)
    assert [line.split()[-2:] for line in lines[at : at + 4]] == [
        ["tool(a:*)", "~/.xcsh/agent/settings.toml:5"],
        ["tool(b:*)", "~/.xcsh/agent/settings.toml:6"],
        ["tool(c:*)", "XCSH_CONSENT_DENY"],
        ["tool(d:*)", "--set"],
    ]


def test_what_the_reference_decides_says_so(xcsh: Xcsh) -> None:
    xcsh.project.write({USER_SETTINGS: "rules.attach = 'auto'\n"})
    out = xcsh("config", "--reference").out
    assert row_of(out, "reference") == ["*", "reference", "true", "--reference"]
    assert row_of(out, "rules.attach") == ["*", "rules.attach", "advisory", "reference"]
    assert "(overridden)" in xcsh("config", "rules.attach", "--reference").out


def test_one_setting_is_shown_with_all_there_is_to_know(xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    xcsh.project.write({USER_SETTINGS: "rules.attach = 'auto'\n", PROJECT_SETTINGS: "rules.attach = 'advisory'\n"})
    monkeypatch.setenv("XCSH_RULES_ATTACH", "advisory")
    outcome = xcsh("config", "rules.attach", "--set", "rules.attach=auto")
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "rules.attach",
        "  Whether globs attach rules.",
        "  value       auto  --set",
        '  takes       "auto" or "advisory"',
        "  default     auto",
        "  reference   advisory",
        "  variable    XCSH_RULES_ATTACH",
        "  set by      you, and a project for its own items",
        "",
        "what is said of it, the strongest last:",
        "  ~/.xcsh/agent/settings.toml:1  auto  (overridden)",
        "  .xcsh/settings.toml:1  advisory  (overridden)",
        "  XCSH_RULES_ATTACH  advisory  (overridden)",
        "  --set  auto  (counts)",
    ]


# U-1
def test_the_name_of_no_setting_is_a_failure_that_names_the_nearest(xcsh: Xcsh) -> None:
    outcome = xcsh("config", "ttsr.enable")
    assert (outcome.code, outcome.out) == (1, "")
    assert "no setting is named 'ttsr.enable'" in outcome.err
    assert "did you mean ttsr.enabled" in outcome.err


#
def test_what_is_wrong_with_files_and_variables_is_said_beside_the_list(
    xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    xcsh.project.write({USER_SETTINGS: "[ttsr]\n  enable = false\n"})
    monkeypatch.setenv("XCSH_TTSR_REPEAT_GAP", "often")
    monkeypatch.setenv("XCSH_MODLE", "x")
    for arguments in (("config",), ("config", "model")):
        outcome = xcsh(*arguments)
        assert outcome.code == 0
        assert "settings.toml:2:3: unknown setting `ttsr.enable`; did you mean `ttsr.enabled`?" in outcome.err
        assert "warning[invalid-variable]: `XCSH_TTSR_REPEAT_GAP` takes a positive number" in outcome.err
        assert "hint[unknown-variable]: the variable XCSH_MODLE is no setting; did you mean XCSH_MODEL?" in outcome.err
    assert "XCSH_TTSR_REPEAT_GAP" in xcsh("doctor").out


# U-3
def test_the_json_is_the_shape_that_the_schema_describes(xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    xcsh.project.write({
        USER_SETTINGS: "consent.deny = ['tool(a:*)']\nfoo = 1\n", PROJECT_SETTINGS: "rules.attach = 'advisory'\n",
    })  # fmt: skip
    monkeypatch.setenv("XCSH_CONSENT_DENY", "tool(c:*)")
    for arguments, count in ((("config",), len(SETTINGS)), (("config", "consent.deny"), 1), (("config", "path"), 0)):
        shape = xcsh(*arguments, "--json").json
        check_shape("config", shape)
        assert len(shape["settings"]) == count
    by_key = {item["key"]: item for item in xcsh("config", "--json").json["settings"]}
    deny = by_key["consent.deny"]
    assert (deny["value"], deny["origin"], deny["changed"]) == (["tool(a:*)", "tool(c:*)"], "variable", True)
    assert [(said["kind"], said["line"], said["lines"], said["counts"]) for said in deny["said"]] == [
        ("user", 1, [1], True),
        ("variable", None, [], True),
    ]
    attach = by_key["rules.attach"]
    assert (attach["value"], attach["origin"]) == ("auto", "default")
    assert (attach["projectValue"], attach["projectOrigin"]) == ("advisory", "project")
    assert [item["code"] for item in xcsh("config", "--json").json["diagnostics"]] == ["unknown-setting"]


def test_the_paths_are_one_a_line_and_a_missing_file_is_remarked(xcsh: Xcsh) -> None:
    xcsh.project.write({USER_SETTINGS: ""})
    paths = [str(xcsh.project.path(name)) for name in (USER_SETTINGS, PROJECT_SETTINGS)]
    outcome = xcsh("config", "path")
    assert outcome.out.splitlines() == paths
    assert outcome.err == f"xcsh: {paths[1]} is not there yet\n"


def test_a_value_is_written_into_the_users_file_and_taken_out_again(xcsh: Xcsh) -> None:
    xcsh.project.write({USER_SETTINGS: "# mine\n[ttsr]\nenabled = true # why\n"})
    file = xcsh.project.path(USER_SETTINGS)
    assert xcsh("config", "set", "ttsr.enabled", "false").code == 0
    assert xcsh("config", "set", "requests.attempts", "1_000").code == 0
    assert file.read_text() == "# mine\n[ttsr]\nenabled = false # why\n\n[requests]\nattempts = 1000\n"
    outcome = xcsh("config", "set", "ttsr.enabled", "false")
    assert (outcome.code, outcome.out) == (0, "")
    assert "is already so" in outcome.err
    outcome = xcsh("config", "unset", "ttsr.enabled")
    assert (outcome.code, outcome.err) == (0, f"xcsh: ttsr.enabled is no longer set in {file}\n")
    assert file.read_text() == "# mine\n[ttsr]\n\n[requests]\nattempts = 1000\n"
    assert "is not set in" in xcsh("config", "unset", "ttsr.enabled").err


def test_taking_out_of_a_file_that_is_not_there_makes_none(xcsh: Xcsh) -> None:
    assert xcsh("config", "unset", "model").code == 0
    assert not xcsh.project.path(USER_SETTINGS).parent.exists()


def test_a_list_takes_several_values_or_one_with_commas(xcsh: Xcsh) -> None:
    xcsh("config", "set", "consent.deny", "shell(rm:*)", "shell(git log --format=%h,%s:*),shell(dd:*)")
    shape = xcsh("config", "consent.deny", "--json").json["settings"][0]
    assert shape["value"] == ["shell(rm:*)", "shell(git log --format=%h,%s:*)", "shell(dd:*)"]
    shape = xcsh("config", "set", "consent.deny", "", "--json").json
    check_shape("config", shape)
    assert shape["settings"][0]["value"] == []


# U-1, U-5
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("set", "ttsr.enabled", "perhaps"), "takes true or false, not 'perhaps'"),
        (("set", "ttsr.enable", "true"), "did you mean ttsr.enabled"),
        (("set", "ttsr.context_mode", "drop"), '"discard" or "keep"'),
        (("set", "ttsr.max_interrupts", "-1"), "a number from 0 on"),
        (("set", "consent.deny", "shell(x"), "is no pattern"),
        (("set", "model", "a\udcffb"), "is no text"),
        (("set", "consent.allow", "edit", "shell(a; b)"), "consent.allow:"),
        (("set", "ttsr.enabled"), "set takes a key and a value"),
        (("set", "ttsr.enabled", "true", "false"), "takes one value, not 2"),
        (("unset",), "unset takes one key"),
        (("unset", "nothing.like.it"), "unknown setting"),
        (("set", "sandbox", "none", "--project"), "no project can set `sandbox`"),
        (("ttsr.enabled", "ttsr.repeat_gap"), "one setting at a time"),
        (("ttsr.enabled", "--project"), "--project goes with set and unset"),
    ],
)
def test_what_cannot_be_meant_changes_nothing(xcsh: Xcsh, words: tuple[str, ...], says: str) -> None:
    outcome = xcsh("config", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert says in outcome.err
    assert len(outcome.err.splitlines()) >= 2
    assert not xcsh.project.path(USER_SETTINGS).exists()
    assert not xcsh.project.path(PROJECT_SETTINGS).exists()


def test_a_change_that_something_stronger_hides_says_so(xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XCSH_TTSR_ENABLED", "0")
    outcome = xcsh("config", "set", "ttsr.enabled", "true")
    assert "it is false all the same, because of XCSH_TTSR_ENABLED" in outcome.err
    outcome = xcsh("config", "set", "rules.attach", "auto", "--reference")
    assert "because of the reference" in outcome.err


#
def test_the_projects_file_takes_effect_for_what_a_project_may_set_and_else_with_trust(xcsh: Xcsh) -> None:
    outcome = xcsh("config", "set", "rules.attach", "advisory", "--project")
    assert outcome.err.splitlines() == [f"xcsh: rules.attach is set in {xcsh.project.path(PROJECT_SETTINGS)}"]
    assert {path.name for path in xcsh.project.path(PROJECT_SETTINGS).parent.iterdir()} == {"settings.toml"}
    outcome = xcsh("config", "set", "requests.attempts", "2", "--project")
    assert "takes effect where the folder is trusted" in outcome.err
    assert xcsh("trust", "--yes").code == 0
    assert row_of(xcsh("config").out, "requests.attempts")[2:] == ["2", ".xcsh/settings.toml:5"]
    outcome = xcsh("config", "set", "requests.attempts", "3", "--project")
    assert "trusted no longer, because its settings have changed" in outcome.err


def test_a_file_that_cannot_be_written_is_said_so(xcsh: Xcsh) -> None:
    xcsh.project.write({"~/.xcsh/agent": "a file in the folder's place"})
    outcome = xcsh("config", "set", "model", "a")
    assert outcome.code == 2
    assert "cannot be written" in outcome.err
    assert "check its permissions" in outcome.err


def test_a_projects_link_to_elsewhere_is_not_written_through(xcsh: Xcsh) -> None:
    xcsh.project.write({"~/other.toml": "x = 1\n"})
    xcsh.project.link(PROJECT_SETTINGS, xcsh.project.path("~/other.toml"))
    outcome = xcsh("config", "set", "rules.attach", "auto", "--project")
    assert outcome.code == 2
    assert "leaves the project" in outcome.err
    assert xcsh.project.path("~/other.toml").read_text() == "x = 1\n"


def test_without_the_package_that_keeps_comments_nothing_is_changed_and_it_is_named(
    xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    xcsh.project.write({USER_SETTINGS: "model = 'a'\n"})
    outcome = xcsh("config", "set", "model", "b")
    assert outcome.code == 2
    assert "tomlkit" in outcome.err
    assert "pip install '.[agent]'" in outcome.err
    assert xcsh.project.path(USER_SETTINGS).read_text() == "model = 'a'\n"


def test_what_files_and_variables_say_cannot_move_the_cursor(xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    xcsh.project.write({USER_SETTINGS: 'model = "a\\u001b[2Jb"\nconsent.deny = ["\\u001b]0;x"]\n'})
    monkeypatch.setenv("XCSH_TTSR_ENABLED", "\x1b[2J")
    monkeypatch.setenv("XCSH_MODELS\x1b", "x")
    for arguments in (("config",), ("config", "model"), ("config", "consent.deny")):
        outcome = xcsh(*arguments)
        assert "\x1b" not in outcome.out + outcome.err
    assert "\\x1b[2J" in xcsh("config").out


@pytest.mark.parametrize("verb", [("rules",), ("doctor",), ("stream", "x.md"), ("sessions", "list"), ("config",)])
def test_every_verb_takes_settings_as_flags_and_says_what_is_wrong_with_one(
    xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...]
) -> None:
    xcsh.project.write({"x.md": "text", ".xcsh/rules/a.md": "a"})
    monkeypatch.chdir(xcsh.project.root)
    assert xcsh(*verb, "--set", "ttsr.enabled=false").code == 0
    assert xcsh("--set", "ttsr.enabled=false", *verb).code == 0
    outcome = xcsh(*verb, "--set", "ttsr.enable=false")
    assert outcome.code == 2
    assert "did you mean ttsr.enabled" in outcome.err


def test_flags_and_variables_reach_what_the_verbs_show(xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    xcsh.project.write({".xcsh/rules/a.md": "A", ".xcsh/rules/b.md": "B", ".xcsh/rules/c.md": "C"})
    monkeypatch.setenv("XCSH_DISCOVERY_DISABLED", "rule:a")
    names = [rule["name"] for rule in xcsh("rules", "--json", "--set", "discovery.disabled=rule:b").json["rules"]]
    assert names == ["c"]


def test_the_model_of_a_flag_beats_the_variable_and_that_beats_the_file(
    xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*arguments: str) -> str:
        outcome = xcsh("-p", "hi", *arguments)
        assert outcome.code == 2
        return outcome.err

    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    xcsh.project.write({USER_SETTINGS: "model = 'replay:of-the-file'\n"})
    assert "of-the-file" in asked()
    monkeypatch.setenv("XCSH_MODEL", "replay:of-the-variable")
    assert "of-the-variable" in asked()
    assert "of-the-set" in asked("--set", "model=replay:of-the-set")
    assert "of-the-flag" in asked("--set", "model=replay:of-the-set", "--model", "replay:of-the-flag")
    assert "did you mean model" in asked("--set", "modle=x")


def test_a_variable_with_a_bad_value_does_not_stop_anything(xcsh: Xcsh, monkeypatch: pytest.MonkeyPatch) -> None:
    xcsh.project.write({".xcsh/rules/a.md": "A"})
    monkeypatch.setenv("XCSH_DISCOVERY_MAX_FILE_BYTES", "lots")
    outcome = xcsh("rules", "--json")
    assert (outcome.code, [rule["name"] for rule in outcome.json["rules"]]) == (0, ["a"])
    first = xcsh("doctor", "--json").json["diagnostics"][0]
    assert (first["code"], first["path"], first["line"]) == ("invalid-variable", None, None)
