"""Which command a call means, and which syntax its template is read in."""

from __future__ import annotations

import pytest
from tests.slash.found import expanded, filled_by, one
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project, diagnostic_of

from xcsh.errors import ExpansionTooLongError
from xcsh.model.arguments import CLAUDE_ARGUMENTS
from xcsh.model.command import Kind
from xcsh.slash.expansion import Expansion, callable_commands, expand, expand_command, expand_prompt
from xcsh.slash.lookup import names_of, nearest_commands
from xcsh.slash.template import expand_template

TOOL = '[commands]\narguments = "tool"\n'
PLUGINS = "~/.claude/plugins/installed_plugins.json"


# C-22
@pytest.mark.parametrize(
    "text",
    [
        "/revie",
        "/reviews",
        "/REVIEW",
        "/review.md",
        "/my:review",
        "//review",
        "/",
        "/ review",
        "",
        "review",
        " /review",
    ],
)
def test_text_that_names_no_command_is_returned_unchanged(text: str, project: Project, *, reference: bool) -> None:
    registry = project({".xcsh/commands/review.md": "Body."}, reference=reference)
    assert expand(registry, text) == Expansion(text)


# C-26
@pytest.mark.parametrize("text", ["/unknown  with 'odd  spaces' \n and more\n", "/usr/bin/env python", "/$1 {{args}}"])
def test_an_unknown_call_goes_on_to_the_model_as_it_was_typed(text: str, project: Project, *, reference: bool) -> None:
    registry = project({".xcsh/commands/x.md": "$1"}, reference=reference)
    assert expand(registry, text).text == text
    assert expand_command(registry, text).text == text
    assert expand_prompt(registry, text).text == text


# C-20
def test_white_space_of_any_kind_ends_the_name_of_a_command(project: Project, *, reference: bool) -> None:
    assert expanded("<$1|$2>", "\ta\nb", project, reference=reference) == "<a|b>"


# C-21, SEC-01: "output equals the argument", in every syntax that splits; in the reference every apostrophe is a quote
@pytest.mark.parametrize(
    ("path", "template", "call"),
    [
        (".xcsh/commands/mend.md", "<$1|$@[2]>", "/mend don't l'été"),
        (".xcsh/prompts/mend.md", "<$1|$@[2]>", "/mend don't l'été"),
        (".claude/skills/mend/SKILL.md", "<$0|$1>", "/skill:mend don't l'été"),
        ("~/.codex/prompts/mend.md", "<$1|$WHO>", "/mend WHO=l'été don't"),
        (".opencode/command/mend.md", "<$1|$2>", "/mend don't l'été"),
        (".github/prompts/mend.prompt.md", "<${input:a}|${input:b}>", "/mend b=l'été don't"),
    ],
)
def test_an_apostrophe_arrives_in_every_tools_syntax(path: str, template: str, call: str, project: Project) -> None:
    files = {path: template}
    assert expand(project(files), call).text.endswith("<don't|l'été>")
    off = expand(project({**files, USER_SETTINGS: "[commands]\napostrophes = false\n"}), call).text
    assert "'" not in off
    assert "<" in off


# C-21
def test_in_the_reference_every_apostrophe_is_a_quote(project: Project, *, reference: bool) -> None:
    first = "dont stop" if reference else "don't"
    assert expanded("<$1>", " don't stop", project, reference=reference) == f"<{first}>"


# C-20: the call has to stand at the very start
def test_text_before_a_call_makes_it_text(project: Project, *, reference: bool) -> None:
    _, registry = one("Body.", project, reference=reference)
    assert expand(registry, "\n/c").command is None


# C-10, C-22
def test_an_expansion_says_what_it_was_made_of(project: Project, *, reference: bool) -> None:
    command, registry = one("Costs $1.50.", project, reference=reference)
    expansion = expand(registry, '/c a "b c"')
    assert expansion[:4] == ("Costs a.50.", command, ("a", "b c"), (diagnostic_of(registry, "amount-placeholder"),))


# C-22: a name that is shadowed means the winner, an alias what it always means
def test_exact_names_come_before_every_other_name(project: Project) -> None:
    entry = f'{{"installPath": "{project.home}/kit"}}'
    registry = project(
        {
            PLUGINS: f'{{"version": 2, "plugins": {{"kit@m": [{entry}]}}}}',
            "~/kit/commands/scan.md": "Plugin.",
            ".xcsh/commands/scan.md": "Mine.",
            ".xcsh/commands/a/deep.md": "Deep.",
            ".claude/commands/kit/other.md": "Other.",
        }
    )
    texts = {name: expand(registry, f"/{name}").text for name in ("scan", "kit:scan", "deep", "a:deep", "kit:other")}
    assert texts == {"scan": "Mine.", "kit:scan": "Plugin.", "deep": "Deep.", "a:deep": "Deep.", "kit:other": "Other."}
    assert names_of(registry.commands.all)["kit:scan"].origin.provider == "claude-plugins"


# C-8: "`plugin:stem` is an alias that always works"
def test_nobody_elses_file_takes_the_name_of_a_plugins_command(project: Project) -> None:
    entry = f'{{"installPath": "{project.home}/kit"}}'
    registry = project(
        {
            PLUGINS: f'{{"version": 2, "plugins": {{"kit@m": [{entry}]}}}}',
            "~/kit/commands/scan.md": "Plugin.",
            ".xcsh/commands/kit/scan.md": "Mine.",
        }
    )
    assert expand(registry, "/kit:scan").text == "Plugin."
    assert expand(registry, "/scan").text == "Plugin."
    finding = next(item for item in registry.diagnostics if item.code == "unreachable-command")
    assert finding.path == str(project.root / ".xcsh/commands/kit/scan.md")


# PRC-04: the qualified name of a command that a built-in hides is its owner's
def test_no_project_takes_the_qualified_name_of_a_users_command(project: Project) -> None:
    registry = project({"~/.xcsh/agent/commands/help.md": "Mine.", ".xcsh/commands/user:help.md": "Spoof."})
    assert expand(registry, "/user:help").text == "Mine."
    assert "unreachable-command" in {item.code for item in registry.diagnostics}


# C-8, found = active + shadowed + skipped
def test_two_plugins_in_one_folder_are_both_listed(project: Project) -> None:
    entry = f'[{{"installPath": "{project.home}/kit"}}]'
    plugins = f'{{"version": 2, "plugins": {{"one@m": {entry}, "two@m": {entry}}}}}'
    registry = project({PLUGINS: plugins, "~/kit/commands/scan.md": "Plugin."})
    assert [expand(registry, name).text for name in ("/one:scan", "/two:scan", "/scan")] == ["Plugin."] * 3


# C-28: "The four reference providers use this chapter's argument syntax"
@pytest.mark.parametrize("folder", [".xcsh", ".claude", ".codex"])
def test_by_default_every_provider_counts_from_one(folder: str, project: Project, *, reference: bool) -> None:
    registry = project({f"{folder}/commands/c.md": "$0 $1 $ARGUMENTS[0]"}, reference=reference)
    assert expand(registry, "/c a").text == "$0 a a[0]"


# C-28
def test_claudes_own_syntax_reaches_claudes_commands_and_its_plugins_only(project: Project) -> None:
    entry = f'{{"installPath": "{project.home}/kit"}}'
    registry = project(
        {
            USER_SETTINGS: TOOL,
            PLUGINS: f'{{"version": 2, "plugins": {{"kit@m": [{entry}]}}}}',
            "~/kit/commands/p.md": "$0 $1",
            ".claude/commands/c.md": "$0 $1",
            ".xcsh/commands/n.md": "$0 $1",
            ".codex/commands/x.md": "$0 $1",
            ".xcsh/prompts/t.md": "$0 $1",
        }
    )
    texts = {name: expand(registry, f"/{name} a b").text for name in "pcnxt"}
    assert texts == {"p": "a b", "c": "a b", "n": "$0 a", "x": "$0 a", "t": "$0 a"}


# C-28: a project's file may not change how the user's own commands are read
def test_a_project_does_not_choose_the_syntax(project: Project) -> None:
    registry = project({PROJECT_SETTINGS: TOOL, ".claude/commands/c.md": "$0"})
    assert expand(registry, "/c a").text == "$0\n\na"
    assert diagnostic_of(registry, "setting-not-allowed").position == (2, 1)


# C-28: formats.md, the row of Claude Code
@pytest.mark.parametrize(
    ("source", "raw", "text"),
    [
        ("$0-$1", "a b", "a-b"),
        ("$ARGUMENTS[1]", 'x "a b"', "a b"),
        ("$ARGUMENTS", "'a  b'  c", "'a  b'  c"),
        ("$2", "a b", "$2\n\nARGUMENTS: a b"),
        ("$ARGUMENTS[9]", "a", "$ARGUMENTS[9]\n\nARGUMENTS: a"),
        ("$99999999999999999999", "a", "$99999999999999999999\n\nARGUMENTS: a"),
        ("$ARGUMENTS[x]", "a", "a[x]"),
        ("\\$0 $0", "a", "$0 a"),
        ("\\$ARGUMENTS", "a", "$ARGUMENTS\n\nARGUMENTS: a"),
        ("$HOME $PATH", "a", "$HOME $PATH\n\nARGUMENTS: a"),
        ("Body.\n", "", "Body.\n"),
        ("Body.\n\n", "a", "Body.\n\nARGUMENTS: a"),
        ("$ARGUMENTS", "", ""),
        ("$0", "", "$0"),
        ("$0", "'$1' x", "$1"),
        ("$0 $1", "'$1' '$ARGUMENTS'", "$1 $ARGUMENTS"),
        ("{{args}}", "a", "{{args}}\n\nARGUMENTS: a"),
    ],
)
def test_claudes_own_syntax(source: str, raw: str, text: str) -> None:
    assert filled_by(CLAUDE_ARGUMENTS, source, raw) == text


# C-28, C-41
@pytest.mark.parametrize(
    ("raw", "text"), [("7 main", "7 on main, $other"), ("7", "7 on , $other"), ("", " on , $other")]
)
@pytest.mark.parametrize("names", ["[issue, branch]", "issue branch", "\n  - issue\n  - branch"])
def test_named_arguments_go_by_position_and_a_missing_one_is_empty(
    names: str, raw: str, text: str, project: Project
) -> None:
    body = f"---\narguments: {names}\ndescription: D\n---\n$issue on $branch, $other"
    registry = project({USER_SETTINGS: TOOL, ".claude/commands/c.md": body})
    assert expand(registry, f"/c {raw}").text == text


# C-29
def test_a_prompt_template_expands_what_no_command_took(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".xcsh/prompts/greet.md": "---\ndescription: Greets\n---\nGreet $1{{#if args}}!{{/if}}",
            "~/.xcsh/agent/prompts/greet.md": "User's.",
            "~/.xcsh/agent/prompts/mine.md": "Mine.",
            ".xcsh/prompts/both.md": "Prompt.",
            ".xcsh/commands/both.md": "Command.",
        },
        reference=reference,
    )
    assert expand(registry, "/greet 'all of you'").text == "Greet all of you!"
    assert expand(registry, "/mine and more").text == "Mine.\n\nand more"
    assert expand(registry, "/both").text == "Command."
    assert expand_prompt(registry, "/both").text == "Prompt."
    greet = expand(registry, "/greet").command
    assert greet is not None
    assert (greet.kind, greet.description, greet.origin.level) == (Kind.PROMPT, "Greets", "project")
    assert [entry.command.template for entry in registry.prompts.shadowed] == ["User's."]


# C-29
def test_a_skill_is_sent_with_its_arguments(project: Project, *, reference: bool) -> None:
    registry = project(
        {
            ".xcsh/skills/maps/SKILL.md": "---\nname: other\ndescription: Draws $1\n---\nDraw $1 {{args}}.\n",
            "~/.xcsh/agent/skills/mine/SKILL.md": "Mine.\n",
            ".xcsh/skills/none/README.md": "No skill.",
        },
        reference=reference,
    )
    assert expand(registry, "/skill:maps").text == "Draw $1 {{args}}."
    assert expand(registry, "/skill:maps  two  'words' ").text == "Draw $1 {{args}}.\n\ntwo  'words'"
    assert expand(registry, "/skill:mine x").text == "Mine.\n\n\nx"
    assert [expand(registry, f"/{name}").command for name in ("maps", "skill:other", "skill:none", "skill:")] == [
        None
    ] * 4


# C-29, C-30
def test_skills_are_no_commands_where_the_setting_is_off(project: Project, *, reference: bool) -> None:
    registry = project(
        {USER_SETTINGS: "[skills]\nenable_skill_commands = false\n", ".xcsh/skills/a/SKILL.md": "A."},
        reference=reference,
    )
    assert expand(registry, "/skill:a")[:2] == ("/skill:a", None)


# S-21, PRC-04
def test_a_built_in_gives_its_name_up_only_in_the_interactive_mode(project: Project, *, reference: bool) -> None:
    registry = project({"~/.codex/commands/resume.md": "Mine."}, reference=reference)
    assert expand(registry, "/resume").text == expand(registry, "/user:resume").text == "Mine."
    assert expand(registry, "/project:resume").command is None


# The issue says: "the nearest names for an unknown command, from the core"
@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("reveiw", ["review"]),
        ("Review", ["review"]),
        ("test", ["tests", "foo:test", "bar:test"]),
        ("deploy", ["git:deploy-to-production"]),
        ("zzzz", []),
        ("", []),
    ],
)
def test_the_nearest_names_are_suggested_best_first(wanted: str, near: list[str]) -> None:
    names = ["review", "tests", "bar:test", "foo:test", "git:deploy-to-production", "pr"]
    assert nearest_commands(names, wanted) == near
    assert nearest_commands(reversed(names), wanted) == near


# C-24: bounded, whatever a template does with its arguments
def test_a_loop_that_repeats_all_arguments_for_each_is_stopped_before_it_fills_the_memory() -> None:
    words = ["word"] * 20_000
    with pytest.raises(ExpansionTooLongError, match="16,000,000"):
        expand_template("{{#each args}}$@ {{/each}}", words, " ".join(words))
    assert len(expand_template("{{#each args}}{{this}} {{/each}}", words, "")) == 100_000


def test_what_can_be_called_is_what_a_call_of_the_name_finds(project: Project) -> None:
    # C-22, C-29
    tree = {
        ".xcsh/commands/a.md": "A",
        ".xcsh/prompts/a.md": "hidden by the command",
        ".xcsh/prompts/p.md": "P",
        ".xcsh/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nS",
        ".claude/skills/own/SKILL.md": "---\nname: own\ndescription: d\nuser-invocable: false\n---\nO",
    }
    registry = project(tree)
    found = callable_commands(registry)
    assert {"a", "p", "skill:s"} <= found.keys()
    assert not {"s", "own", "skill:own"} & found.keys()
    assert all(expand(registry, f"/{name}").command is command for name, command in found.items())
    project.write({"~/.xcsh/agent/settings.toml": "[skills]\nenable_skill_commands = false\n"})
    assert "skill:s" not in callable_commands(project.discover())
