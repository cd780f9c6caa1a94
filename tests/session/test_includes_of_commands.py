"""Files and commands that a command's text includes (C-42): real shells, real files, real HTTP."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.session.sessions import Conversation, conversation, says
from tests.session.test_command_grants import Asked
from tests.support import USER_SETTINGS, Project, Tree

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.request import Always, Answer, No, Once, Session
from xcsh.agent.consent.settings import permissions_of
from xcsh.api import Registry, discover
from xcsh.session.events import CommandHandled, DiagnosticsFound, Notice
from xcsh.sources.trust.held_texts import accept_texts, held_texts

TOOL = {USER_SETTINGS: '[commands]\narguments = "tool"\n'}


def trusted(project: Project, tree: Tree) -> Tree:
    """The tree, written, and every text in it accepted as by `xcsh trust`."""
    project.write(tree)
    registry = discover(project.root, home=project.home)
    accept_texts(registry.environment, held_texts(registry))
    return tree


def nobody(registry: Registry) -> Consent:
    return Consent(permissions_of(registry))


def allowing(pattern: str) -> Callable[[Registry], Consent]:
    return lambda found: Consent(permissions_of(found, [pattern]))


def notices(talk: Conversation) -> list[str]:
    return [event.text for event in talk.of(Notice)]


def finding(talk: Conversation) -> str:
    (event,) = talk.of(DiagnosticsFound)
    (diagnostic,) = event.diagnostics
    return f"{diagnostic.message}; {diagnostic.hint}"


# C-42, SEC-03
async def test_a_command_runs_what_it_includes_after_it_was_shown_and_consented_to(project: Project) -> None:
    asked = Asked(Once())
    tree = trusted(project, {".claude/commands/a.md": "Here: !`echo one; echo two >&2; exit 3`\nEnd."})
    async with conversation(project, says("done"), tree=tree, consent=asked.consent) as talk:
        await talk.session.prompt("/a")
        assert talk.sent(0) == ["Here: one\ntwo\n[exit code 3]\nEnd."]
    (question,) = asked.questions
    assert question.command == "echo one; echo two >&2; exit 3"
    assert question.origin == str(project.root / ".claude/commands/a.md")
    assert question.patterns[0].startswith("include(a ")
    assert notices(talk) == ["/a ran `echo one; echo two >&2; exit 3`: exit code 3, about 5 tokens"]


# C-42, SEC-01
@pytest.mark.parametrize(
    "argument", ["don't", "$(touch pwned)", "`touch pwned`", "a;touch pwned", '"; touch pwned #', "*", "a\nb"]
)
@pytest.mark.parametrize(
    ("path", "template"),
    [
        (".claude/commands/a.md", "!`printf '<%s>' $ARGUMENTS`"),
        (".claude/commands/a.md", "!`printf '<%s>' \"$ARGUMENTS\"`"),
        (".claude/commands/a.md", "!`printf '<%s>' '$ARGUMENTS'`"),
        (".claude/commands/a.md", '!`printf "<%s>" "$(printf %s "$ARGUMENTS")"`'),
        (".gemini/commands/a.toml", 'prompt = """!{printf "<%s>" {{args}}}"""'),
        (".opencode/command/a.md", "!`printf '<%s>' $ARGUMENTS`"),
    ],
)
async def test_an_argument_is_data_for_the_shell_whatever_it_is_and_wherever_it_stands(
    path: str, template: str, argument: str, project: Project
) -> None:
    tree = trusted(project, {**TOOL, path: template})
    async with conversation(project, says("done"), tree=tree, consent=Asked(Once()).consent) as talk:
        await talk.session.prompt(f"/a {argument}")
        assert talk.sent(0) == [f"<{argument}>"]
    assert not list(project.root.glob("pwned"))


# C-42: consent is to the text of the command, and goes with it
async def test_consent_for_good_holds_until_the_text_changes(project: Project) -> None:
    path = ".claude/commands/a.md"
    tree = trusted(project, {path: "!`echo $1`"})
    asked = Asked(Always(""))
    async with conversation(project, says("1"), tree=tree, consent=asked.consent) as talk:
        await talk.session.prompt("/a x")
    pattern = asked.questions[0].patterns[0]
    for text, accepted, told in (
        ("!`echo $1`", True, ""),
        ("!`echo $1; true`", False, "xcsh trust"),
        ("", True, "--allow"),
    ):
        if text:
            project.write({path: text})
        if accepted:
            trusted(project, {})
        async with conversation(project, says("2"), consent=allowing(pattern)) as talk:
            await talk.session.prompt("/a y")
            assert (told in finding(talk)) if told else talk.sent(0) == ["y"]
            assert len(talk.server.exchanges) == (0 if told else 1)


# C-42, U-5: by the words of the front end that it is typed in, too
async def test_a_text_that_is_not_trusted_runs_nothing_and_says_how_it_is_trusted(project: Project) -> None:
    async with conversation(project, tree={".claude/commands/a.md": "!`touch made`"}, consent=nobody) as talk:
        await talk.session.prompt("/a")
        assert finding(talk) == (
            "/a runs commands, and its text has not been trusted; "
            "look at what it includes, and trust it: xcsh trust, or /trust in the terminal"
        )
    assert not (project.root / "made").exists()


# C-42, SEC-03
async def test_where_nobody_can_be_asked_nothing_runs_and_the_sentence_says_what_to_do(project: Project) -> None:
    tree = trusted(project, {".gemini/commands/a.toml": 'prompt = "!{touch made}"'})
    async with conversation(project, tree=tree, consent=nobody) as talk:
        result = await talk.session.prompt("/a")
        assert result.outcome == "handled"
        assert "to allow it: --allow 'include(a " in finding(talk)
        assert talk.of(CommandHandled)
    assert not (project.root / "made").exists()


# C-42
async def test_an_answer_of_no_sends_and_runs_nothing(project: Project) -> None:
    tree = trusted(project, {".claude/commands/a.md": "!`touch made`"})
    async with conversation(project, tree=tree, consent=Asked(No()).consent) as talk:
        await talk.session.prompt("/a")
        assert "may not run" in finding(talk)
    assert not (project.root / "made").exists()


# C-42: a pattern for the line itself is enough, and one that denies it goes before all
@pytest.mark.parametrize(("allow", "deny", "runs"), [("shell(echo:*)", "", "runs"), ("shell", "shell(echo:*)", "")])
async def test_patterns_of_the_shell_count_for_included_commands(
    allow: str, deny: str, runs: str, project: Project
) -> None:
    settings = f'[consent]\ndeny = ["{deny}"]\n' if deny else ""
    tree = trusted(project, {USER_SETTINGS: settings, ".claude/commands/a.md": "!`echo hello`"})
    async with conversation(project, says("done"), tree=tree, consent=allowing(allow)) as talk:
        await talk.session.prompt("/a")
        assert talk.sent(0) == ["hello"] if runs else "consent.deny" in finding(talk)


# C-42
async def test_a_command_of_the_user_needs_no_trust_but_consent(project: Project) -> None:
    asked = Asked(Once())
    tree = {
        "~/.claude/commands/a.md": "!`echo $1 $2`",
        "~/.claude/commands/b.md": "---\nallowed-tools: Bash(echo:*)\n---\n!`echo b`",
    }
    async with conversation(project, says("1"), says("2"), tree=tree, consent=asked.consent) as talk:
        await talk.session.prompt("/a x 'y z'")
        await talk.session.prompt("/b")
        assert talk.sent(1)[-1] == "b"
    (question,) = asked.questions
    assert question.command == 'echo "${argument_1}" "${argument_2}"'
    assert question.notes[:2] == ("argument_1 is the argument x", "argument_2 is the argument 'y z'")
    assert talk.sent(0) == ["x y z"]


# C-42, EXP-12
async def test_files_are_included_from_the_project_only_bounded_and_counted(project: Project) -> None:
    project.write({"~/secret.txt": "secret", "docs/plan.md": "The plan.", "notes.md": "N", "big.txt": "x" * 300_000})
    project.write({"data.bin": b"a\0b", "sub/one.txt": "1", "sub/two.txt": "2"})
    project.link("out.md", project.path("~/secret.txt"))
    text = (
        "Read @docs/plan.md: then (@notes.md), @missing.md, @out.md, @big.txt, @data.bin. Ask @alice, `@docs/plan.md`."
    )
    tree = trusted(project, {".claude/commands/a.md": text, ".claude/commands/b.md": "List @sub @$1"})
    async with conversation(project, says("1"), says("2"), tree=tree, consent=nobody) as talk:
        await talk.session.prompt("/a")
        await talk.session.prompt("/b docs/plan.md")
        plan = '\n\n<file path="docs/plan.md">\nThe plan.\n</file>'
        assert talk.sent(0) == [f'{text}{plan}\n\n<file path="notes.md">\nN\n</file>']
        assert talk.sent(1)[-1] == f'List @sub @docs/plan.md\n\n<file path="sub">\none.txt\ntwo.txt\n</file>{plan}'
    told = "\n".join(notices(talk))
    assert "/a includes docs/plan.md, about 2 tokens" in told
    assert "there is no missing.md" in told
    assert "out.md is not included: it lies outside of the project" in told
    assert "big.txt is not included: 300,000 bytes" in told
    assert "data.bin is not included" in told
    assert "alice" not in told


# C-42
async def test_without_trust_a_file_stays_a_name_and_the_text_is_sent(project: Project) -> None:
    tree = {"plan.md": "The plan.", ".gemini/commands/a.toml": 'prompt = "Use @{plan.md} {{args}}"'}
    async with conversation(project, says("1"), tree=tree, consent=nobody) as talk:
        await talk.session.prompt("/a now")
        assert talk.sent(0) == ["Use @{plan.md} now"]
    assert "xcsh trust" in notices(talk)[0]
    trusted(project, {})
    async with conversation(project, says("1"), consent=nobody) as talk:
        await talk.session.prompt("/a now")
        assert talk.sent(0) == ["Use The plan. now"]


# C-42: what a program says is put in once, as it is: it is no template
async def test_nothing_that_is_put_in_is_looked_at_again(project: Project) -> None:
    project.write({"say.txt": "$1 {{args}} !{touch made} @{say.txt} \\$1"})
    tree = trusted(project, {".gemini/commands/a.toml": 'prompt = "!{cat say.txt} {{args}} @{say.txt}"'})
    async with conversation(project, says("1"), tree=tree, consent=Asked(Once()).consent) as talk:
        await talk.session.prompt("/a !{touch made}\0000\0")
        said = "$1 {{args}} !{touch made} @{say.txt} \\$1"
        assert talk.sent(0) == [f"{said} !{{touch made}}0 {said}"]
    assert not (project.root / "made").exists()


# C-42
async def test_output_and_time_of_a_command_are_bounded(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xcsh.session.including.SECONDS", 0.3)
    tree = trusted(
        project,
        {
            ".claude/commands/a.md": "!`head -c 70000 /dev/zero | tr '\\\\0' x`",
            ".claude/commands/b.md": "!`sleep 60 & sleep 60`",
        },
    )
    async with conversation(project, says("1"), tree=tree, consent=Asked(Once(), Once()).consent) as talk:
        await talk.session.prompt("/a")
        (sent,) = talk.sent(0)
        assert sent.endswith("\n[cut: 10,000 more characters]")
        await talk.session.prompt("/b")
        assert "did not end within 0.3 seconds" in finding(talk)


# C-42: a program gets the path, the home and the locale, and none of the user's secrets
async def test_an_included_command_sees_no_other_variable(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hidden")
    tree = trusted(project, {".claude/commands/a.md": '!`echo "[$SECRET_KEY]"; pwd`'})
    async with conversation(project, says("1"), tree=tree, consent=Asked(Once()).consent) as talk:
        await talk.session.prompt("/a")
        assert talk.sent(0)[0].startswith("[]\n/")


# C-42
async def test_the_reference_and_the_setting_leave_includes_as_text(project: Project) -> None:
    tree = trusted(project, {".claude/commands/a.md": "!`touch made` @a.md"})
    async with conversation(project, says("1"), tree=tree, consent=nobody, reference=True) as talk:
        await talk.session.prompt("/a")
        assert talk.sent(0) == ["!`touch made` @a.md"]
    assert not (project.root / "made").exists()


# C-42, formats.md: a skill's own scripts
async def test_a_shell_line_finds_the_folder_of_its_skill(project: Project) -> None:
    project.write({".claude/skills/a/say.sh": "echo said $1"})
    text = '!`sh "${CLAUDE_SKILL_DIR}/say.sh" $0`'
    tree = {".claude/skills/a/SKILL.md": text, ".claude/commands/c.md": '!`echo "$CLAUDE_PROJECT_DIR"`'}
    trusted(project, tree)
    async with conversation(project, says("1"), says("2"), consent=Asked(Once(), Once()).consent) as talk:
        await talk.session.prompt("/a it")
        await talk.session.prompt("/c")
        assert talk.sent(1)[-1] == str(project.root)
        assert talk.sent(0) == ["said it"]


# C-42, SEC-01: what the hint of the finding advises is data, and may be consented to for good
@pytest.mark.parametrize("argument", ["don't", "$(touch pwned)", '"; touch pwned #'])
async def test_an_argument_behind_the_code_is_data(argument: str, project: Project) -> None:
    asked = Asked(Once())
    tree = trusted(project, {**TOOL, ".claude/commands/a.md": '!`sh -c \'printf %s "${1}"\' sh "$ARGUMENTS"`'})
    async with conversation(project, says("done"), tree=tree, consent=asked.consent) as talk:
        await talk.session.prompt(f"/a {argument}")
        assert talk.sent(0) == [argument]
    assert not asked.questions[0].once
    assert not (project.root / "pwned").exists()


# C-42: an argument that is code is consented to for its call, whatever the answer and whatever this call includes
@pytest.mark.parametrize("template", ["!`sh -c 'echo $1'`", "!`date`{{#if args}} !`sh -c 'echo $1'`{{/if}}"])
@pytest.mark.parametrize("answer", [Session("include"), Session(), Always("include")])
async def test_consent_to_an_argument_that_is_code_is_for_one_call(
    template: str, answer: Answer, project: Project
) -> None:
    asked = Asked(answer, No())
    tree = trusted(project, {".claude/commands/a.md": template})
    async with conversation(project, says("1"), tree=tree, consent=asked.consent) as talk:
        await talk.session.prompt("/a")
        await talk.session.prompt("/a '$(touch pwned)'")
        assert "may not run" in finding(talk)
    assert asked.kept == []
    assert [question.once for question in asked.questions] == [True, True]
    assert "an argument goes to `sh -c`, as code: who words the next call decides what runs then" in (
        asked.questions[0].notes
    )
    assert not (project.root / "pwned").exists()


# C-42: it is code; without anybody to ask, the pattern that would do is named for calls that one knows
async def test_an_argument_that_is_code_runs_where_it_is_allowed(project: Project) -> None:
    tree = trusted(project, {".claude/commands/a.md": "!`sh -c 'echo $1'`"})
    async with conversation(project, tree=tree, consent=nobody) as talk:
        await talk.session.prompt("/a '$(touch ran)'")
        said = finding(talk)
    assert "to allow it for a call of which you know the arguments: --allow 'include(a " in said
    pattern = said.rpartition("--allow ")[2].strip("'")
    async with conversation(project, says("1"), consent=allowing(pattern)) as talk:
        await talk.session.prompt("/a '$(touch ran)'")
    assert (project.root / "ran").exists()
