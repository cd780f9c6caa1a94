"""Where settings come from: every place that says something, with its line, and the one that decides."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.settings import SETTINGS, defaults
from xcsh.sources.filesystem import make_environment
from xcsh.sources.settings.given import with_given
from xcsh.sources.settings.origin import Account, accounts
from xcsh.sources.settings.places import places_of, set_twice
from xcsh.sources.settings.reading import load_settings
from xcsh.sources.trust.deciding import trust


def account_of(project: Project, key: str, flags: dict[str, object] | None = None, **variables: str) -> Account:
    environment = with_given(make_environment(str(project.root), str(project.home)), variables, flags or {})
    diagnostics: list[Diagnostic] = []
    found = accounts(environment, diagnostics.append)
    loaded = load_settings(environment, diagnostics.append)
    assert [account.setting for account in found] == list(SETTINGS)
    assert {account.setting.key: account.value for account in found} == loaded.user
    assert {account.setting.key: account.project_value for account in found} == loaded.project
    return next(account for account in found if account.setting.key == key)


def test_what_nobody_sets_is_the_default(project: Project) -> None:
    account = account_of(project, "ttsr.enabled")
    assert (account.value, account.said, account.deciding(), account.differs_in_project) == (True, (), (), False)


#
def test_every_place_is_kept_with_its_line_and_the_strongest_decides(project: Project) -> None:
    project.write({USER_SETTINGS: "[requests]\n attempts = 2\n", PROJECT_SETTINGS: "\nrequests.attempts = 3\n"})
    assert [said.value for said in account_of(project, "requests.attempts").said] == [2]
    trust(make_environment(str(project.root), str(project.home)))
    account = account_of(project, "requests.attempts", {"requests.attempts": 5}, XCSH_REQUESTS_ATTEMPTS="4")
    assert [(said.kind, said.where, said.value, said.position) for said in account.said] == [
        ("user", str(project.path(USER_SETTINGS)), 2, (2, 2)),
        ("project", str(project.path(PROJECT_SETTINGS)), 3, (2, 1)),
        ("variable", "XCSH_REQUESTS_ATTEMPTS", 4, None),
        ("flag", "--set", 5, None),
    ]
    assert account.deciding() == account.said[-1:]


#
def test_what_reaches_only_the_projects_items_decides_for_them_alone(project: Project) -> None:
    project.write({PROJECT_SETTINGS: "rules.attach = 'advisory'\n"})
    account = account_of(project, "rules.attach")
    assert (account.value, account.deciding()) == ("auto", ())
    assert (account.project_value, account.deciding("project"), account.differs_in_project) == (
        "advisory",
        account.said,
        True,
    )


# R-30a
def test_all_places_decide_on_a_list_and_each_text_has_its_line(project: Project) -> None:
    project.write({USER_SETTINGS: "[consent]\ndeny = [\n  'tool(a:*)', # x\n  \"tool(b:*)\"]\n"})
    account = account_of(project, "consent.deny", XCSH_CONSENT_DENY="tool(c:*)")
    assert account.value == ("tool(a:*)", "tool(b:*)", "tool(c:*)")
    assert account.deciding() == account.said
    assert account.said[0].elements == ((3, 3), (4, 3))


def test_the_reference_decides_over_what_was_said(project: Project) -> None:
    project.write({USER_SETTINGS: "reference = true\nrules.attach = 'auto'\n"})
    account = account_of(project, "rules.attach", {"rules.attach": "auto"})
    assert (account.value, account.forced, account.deciding(), len(account.said)) == ("advisory", True, (), 2)
    account = account_of(project, "ttsr.enabled", XCSH_TTSR_ENABLED="0")
    assert (account.forced, [said.where for said in account.deciding()]) == (False, ["XCSH_TTSR_ENABLED"])


def test_the_flag_of_the_reference_is_where_it_comes_from(project: Project) -> None:
    environment = make_environment(str(project.root), str(project.home))
    account = next(iter(accounts(environment, [].append, reference=True)))
    assert (account.setting.key, account.value, [said.where for said in account.deciding()]) == (
        "reference",
        True,
        ["--reference"],
    )


SPELLINGS = {
    "table": "{0}[ttsr]\n{0}enabled = true",
    "dotted": "{0}ttsr.enabled = true",
    "quoted": "{0}'ttsr' . \"enabled\" = true",
    "inline": "{0}ttsr = {{ repeat_gap = 1, enabled = true }}",
    "behind texts": "{0}model = '''\n[ttsr]\nenabled = 1'''\n[prompt]\nstable = true\n[ttsr]\n{0}enabled = true",
    "behind lists": "discovery.disabled = [ # ttsr.enabled = 1\n  'ttsr.enabled = 1', \"]\" ]\n{0}ttsr.enabled = true",
    "escapes": 'model = "\\"ttsr.enabled = 1"\nother = """\\""""\n{0}ttsr.enabled = true',
    "quotes at an end": 'model = \'\'\'a\'\'\'\'\nother = """b"""""\n{0}ttsr.enabled = true',
    "super table": "{0}[ttsr.other]\nx = 1\n[ttsr]\n{0}enabled = true",
}


@pytest.mark.parametrize("indent", ["", "  ", "\t"])
@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_a_key_is_found_however_it_is_spelled(text: str, indent: str) -> None:
    written = text.format(indent)
    assert tomllib.loads(written)["ttsr"]["enabled"] is True
    line, column = places_of(written, {"ttsr.enabled"})["ttsr.enabled"].key
    rest = written.split("\n")[line - 1][column - 1 :]
    assert rest.startswith(("enabled = true", "ttsr.enabled = true", "'ttsr'"))


def test_an_account_of_the_defaults_is_the_table(project: Project) -> None:
    environment = make_environment(str(project.root), str(project.home))
    assert {item.setting.key: item.value for item in accounts(environment, [].append)} == defaults()


def test_a_key_that_is_spelled_with_escapes_has_no_line_and_counts(project: Project) -> None:
    project.write({USER_SETTINGS: '[ttsr]\n"en\\u0061bled" = false\n'})
    account = account_of(project, "ttsr.enabled")
    assert (account.value, [said.position for said in account.said]) == (False, [None])


PIECES = st.sampled_from(
    ["a", "b-c", "1", ".", "=", " ", "\n", "\r\n", "[", "]", "{", "}", ",", "'", '"', "'x'", '"y"', "#", "\\", '"""', "'''", "a = 1\n", "[t]\n", "é", ":"]
)  # fmt: skip


# whatever stands in the file
@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=400)
@example('a = """x""""\nb.c = 1')
@example("a = [{b = 1}, [[2]]]\n[[c]]\nd = {e = {f = 1}}\n")
def test_every_plain_key_that_toml_has_is_found_and_no_text_breaks_the_search(text: str) -> None:
    text = text.replace("\r\n", "\n")
    set_twice(text)
    try:
        document = tomllib.loads(text)
    except ValueError:
        places_of(text, {"a"})
        return
    names = {name for name in document if "\\" not in text and "." not in name and name.strip("\"'") == name}
    places = places_of(text, names)
    assert places.keys() == names
    for name, place in places.items():
        line = text.split("\n")[place.key.line - 1]
        assert line[place.key.column - 1 :].lstrip("\"'").startswith(name)


# time and memory grow with the input
@pytest.mark.parametrize(
    "text",
    ["a = 1\n" * 15_000, "[a]\n" * 25_000, "a=[" * 30_000, "{" * 90_000, "'" * 90_001, '"""' * 30_001, "a." * 40_000, "# " * 45_000, "a = {b" * 15_000],
    ids=range(9),
)  # fmt: skip
def test_a_long_text_is_searched_in_one_pass(text: str) -> None:
    places_of(text, {"ttsr.enabled"})
    set_twice(text)
