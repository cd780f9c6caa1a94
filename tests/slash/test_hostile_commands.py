"""Command files made to break something: each costs itself at most, and everything else still loads."""

from __future__ import annotations

import pytest
from tests.slash.found import command_of, expanded, found, one, skipped_of
from tests.support import USER_SETTINGS, Project, codes_of, diagnostic_of

from xcsh.slash.builtins import BUILTIN_COMMANDS
from xcsh.slash.expansion import expand

BIDI = "\u202egnp\u202c"


def test_duplicates_inside_one_provider_leave_one_winner(project: Project, *, reference: bool) -> None:
    names = [f"f{number:03}" for number in range(50)]
    registry = project(
        {f".codex/commands/{name}.md": f"---\nname: same\n---\n{name}" for name in names}, reference=reference
    )
    assert found(registry) == ["same"]
    assert expand(registry, "/same").text == "f000"
    assert len(registry.commands.shadowed) == 49
    assert {entry.shadowed_by for entry in registry.commands.shadowed} == {command_of(registry, "same")}


def test_names_that_differ_in_case_are_two_commands_and_reported(project: Project, *, reference: bool) -> None:
    registry = project({".xcsh/commands/Go.md": "A.", ".xcsh/commands/go.md": "B."}, reference=reference)
    assert [expand(registry, f"/{name}").text for name in ("Go", "go")] == ["A.", "B."]
    assert "case-collision" in codes_of(registry)


@pytest.mark.parametrize("name", sorted(BUILTIN_COMMANDS))
def test_a_command_may_have_the_name_of_any_built_in(name: str, project: Project) -> None:
    registry = project({f"~/.codex/commands/{name}.md": "Mine: $1"})
    assert expand(registry, f"/user:{name} x").text == "Mine: x"
    finding = diagnostic_of(registry, "shadowed-by-builtin")
    assert (finding.severity, finding.path) == ("information", command_of(registry, name).path)


# C-24
@pytest.mark.parametrize("opening", ["{{#if args}}", "{{#each args}}"])
def test_a_block_that_never_closes_costs_nothing_but_a_diagnostic(
    opening: str, project: Project, *, reference: bool
) -> None:
    assert expanded(f"a {opening} $1\n", " x", project, reference=reference) == f"a {opening} x\n"
    registry = project.discover(reference=reference)
    finding = diagnostic_of(registry, "unclosed-block")
    assert (finding.severity, finding.position, finding.end) == ("warning", (1, 3), (1, 3 + len(opening)))


def test_a_body_of_ten_megabytes_is_above_the_limit(project: Project, *, reference: bool) -> None:
    body = "$1 and `$2` {{#if args}}\n" * 400_000
    registry = project({".xcsh/commands/big.md": body, ".xcsh/commands/a.md": "A."}, reference=reference)
    assert found(registry) == ["a"]
    assert skipped_of(registry, "big.md").reason == "too-large"
    assert diagnostic_of(registry, "file-too-large", "big.md").severity == "error"


def test_a_body_of_two_megabytes_loads_where_the_limit_is_raised(project: Project) -> None:
    body = "All of $1 and `$2` {{#if args}}\n" * 66_000
    registry = project({USER_SETTINGS: "discovery.max_file_bytes = 3000000\n", ".xcsh/commands/big.md": body})
    assert expand(registry, "/big x").text == body.replace("$1", "x").replace("$2", "")
    assert len(registry.diagnostics) < 60


@pytest.mark.parametrize(
    "name", ["a b", "-flag", "--json", "a:b", ":", "::", "a.b", "..md", "$1", "{{args}}", "%s", "\\", "'", '"', "*", "#", "~", "\u202egnp", "\x1b[31m", "é", "\U0001f600", "x" * 200]
)  # fmt: skip
def test_a_file_may_be_called_anything(name: str, project: Project, *, reference: bool) -> None:
    registry = project({f".xcsh/commands/{name}.md": "Body $1", ".xcsh/commands/sound.md": "S."}, reference=reference)
    if name.startswith("."):
        assert skipped_of(registry, f"{name}.md").reason == "hidden"
        return
    assert set(found(registry)) == {name, "sound"}
    expansion = expand(registry, f"/{name} x")
    assert expansion.text == (f"/{name} x" if " " in name else "Body x")


@pytest.mark.parametrize(
    "name", ["a/b", "/", "a b", "..", "../../x", "x\\ny", "skill:x", "user:help", "~", "null", "true", "1"]
)
def test_a_name_from_the_frontmatter_may_be_anything(name: str, project: Project, *, reference: bool) -> None:
    registry = project({".codex/commands/f.md": f'---\nname: "{name}"\n---\nBody.'}, reference=reference)
    (typed,) = found(registry)
    assert typed == name.replace("\\n", "\n")
    if not any(character.isspace() for character in typed):
        assert expand(registry, f"/{typed}").text == "Body."
    else:
        assert "unreachable-command" in codes_of(registry)


def test_hidden_and_reordering_characters_are_reported(project: Project, *, reference: bool) -> None:
    registry = project(
        {".xcsh/commands/c.md": f"---\ndescription: a{BIDI}\n---\nBody \u200b.", f".xcsh/commands/{BIDI}.md": "x"},
        reference=reference,
    )
    codes = codes_of(registry, "/c.md")
    assert ("text-held-back" in codes) is not reference
    assert [code for code in codes if code != "text-held-back"] == [
        "bidi-control",
        "bidi-control",
        "invisible-characters",
    ]
    assert "name-characters" in codes_of(registry, f"{BIDI}.md")


@pytest.mark.parametrize(
    "content", [b"\0", b"a\0b", b"\xff\xfe\0\0", b"Body \xff $1", "Body $1".encode("utf-16"), b"", b"\xef\xbb\xbf"]
)
def test_bytes_that_are_no_text_cost_their_file_only(content: bytes, project: Project, *, reference: bool) -> None:
    registry = project({".claude/commands/odd.md": content, ".claude/commands/sound.md": "S."}, reference=reference)
    assert "sound" in found(registry)
    assert codes_of(registry, "odd.md")
    assert codes_of(registry, "sound.md") == []


def test_a_command_that_says_it_is_another_changes_only_itself(project: Project, *, reference: bool) -> None:
    block = "---\nkind: skill\nlevel: native\nprovider: bundled\npath: /etc/passwd\nname: pr\n---\nBody."
    command, _ = one(block, project, reference=reference)
    assert (command.kind, command.name, command.origin.level, command.origin.provider) == (
        "command",
        "c",
        "project",
        "native",
    )


def test_a_thousand_commands_are_all_there(project: Project, *, reference: bool) -> None:
    registry = project({f".claude/commands/c{n:04}.md": f"{n} $1" for n in range(1_000)}, reference=reference)
    assert len(found(registry)) == 1_000
    assert expand(registry, "/c0999 x").text == "999 x"
