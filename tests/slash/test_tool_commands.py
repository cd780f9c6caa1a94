"""The commands, prompts and skills of the other tools: where they are, what they are called, what arguments do (C-40)."""

from __future__ import annotations

import json

import pytest
from tests.slash.found import found
from tests.support import USER_SETTINGS, Project, Tree, codes_of, diagnostic_of

from xcsh.api import discover
from xcsh.model.registry import Registry
from xcsh.providers import BUILTIN_PROVIDERS
from xcsh.session.command_turn import grants_of
from xcsh.slash.expansion import expand
from xcsh.slash.lookup import names_of

REGISTRY = "~/.claude/plugins/installed_plugins.json"


def sent(registry: Registry, call: str) -> str:
    expansion = expand(registry, call)
    assert expansion.command is not None, call
    return expansion.text


# C-40, formats.md section 3: place, call and what is sent, tool by tool
@pytest.mark.parametrize(
    ("path", "text", "call", "expected"),
    [
        (".claude/commands/git/ship.md", "Ship $ARGUMENTS.", "/git:ship it", "Ship it."),
        (".claude/commands/git/ship.md", "Ship $ARGUMENTS.", "/ship it", "Ship it."),
        (".claude/skills/maps/SKILL.md", "Draw $0 of $ARGUMENTS[1].", "/skill:maps a b", "Draw a of b."),
        (".claude/skills/maps/SKILL.md", "Draw.", "/maps a b", "Draw.\n\nARGUMENTS: a b"),
        ("~/.claude/skills/maps/skill.md", "Draw.", "/maps", "Draw."),
        ("~/.codex/prompts/mend.md", "Fix $1 of $ARGUMENTS in $2.", "/prompts:mend 'a b' c", "Fix a b of a b c in c."),
        ("~/.codex/prompts/mend.md", "Fix $FILE, $HOME, $$FILE, $1.", "/mend x FILE='a b'", "Fix a b, $HOME, $$FILE, x."),
        (".codex/prompts/mend.md", "Fix.", "/mend now", "Fix.\n\nnow"),
        (".codex/skills/maps/SKILL.md", "Draw.", "/maps a b", "Draw.\n\na b"),
        (".cursor/commands/tidy.md", "Tidy $1.", "/tidy up", "Tidy $1.\n\nup"),
        (".cursor/commands/tidy.md", "Tidy $ARGUMENTS.", "/tidy 'it up'", "Tidy 'it up'."),
        (".windsurf/workflows/deploy.md", "---\nauto_execution_mode: 3\n---\n1. Build", "/deploy x", "1. Build\n\nx"),
        ("~/.codeium/windsurf/global_workflows/deploy.md", "Go.", "/deploy", "Go."),
        (".clinerules/workflows/ship.md", "Ship.", "/ship.md now", "Ship.\n\nnow"),
        ("~/Documents/Cline/Workflows/ship.md", "Ship.", "/ship", "Ship."),
        (".github/prompts/form.prompt.md", "Make ${input:what:a form} for ${input:who}.", "/form what=x 'y z'", "Make x for y z."),
        (".github/prompts/form.prompt.md", "Make ${input:what:a form} for ${input:who}.", "/form x y z", "Make x for y z."),
        (".github/prompts/form.prompt.md", "Make ${input:what:a form} of ${file}.", "/form", "Make ${input:what:a form} of ${file}."),
        (".github/prompts/form.prompt.md", "---\nname: shape\n---\nGo.", "/shape", "Go."),
        (".gemini/commands/a/b.toml", "prompt = 'Do {{args}}: $1'", "/a:b x y", "Do x y: $1"),
        ("~/.config/opencode/commands/git/port.md", "Port $1 to $2.", "/git/port lib to go lang", "Port lib to to go lang."),
        (".opencode/command/port.md", "Port $1 to $2.", "/port lib", "Port lib to ."),
        (".opencode/commands/port.md", "  Port.  ", "/port lib", "Port.\n\nlib"),
        (".opencode/skill/maps/SKILL.md", "Draw.", "/maps", "Draw."),
        (".roo/commands/deep/plan.md", "Plan.", "/plan it", "Plan.\n\nit"),
        (".augment/commands/git/commit.md", "Commit $ARGUMENTS.", "/git:commit all", "Commit all."),
        (".qwen/commands/ask.md", "Ask $0.", "/ask me", "Ask me."),
        (".grok/commands/ask.md", "Ask $0.", "/ask me", "Ask me."),
        (".agents/commands/ask.md", "Ask $0.", "/ask me", "Ask me."),
        (".agents/skills/maps/SKILL.md", "Draw $1.", "/maps a", "Draw $1.\n\na"),
        (".gemini/skills/maps/SKILL.md", "Draw.", "/maps", "Draw."),
        (".github/skills/maps/SKILL.md", "Draw.", "/skill:maps", "Draw."),
    ],
)  # fmt: skip
def test_each_tools_file_answers_to_its_call_in_its_own_syntax(
    path: str, text: str, call: str, expected: str, project: Project
) -> None:
    registry = project({path: text})
    assert sent(registry, call) == expected
    reference = project.discover(reference=True)
    assert expand(reference, call).command is None


# C-40: "All sit below the reference four"
def test_the_reference_four_come_first_and_user_files_before_the_packages_own(project: Project) -> None:
    places = [
        ".xcsh/commands/{}.md", ".claude/commands/{}.md", ".codex/commands/{}.md", ".cursor/commands/{}.md",
        ".windsurf/workflows/{}.md", "~/.codex/prompts/{}.md", ".clinerules/workflows/{}.md",
        ".roo/commands/{}.md", ".agents/commands/{}.md",
    ]  # fmt: skip
    for place in places:
        project.write({place.format("same"): place, place.format("review"): place})
    for index, place in enumerate(places):
        registry = project.discover()
        assert sorted(found(registry)) == ["review", "same"]
        assert sent(registry, "/same") == sent(registry, "/review") == place
        shadowed = [entry for entry in registry.commands.shadowed if entry.command.name == "same"]
        assert len(shadowed) == len(places) - index - 1
        project.path(place.format("same")).unlink()
        project.path(place.format("review")).unlink()


# C-40, C-28: the setting is about Claude Code's own commands; its skills always use its syntax
def test_the_setting_of_the_reference_syntax_does_not_reach_other_tools(project: Project) -> None:
    tree = {".claude/commands/a.md": "$0 $1", ".qwen/commands/b.md": "$0 $1", ".claude/skills/c/SKILL.md": "$0 $1"}
    registry = project(tree)
    assert [sent(registry, f"/{name} x y") for name in "abc"] == ["$0 x", "x y", "x y"]


# C-40: a variable that the tool itself follows
def test_codex_home_and_the_configuration_folder_are_followed(project: Project) -> None:
    project.write({"elsewhere/prompts/a.md": "A", "config/opencode/commands/b.md": "B", "~/.codex/prompts/c.md": "C"})
    variables = {"CODEX_HOME": str(project.root / "elsewhere"), "XDG_CONFIG_HOME": str(project.root / "config")}
    registry = discover(project.root, home=project.home, variables=variables)
    assert {"a", "b"} <= names_of(registry.commands.all).keys()
    assert "c" not in names_of(registry.commands.all)
    relative = discover(project.root, home=project.home, variables={"CODEX_HOME": "elsewhere"})
    assert "c" in names_of(relative.commands.all)


# C-40
def test_a_place_that_its_tool_does_not_read_is_said_to_be_one(project: Project) -> None:
    registry = project({".codex/prompts/a.md": "A", "~/.codex/prompts/b.md": "B"})
    assert codes_of(registry, "a.md") == ["unread-by-tool"]
    assert codes_of(registry, "b.md") == []


def plugin(project: Project, manifest: object, **more: object) -> Tree:
    entry = {"scope": "user", "installPath": str(project.home / "kit"), **more}
    return {
        REGISTRY: json.dumps({"version": 2, "plugins": {"kit@m": [entry]}}),
        "~/kit/.claude-plugin/plugin.json": manifest if isinstance(manifest, str) else json.dumps(manifest),
        "~/kit/commands/own.md": "Own.",
        "~/kit/extra/one.md": "One.",
        "~/kit/extra/two.md": "Two.",
        "~/kit/skills/maps/SKILL.md": "Draw.",
        "~/kit/more/tiles/SKILL.md": "Lay.",
    }


# C-8, C-40: commands as a file, a folder or a list; folders of skills, or one skill
@pytest.mark.parametrize(
    ("manifest", "commands", "skills"),
    [
        ({}, ["own"], ["maps"]),
        ({"commands": "./extra/one.md"}, ["own", "one"], ["maps"]),
        ({"commands": "./extra"}, ["own", "one", "two"], ["maps"]),
        ({"commands": ["./extra/two.md", "extra/one.md"]}, ["own", "two", "one"], ["maps"]),
        ({"skills": "./more"}, ["own"], ["maps", "tiles"]),
        ({"skills": ["./more/tiles"]}, ["own"], ["maps", "tiles"]),
    ],
)
def test_a_plugins_manifest_may_name_further_files(
    manifest: object, commands: list[str], skills: list[str], project: Project
) -> None:
    registry = project(plugin(project, manifest))
    assert found(registry) == commands
    assert [entry.command.name for entry in registry.skills.active] == skills
    assert codes_of(registry) == []
    for name in (*commands, *skills):
        assert sent(registry, f"/kit:{name}")
    reference = project.discover(reference=True)
    assert found(reference) == ["own"]
    assert reference.skills.active == ()


# C-8
@pytest.mark.parametrize(
    "manifest",
    ["{", "[]", {"commands": "../outside.md"}, {"commands": "/etc/passwd"}, {"commands": 3}, {"commands": ["gone.md"]}],
)
def test_a_manifest_that_is_wrong_is_a_finding_and_the_plugins_own_files_load(
    manifest: object, project: Project
) -> None:
    project.write({"~/outside.md": "Outside."})
    registry = project(plugin(project, manifest))
    assert found(registry) == ["own"]
    assert diagnostic_of(registry, "invalid-plugin-registry").path.endswith("plugin.json")


# C-8: what is wrong with the registry is said once, though commands and skills look into it
def test_a_stale_plugin_is_said_once(project: Project) -> None:
    entry = {"installPath": "/no/such/folder"}
    registry = project({REGISTRY: json.dumps({"version": 2, "plugins": {"a@b": [entry]}})})
    assert codes_of(registry) == ["stale-plugin"]


# C-40: the limits of the specification of Agent Skills
@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("name: maps\ndescription: D", 0),
        ("description: D", 0),
        ("name: My Skill", 1),
        ("name: -maps", 1),
        ("name: a--b", 1),
        ("name: other", 1),
        (f"name: {'a' * 65}", 1),
        (f"name: maps\ndescription: {'x' * 1_025}", 1),
        (f"name: maps\ndescription: {'x' * 1_024}", 0),
    ],
)
def test_names_and_descriptions_of_skills_have_their_limits(head: str, count: int, project: Project) -> None:
    registry = project({".agents/skills/maps/SKILL.md": f"---\n{head}\n---\nDraw."})
    assert codes_of(registry).count("skill-limits") == count
    assert [entry.command.name for entry in registry.skills.active] == ["maps"]


# C-41: Copilot's `tools` limit what a prompt may use, and grant nothing
def test_tools_of_a_prompt_file_are_shown_and_grant_nothing(project: Project) -> None:
    registry = project({".github/prompts/a.prompt.md": "---\ntools: ['search/codebase', runCommands]\n---\nGo."})
    command = names_of(registry.commands.all)["a"]
    assert command.allowed_tools == ("search/codebase", "runCommands")
    assert grants_of(command).patterns == ()


# C-40
def test_skills_are_called_by_name_only_where_nothing_else_is_and_where_they_may_be(project: Project) -> None:
    tree = {
        ".claude/skills/a/SKILL.md": "Skill.",
        ".xcsh/prompts/a.md": "Prompt.",
        ".claude/skills/b/SKILL.md": "---\nuser-invocable: false\n---\nHidden.",
        ".xcsh/skills/c/SKILL.md": "Own.",
    }
    registry = project(tree)
    assert sent(registry, "/a") == "Prompt."
    assert sent(registry, "/skill:a") == "Skill."
    assert expand(registry, "/b").command is None
    assert expand(registry, "/c").command is None  # C-29: `/skill:c`
    project.write({USER_SETTINGS: "skills.enable_skill_commands = false\n", ".claude/skills/d/SKILL.md": "D."})
    assert expand(project.discover(), "/d").command is None


def test_no_two_providers_share_an_id() -> None:
    ids = [provider.id for provider in BUILTIN_PROVIDERS]
    assert len(ids) == len(set(ids))


# formats.md: `${CLAUDE_SKILL_DIR}` and the others, in text
def test_variables_name_the_folders_of_a_skill_and_of_a_plugin(project: Project) -> None:
    text = "Run ${CLAUDE_SKILL_DIR}/x of ${CLAUDE_PLUGIN_ROOT} in ${CLAUDE_PROJECT_DIR}, ${CLAUDE_ELSE}."
    project.write(plugin(project, {}))
    registry = project({"~/kit/skills/maps/SKILL.md": text, ".claude/skills/mine/SKILL.md": text})
    kit, root = project.home / "kit", project.root
    assert sent(registry, "/maps") == f"Run {kit}/skills/maps/x of {kit} in {root}, ${{CLAUDE_ELSE}}."
    expected = f"Run {root}/.claude/skills/mine/x of ${{CLAUDE_PLUGIN_ROOT}} in {root}, ${{CLAUDE_ELSE}}."
    assert sent(registry, "/mine x") == f"{expected}\n\nARGUMENTS: x"
