"""Gemini CLI's commands in TOML, from the file to the text that is sent."""

from __future__ import annotations

import pytest
from tests.slash.found import command_of, found
from tests.support import Project, codes_of, diagnostic_of

from xcsh.slash.expansion import expand

FOLDER = ".gemini/commands/"


# C-40
def test_a_toml_command_is_found_named_and_filled_in(project: Project) -> None:
    registry = project(
        {
            f"{FOLDER}git/ship.toml": 'description = "Writes it"\nprompt = "Write a PR: {{args}}"\n',
            f"~/{FOLDER}odd name!.toml": "prompt = '''\nA \\d B\n'''\n",
        }
    )
    assert found(registry) == ["git:ship", "odd_name_"]
    assert command_of(registry, "git:ship").source == "via Gemini CLI Project"
    assert command_of(registry, "odd_name_").description == "Custom command from odd name!.toml"
    assert expand(registry, "/ship {{args}} it's").text == "Write a PR: {{args}} it's"
    assert expand(registry, "/git:ship").text == "Write a PR: "
    assert expand(registry, "/odd_name_  two  words").text == "A \\d B\n\n\n/odd_name_ two  words"


# C-40
def test_the_reference_knows_no_toml_commands(project: Project) -> None:
    registry = project({f"{FOLDER}a.toml": 'prompt = "A"'}, reference=True)
    assert found(registry) == []
    assert [skipped.reason for skipped in registry.commands.skipped] == ["disabled"]


# C-40
@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('prompt = "unclosed\n', (1, 19), "no TOML"),
        ('# a\nprompt = "a \\q b"\n', (2, 15), "invalid escape"),
        ('description = "No prompt"\n', (1, 1), "no `prompt`"),
        ('description = "A"\n prompt = ["a"]\n', (2, 1), "no text"),
        ("x = " + "[" * 5_000, None, "nested too deeply"),
        ("x = " + "1" * 5_000, None, "no TOML"),
    ],
)
def test_a_broken_toml_command_is_skipped_with_its_place(
    text: str, place: tuple[int, int] | None, message: str, project: Project
) -> None:
    registry = project({f"{FOLDER}a.toml": text, f"{FOLDER}b.toml": 'prompt = "B"'})
    assert found(registry) == ["b"]
    finding = diagnostic_of(registry, "invalid-toml")
    assert message in finding.message
    assert place is None or finding.position == place
    assert [skipped.reason for skipped in registry.commands.skipped] == ["invalid-file"]


# C-40
def test_findings_in_a_toml_prompt_are_at_their_place_in_the_file(project: Project) -> None:
    registry = project({f"{FOLDER}a.toml": 'description = "A"\nprompt = """\nOne\ntwo\u200bx\n"""\n'})
    assert diagnostic_of(registry, "invisible-characters").position == (4, 4)
    assert command_of(registry, "a").line == 3
    assert codes_of(registry, "a.toml") == ["invisible-characters"]


# SEC-05: a shell that only prints what it was given is said to be one too many, at its place
@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("echo {{args}}", 1),
        ('printf \\"%s\\" $HOME', 1),
        ("echo {{args}} | wc", 0),
        ("echo $(ls)", 0),
        ("echo hello", 0),
    ],
)
def test_a_shell_that_only_prints_is_a_finding(line: str, reported: int, project: Project) -> None:
    registry = project({f"{FOLDER}a.toml": f'prompt = "Say $1: !{{{line}}}"'})
    assert codes_of(registry, "a.toml").count("include-prints-argument") == reported
    if reported:
        assert diagnostic_of(registry, "include-prints-argument").position == (1, 19)
