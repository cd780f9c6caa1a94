"""Where commands are found, what they are called, and which of one name counts."""

from __future__ import annotations

import pytest
from tests.slash.found import command_of, entry_of, found, skipped_of
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project, codes_of, diagnostic_of

from xcsh.model.command import Kind
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Root, Source
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.providers.native import NATIVE
from xcsh.slash.expansion import expand
from xcsh.slash.lookup import names_of

PLUGINS = "~/.claude/plugins/installed_plugins.json"
BUNDLED = {"commit", "fix", "new-rule", "pr", "review", "tests"}


def plugin(project: Project) -> dict[str, str]:
    return {PLUGINS: f'{{"version": 2, "plugins": {{"kit@m": [{{"installPath": "{project.home}/kit"}}]}}}}'}


# C-1
def test_a_command_without_content_is_skipped_with_a_diagnostic_and_shadows_nothing(
    project: Project, *, reference: bool
) -> None:
    registry = project(
        {
            ".xcsh/commands/a.md": "---\ndescription: Nothing\n---\n\n",
            ".xcsh/commands/blank.md": " \n",
            "~/.xcsh/agent/commands/a.md": "Mine.",
        },
        reference=reference,
    )
    assert found(registry) == ["a"]
    assert command_of(registry, "a").template == "Mine."
    assert skipped_of(registry, "project/.xcsh/commands/a.md").reason == "empty"
    assert skipped_of(registry, "blank.md").reason == "empty"
    assert diagnostic_of(registry, "empty-rule", "project/.xcsh/commands/a.md").message.startswith("the command has no")


# C-1
def test_commands_share_isolation_with_rules(project: Project, *, reference: bool) -> None:
    def broken(_: object) -> object:
        raise OSError("by design")

    failing = Provider("failing", "Failing", 200, commands=CommandTable(broken))  # type: ignore[arg-type]
    project.write({".xcsh/commands/a.md": "A."})
    registry = project.discover(reference=reference, providers=(failing, *BUILTIN_PROVIDERS))
    assert found(registry) == ["a"]
    assert "failing" in diagnostic_of(registry, "provider-failed").message


# C-2
def test_native_beats_claude_beats_plugins_beats_codex(project: Project, *, reference: bool) -> None:
    files = [".xcsh/commands/x.md", ".claude/commands/x.md", "~/kit/commands/x.md", ".codex/commands/x.md"]
    project.write({**plugin(project), **{name: f"From {name}." for name in files}})
    for index, name in enumerate(files):
        registry = project.discover(reference=reference)
        assert found(registry) == ["x"]
        entry = entry_of(registry, "x")
        assert entry.command.template == f"From {name}."
        providers = [item.command.origin.provider for item in registry.commands.all if item.command.name == "x"]
        assert providers == ["native", "claude", "claude-plugins", "codex"][index:]
        project.path(name).unlink()


# C-2
def test_the_priorities_are_those_of_the_reference() -> None:
    priorities = {
        provider.id: provider.priority
        for provider in BUILTIN_PROVIDERS
        if provider.commands and not provider.commands.beyond
    }
    assert priorities == {"native": 100, "claude": 80, "claude-plugins": 70, "codex": 70, "bundled": 0}
    beyond = [provider for provider in BUILTIN_PROVIDERS if provider.commands and provider.commands.beyond]
    assert beyond
    assert all(0 < provider.priority < 70 for provider in beyond)  # C-40: below the reference four


# C-3
def test_a_loser_stays_in_the_registry_and_names_its_winner(project: Project, *, reference: bool) -> None:
    registry = project({".xcsh/commands/x.md": "A.", ".claude/commands/x.md": "B."}, reference=reference)
    first, second = (entry for entry in registry.commands.all if entry.command.name == "x")
    assert (first.shadowed_by, second.shadowed_by) == (None, first.command)
    assert expand(registry, "/x").text == "A."


# C-3, C-7
def test_the_first_of_one_name_within_a_provider_wins(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".codex/commands/a.md": "---\nname: same\n---\nA.",
            ".codex/commands/b.md": "---\nname: same\n---\nB.",
            ".codex/commands/same.md": "C.",
        },
        reference=reference,
    )
    assert found(registry) == ["same"]
    assert [entry.command.template for entry in registry.commands.all if entry.command.name == "same"] == [
        "A.",
        "B.",
        "C.",
    ]
    assert len(registry.commands.shadowed) == 2


# C-4
@pytest.mark.parametrize("folder", [".xcsh", ".claude", ".codex"])
def test_only_visible_markdown_files_that_git_does_not_ignore_are_commands(
    project: Project, folder: str, *, reference: bool
) -> None:
    project.make_repository()
    registry = project(
        {
            f"{folder}/commands/a.md": "A.",
            f"{folder}/commands/b.txt": "B.",
            f"{folder}/commands/.c.md": "C.",
            f"{folder}/commands/ignored.md": "D.",
            ".gitignore": "ignored.md\n",
        },
        reference=reference,
    )
    assert found(registry) == ["a"]
    assert skipped_of(registry, "b.txt").reason == "extension"
    assert skipped_of(registry, ".c.md").reason == "hidden"
    assert skipped_of(registry, "ignored.md").reason == "git-ignored"


# C-4
def test_files_in_sub_folders_are_skipped_in_reference_mode(project: Project) -> None:
    registry = project({".claude/commands/git/pr.md": "A."}, reference=True)
    assert found(registry) == []
    assert skipped_of(registry, "git/pr.md").reason == "nested"


# C-40, first clause
@pytest.mark.parametrize("folder", [".xcsh/commands", ".claude/commands", ".codex/commands", "~/kit/commands"])
def test_a_sub_folder_is_a_namespace(project: Project, folder: str) -> None:
    project.write(plugin(project))
    registry = project({f"{folder}/git/branch/new.md": "A.", f"{folder}/top.md": "B."})
    assert found(registry) == ["top", "git:branch:new"]
    assert expand(registry, "/git:branch:new").text == "A."


# C-5
def test_native_commands_of_the_project_beat_those_of_the_user(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            "~/.xcsh/agent/commands/x.md": "User.",
            ".xcsh/commands/x.md": "Project.",
            "~/.xcsh/agent/commands/y.md": "Y.",
        },
        reference=reference,
    )
    assert found(registry) == ["x", "y"]
    assert command_of(registry, "x").template == "Project."
    assert "shadows-user-rule" in codes_of(registry, "project/.xcsh/commands/x.md")


# C-6, C-7
@pytest.mark.parametrize("tool", ["claude", "codex"])
def test_commands_of_the_user_beat_those_of_the_project_where_the_tool_has_it_so(
    project: Project, tool: str, *, reference: bool
) -> None:
    registry = project(
        {f".{tool}/commands/x.md": "Project.", f"~/.{tool}/commands/x.md": "User.", f".{tool}/commands/y.md": "Y."},
        reference=reference,
    )
    assert found(registry) == ["x", "y"]
    winner = command_of(registry, "x")
    assert (winner.template, winner.origin.level) == ("User.", "user")


# C-7
def test_codex_takes_the_name_from_the_frontmatter_and_strips_the_block(project: Project, *, reference: bool) -> None:
    text = "---\nname: deploy\ndescription: D\n---\n\nBody $1.\n\n"
    registry = project({".codex/commands/file.md": text, ".claude/commands/file.md": text}, reference=reference)
    assert sorted(found(registry)) == ["deploy", "file"]
    assert command_of(registry, "deploy").template == "Body $1."
    assert command_of(registry, "file").origin.provider == "claude"


# C-7
@pytest.mark.parametrize("name", ["", '""', '"  "', "[a]", "~"])
def test_a_name_that_is_none_leaves_the_file_name(project: Project, name: str, *, reference: bool) -> None:
    registry = project({".codex/commands/file.md": f"---\nname: {name}\n---\nBody."}, reference=reference)
    assert found(registry) == ["[a]" if name == "[a]" else "file"]


# C-14
def test_commands_of_the_package_come_last_and_only_where_their_name_is_free(
    project: Project, *, reference: bool
) -> None:
    registry = project({".codex/commands/review.md": "Mine.", ".codex/commands/zz.md": "Z."}, reference=reference)
    names = [entry.command.name for entry in registry.commands.active]
    assert names[:2] == ["review", "zz"]
    assert set(names[2:]) == BUNDLED - {"review"}
    assert expand(registry, "/review").text == "Mine."
    for name in names[2:]:
        command = command_of(registry, name)
        assert (command.source, command.origin.provider, command.origin.level) == ("bundled", "bundled", "native")
        assert command.description
        assert command.argument_hint


# C-14
def test_every_command_of_the_package_makes_sense_with_and_without_arguments(project: Project) -> None:
    registry = project.discover()
    assert registry.diagnostics == ()
    for name in BUNDLED:
        with_argument = expand(registry, f"/{name} src/odd.py").text
        assert "src/odd.py" in with_argument
        for text in (with_argument, expand(registry, f"/{name}").text):
            assert "{{" not in text
            assert "$ARGUMENTS" not in text


# C-1 with R-34
@pytest.mark.parametrize("settings", [USER_SETTINGS, PROJECT_SETTINGS])
def test_single_commands_and_whole_providers_can_be_switched_off(
    project: Project, settings: str, *, reference: bool
) -> None:
    registry = project(
        {
            settings: '[discovery]\ndisabled = ["command:a", "codex"]\n',
            ".xcsh/commands/a.md": "A.",
            ".xcsh/commands/b.md": "B.",
            ".codex/commands/c.md": "C.",
        },
        reference=reference,
    )
    assert found(registry) == ["b"]
    assert skipped_of(registry, "a.md").reason == skipped_of(registry, "c.md").reason == "disabled"


# PRC-03
def test_a_bare_name_that_two_namespaces_share_is_not_picked_silently(project: Project) -> None:
    registry = project({".claude/commands/bar/test.md": "Bar.", ".claude/commands/foo/test.md": "Foo."})
    assert [expand(registry, f"/{name}:test").text for name in ("bar", "foo")] == ["Bar.", "Foo."]
    assert expand(registry, "/test")[:2] == ("/test", None)


# PRC-03
def test_a_bare_name_that_one_namespace_has_reaches_it(project: Project) -> None:
    registry = project({".claude/commands/bar/check.md": "Bar."})
    assert expand(registry, "/check").text == "Bar."
    project.write({".claude/commands/check.md": "Top."})
    assert expand(project.discover(), "/check").text == "Top."


# PRC-04
def test_a_command_with_the_name_of_a_built_in_is_reachable_by_its_level(project: Project, *, reference: bool) -> None:
    registry = project({"~/.claude/commands/resume.md": "Mine.", ".xcsh/commands/help.md": "H."}, reference=reference)
    notice = diagnostic_of(registry, "shadowed-by-builtin", "resume.md")
    assert "/user:resume" in notice.message
    assert expand(registry, "/user:resume").text == "Mine."
    assert expand(registry, "/project:help").text == "H."
    assert {"user:resume", "project:help"} <= names_of(registry.commands.all).keys()


# PRC-06; against it, C-8: the first of two wins the short name
def test_two_plugins_with_one_command_are_both_reachable(project: Project, *, reference: bool) -> None:
    entries = ", ".join(f'"{name}@m": [{{"installPath": "{project.home}/{name}"}}]' for name in ("two", "one"))
    registry = project(
        {
            PLUGINS: f'{{"version": 2, "plugins": {{{entries}}}}}',
            "~/one/commands/search.md": "One.",
            "~/two/commands/search.md": "Two.",
        },
        reference=reference,
    )
    calls = ("search", "two:search", "one:search")
    assert [expand(registry, f"/{call}").text for call in calls] == ["Two.", "Two.", "One."]


# DSC-06
def test_links_to_command_files_are_followed_and_broken_ones_reported(project: Project) -> None:
    project.make_repository()
    project.write({"shared/hello.md": "From the target.", "shared/deep/x.md": "Deep."})
    project.link(".claude/commands/tools/hi.md", "../../../shared/hello.md")
    project.link(".claude/commands/linked", "../../shared/deep")
    project.link(".claude/commands/gone.md", "nowhere.md")
    project.link(".claude/commands/self.md", "self.md")
    project.link(".claude/commands/round", "../commands")
    registry = project.discover()
    assert found(registry) == ["linked:x", "tools:hi"]
    assert expand(registry, "/tools:hi").text == "From the target."
    for name in ("gone.md", "self.md"):
        assert codes_of(registry, name) == ["dangling-link"]
        assert skipped_of(registry, name).reason == "dangling-link"
    assert skipped_of(registry, "commands/round").reason == "dangling-link"


# DSC-06, SEC: a project's link may not put any file of the user's into a prompt
def test_a_link_that_leaves_the_project_is_not_followed(project: Project, *, reference: bool) -> None:
    project.write({"~/secret.md": "Secret."})
    project.link(".claude/commands/a.md", project.home / "secret.md")
    registry = project.discover(reference=reference)
    assert found(registry) == []
    assert skipped_of(registry, "a.md").reason == "outside-project"


def test_python_files_beside_native_commands_are_left_to_another_part(project: Project, *, reference: bool) -> None:
    registry = project({".xcsh/commands/a.py": "raise SystemExit", ".claude/commands/b.py": "b"}, reference=reference)
    assert found(registry) == []
    assert [skipped.path.rpartition("/")[2] for skipped in registry.commands.skipped] == ["b.py"]


def test_prompts_and_skills_are_kinds_of_their_own(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".xcsh/commands/x.md": "Command.",
            ".xcsh/prompts/x.md": "Prompt.",
            ".xcsh/skills/x/SKILL.md": "Skill.",
        },
        reference=reference,
    )
    kinds = [items.active[0].command.kind for items in (registry.commands, registry.prompts, registry.skills)]
    assert kinds == [Kind.COMMAND, Kind.PROMPT, Kind.SKILL]
    assert codes_of(registry) == []


# C-1: "with a level other than `user`, `project`, `native`, is skipped with a diagnostic"
def test_an_unknown_level_is_reported_and_everything_else_loads(project: Project, *, reference: bool) -> None:
    odd = Provider("odd", "Odd", 90, commands=CommandTable((Source(Root.CWD, "odd", "team", (".md",)),)))
    project.write({"odd/a.md": "A.", ".xcsh/commands/b.md": "B."})
    registry = project.discover(reference=reference, providers=(odd, NATIVE))
    assert found(registry) == ["b"]
    assert [item.provider for item in registry.diagnostics if item.severity != "information"] == ["odd"]
