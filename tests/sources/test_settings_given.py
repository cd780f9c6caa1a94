"""Settings of environment variables and of `--set`: what they beat, what they take, what is said of a bad one."""

from __future__ import annotations

import pytest
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project

from xcsh.api import discover, rediscover
from xcsh.errors import UsageError
from xcsh.model.registry import Registry
from xcsh.model.settings import SETTINGS, Settings, defaults, variable_of
from xcsh.sources.filesystem import make_environment
from xcsh.sources.settings.given import parse_flag
from xcsh.sources.settings.values import from_text, split_list
from xcsh.sources.trust.deciding import trust


def found(project: Project, settings: dict[str, object] | None = None, **variables: str) -> Registry:
    return discover(project.root, home=project.home, variables={"HOME": "/h", **variables}, settings=settings)


def settings(project: Project, given: dict[str, object] | None = None, **variables: str) -> Settings:
    return found(project, given, **variables).settings


#
def test_flags_beat_variables_which_beat_the_files(project: Project) -> None:
    project.write({USER_SETTINGS: "[ttsr]\nrepeat_gap = 2\n[requests]\nattempts = 2\nstall_seconds = 2\n"})
    registry = found(
        project, {"requests.stall_seconds": 4}, XCSH_REQUESTS_ATTEMPTS="3", XCSH_REQUESTS_STALL_SECONDS="3"
    )
    keys = ("ttsr.repeat_gap", "requests.attempts", "requests.stall_seconds")
    assert [registry.settings.number(key) for key in keys] == [2, 3, 4]
    assert registry.diagnostics == ()


#
def test_a_projects_file_beats_the_users_and_a_variable_beats_both_wherever_it_reaches(project: Project) -> None:
    project.write({USER_SETTINGS: 'rules.attach = "auto"\n', PROJECT_SETTINGS: 'rules.attach = "advisory"\n'})
    values = settings(project)
    assert (values.get("rules.attach"), values.get("rules.attach", "project")) == ("auto", "advisory")
    values = settings(project, XCSH_RULES_ATTACH="auto")
    assert (values.get("rules.attach"), values.get("rules.attach", "project")) == ("auto", "auto")


#
def test_a_trusted_projects_file_beats_the_users_and_not_a_variable(project: Project) -> None:
    project.write({USER_SETTINGS: "requests.attempts = 2\n", PROJECT_SETTINGS: "requests.attempts = 3\n"})
    assert settings(project).number("requests.attempts") == 2
    trust(make_environment(str(project.root), str(project.home)))
    assert settings(project).number("requests.attempts") == 3
    assert settings(project, XCSH_REQUESTS_ATTEMPTS="5").number("requests.attempts") == 5


# R-30a
def test_lists_of_all_places_add_up(project: Project) -> None:
    project.write({USER_SETTINGS: 'consent.deny = ["tool(a:*)"]\n'})
    values = settings(project, {"consent.deny": ("tool(d:*)",)}, XCSH_CONSENT_DENY="tool(b,c:*), tool(x:*) ,")
    assert values.texts("consent.deny") == ("tool(a:*)", "tool(b,c:*)", "tool(x:*)", "tool(d:*)")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_has_a_variable_of_its_own(project: Project, setting) -> None:
    name = variable_of(setting.key)
    assert [other.key for other in SETTINGS if variable_of(other.key) == name] == [setting.key]
    assert name.replace("_", "").isalnum()
    other = {bool: not setting.default, int: 7, str: (setting.choices or ("other",))[-1], tuple: ("rule:x", "rule:y")}
    value = other[type(setting.default)]
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    assert settings(project, **{name: text}).get(setting.key) == value
    assert settings(project, {setting.key: value}).get(setting.key) == value
    assert settings(project, **{name: ""}).user == defaults()


TEXTS = {
    "ttsr.enabled": ({"true": True, "TRUE": True, "1": True, " false ": False, "0": False}, ["", "yes", "2", "perhaps"]),
    "requests.attempts": ({"1": 1, " 2": 2, "1_000": 1_000}, ["0", "-1", "1.5", "", "_1", "1__0", "²", "9" * 19, "9" * 5_000]),
    "ttsr.max_interrupts": ({"0": 0}, ["-1"]),
    "ttsr.context_mode": ({"keep": "keep", " discard": "discard"}, ["Keep", "", "drop"]),
}  # fmt: skip


@pytest.mark.parametrize("key", TEXTS)
def test_a_text_means_what_its_setting_takes_or_nothing(key: str) -> None:
    setting = next(setting for setting in SETTINGS if setting.key == key)
    good, bad = TEXTS[key]
    assert {text: from_text(setting, text) for text in good} == good
    assert [from_text(setting, text) for text in bad] == [None] * len(bad)


def test_lists_are_split_at_commas_outside_parentheses() -> None:
    assert split_list("a, b,,c") == ("a", "b", "c")
    assert split_list("shell(git log --format=%h,%s:*),edit") == ("shell(git log --format=%h,%s:*)", "edit")
    assert split_list("a),b,(c,d") == ("a)", "b", "(c,d")
    assert split_list("") == split_list(" , ") == ()


def test_a_bad_value_names_the_variable_and_what_it_takes_and_the_file_holds(project: Project) -> None:
    project.write({USER_SETTINGS: 'ttsr.context_mode = "keep"\n'})
    registry = found(project, XCSH_TTSR_CONTEXT_MODE="drop")
    assert [(item.code, item.severity, item.path) for item in registry.diagnostics] == [
        ("invalid-variable", "warning", "")
    ]
    assert registry.diagnostics[0].message == '`XCSH_TTSR_CONTEXT_MODE` takes "discard" or "keep", not \'drop\''
    assert registry.settings.get("ttsr.context_mode") == "keep"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("XCSH_TTSR_ENABLE", "XCSH_TTSR_ENABLED"),
        ("XCSH_MODELS", "XCSH_MODEL"),
        ("XCSH_REQUEST_ATTEMPTS", "XCSH_REQUESTS_ATTEMPTS"),
        ("XCSH_REFRENCE", "XCSH_REFERENCE"),
        ("XCSH_HOME", ""),
        ("XCSH_", ""),
        ("XCSH_DEPLOY_TOKEN", ""),
        ("XCSHELL_MODEL", ""),
    ],
)
def test_a_variable_whose_name_is_nearly_that_of_a_setting_is_a_hint_and_others_are_not(
    project: Project, name: str, near: str
) -> None:
    diagnostics = found(project, **{name: "x"}).diagnostics
    assert [(item.code, item.severity) for item in diagnostics] == [("unknown-variable", "hint")] * bool(near)
    assert all(item.message.endswith(f"did you mean {near}?") for item in diagnostics)


@pytest.mark.parametrize(("text", "on"), [("1", True), ("true", True), ("yes", True), ("0", False), ("false", False)])
def test_the_variable_of_the_reference_is_on_for_all_but_a_no(project: Project, text: str, *, on: bool) -> None:
    assert settings(project, XCSH_REFERENCE=text).user == {**defaults(reference=on), "reference": on}


@pytest.mark.parametrize(
    ("text", "says", "hint"),
    [
        ("ttsr.enabled", "takes KEY=VALUE", "--set ttsr.enabled=false"),
        ("ttsr.enable=1", "unknown setting `ttsr.enable`", "ttsr.enabled"),
        ("enabled=1", "unknown setting `enabled`", "ttsr.enabled"),
        ("nothing-like-it=1", "unknown setting", "xcsh config"),
        ("ttsr.context_mode=drop", '"discard" or "keep"', "xcsh config ttsr.context_mode"),
        ("ttsr.enabled=perhaps", "takes true or false, not 'perhaps'", "xcsh config ttsr.enabled"),
        ("requests.attempts=0", "a positive number", "xcsh config requests.attempts"),
    ],
)
def test_a_bad_flag_is_an_error_that_names_near_keys_and_what_is_taken(text: str, says: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_flag(text)
    assert says in str(caught.value)
    assert hint in caught.value.hint


@pytest.mark.parametrize("given", [{"ttsr.enable": True}, {"ttsr.enabled": 1}, {"requests.attempts": "2"}])
def test_a_program_that_gives_a_bad_setting_is_told(project: Project, given: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        found(project, given)


def test_finding_again_keeps_variables_flags_and_the_reference(project: Project) -> None:
    registry = found(project, {"requests.attempts": 9}, XCSH_REFERENCE="1", XCSH_TTSR_ENABLED="false")
    again = rediscover(registry)
    assert again.settings == registry.settings
    assert (again.settings.number("requests.attempts"), again.settings.get("ttsr.enabled")) == (9, False)
