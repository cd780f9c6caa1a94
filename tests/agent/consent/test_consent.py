"""Patterns, decisions and suggestions; what of them stands in settings and flags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import PROJECT_SETTINGS, USER_SETTINGS, Project, diagnostic_of

from xcsh.agent.consent.patterns import Request, allows, parse_pattern
from xcsh.agent.consent.permissions import ALLOW, ASK, REFUSE, Decision, Permissions, Policy
from xcsh.agent.consent.run_by_themselves import RUN_BY_THEMSELVES
from xcsh.agent.consent.settings import grants, permissions_of, refused, told_to_the_model, told_to_the_user
from xcsh.agent.consent.steering_files import from_its_name_on, steering_parts, working_base
from xcsh.agent.consent.suggestions import suggested_patterns
from xcsh.errors import UsageError
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.provider import Provider, RuleTable
from xcsh.model.source import Level, Root, Source
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust

ASKING = Policy(asks=True, edits=True)


@pytest.mark.parametrize(
    ("pattern", "tool", "path", "expected"),
    [
        ("write_file(src/**)", "write_file", "src/a/b.ts", True),
        ("write_file(src/**)", "edit_file", "src/a/b.ts", True),
        ("edit_file(src/**)", "write_file", "src/a/b.ts", False),
        ("write_file(src/**)", "write_file", "srcs/a.ts", False),
        ("edit_file(*.md)", "edit_file", "docs/a.md", True),
        ("edit_file(docs/*.md)", "edit_file", "docs/x/a.md", False),
        ("edit_file(src/[id].ts)", "edit_file", "src/[id].ts", True),
        ("edit_file", "edit_file", "anything", True),
        ("edit_file(**)", "edit_file", ".xcsh/rules/a.md", False),
        ("edit_file(.xcsh/**)", "edit_file", ".xcsh/rules/a.md", True),
        ("edit_file(.xcsh/**)", "edit_file", ".xcsh/AGENTS.md", False),
        ("edit_file(.xcsh/AGENTS.md)", "edit_file", ".xcsh/AGENTS.md", True),
        ("edit_file", "edit_file", "AGENTS.md", False),
        ("edit_file(AGENTS.md)", "edit_file", "AGENTS.md", True),
    ],
)
def test_a_pattern_of_a_file_tool_is_a_glob_on_the_path_in_the_folder(
    pattern: str,
    tool: str,
    path: str,
    expected: bool,  # noqa: FBT001 - a row
) -> None:
    # S-12
    assert allows(parse_pattern(pattern), Request(tool, path)) is expected
    assert not allows(parse_pattern(pattern), Request(tool, path, outside=True))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no pattern"),
        ("git status", "is no pattern"),
        ("shell(ls", "is no pattern"),
        ("shell()", "nothing between its parentheses"),
        ("shell(:*)", "not one plain command"),
        ("shell(git status; ls)", "not one plain command"),
        ("shell(A=b git status:*)", "not one plain command"),
        ("shell(g* status)", "not one plain command"),
        ("shell(echo $HOME)", "not one plain command"),
        ("shell(git status *)", "ends in a `*`"),
        ("shell(git status*)", "ends in a `*`"),
        ("shell(git status*:*)", "ends in a `*`"),
        ("shell(sudo:*)", "would allow any command, since sudo runs what follows"),
        ("shell(bash -c:*)", "would allow any command"),
        ("shell(/usr/bin/env:*)", "would allow any command"),
        ("shell(find . -exec:*)", "would allow any command"),
        ("write_file(/etc/**)", "does not name files below the working folder"),
        ("write_file(../x)", "does not name files below"),
        ("write_file(!src/**)", "does not name files below"),
        ("write_file({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b})", "too many alternatives"),
    ],
)
def test_a_text_that_would_never_match_or_would_match_too_much_is_no_pattern(text: str, says: str) -> None:
    # S-12, U-5
    with pytest.raises(UsageError, match=says) as caught:
        parse_pattern(text)
    assert caught.value.hint


def test_a_star_after_a_word_is_no_prefix_and_a_glob_of_files_stays_one_command() -> None:
    # S-12, U-5
    with pytest.raises(UsageError) as caught:
        parse_pattern("shell(git status*)")
    assert caught.value.hint == "did you mean 'shell(git status:*)'?"
    assert allows(parse_pattern("shell(ls src/*)"), Request("shell", "ls src/*"))


def test_an_exact_pattern_of_a_wrapper_is_exact() -> None:
    # S-12
    pattern = parse_pattern("shell(sh -c 'make test')")
    assert allows(pattern, Request("shell", "sh -c 'make test'"))
    assert not allows(pattern, Request("shell", "sh -c 'make test' x"))


def test_decisions_say_which_pattern_from_where() -> None:
    # S-12
    permissions = Permissions(
        [parse_pattern("shell(git status:*)")], [parse_pattern("shell(ls)")], ASKING,
        deny=[parse_pattern("shell(git push:*)")], given_by="--allow",
    )  # fmt: skip
    permissions.grant(parse_pattern("shell(make:*)"))
    permissions.grant_request(Request("shell", "a | b"))
    decided = {command: permissions.decide(Request("shell", command)) for command in (
        "git status -s", "ls", "make all", "a | b", "git push", "cd x; git push -f", "rm x"
    )}  # fmt: skip
    assert {command: (verdict, reason) for command, (verdict, reason, _) in decided.items()} == {
        "git status -s": (ALLOW, "`shell(git status:*)` of your settings"),
        "ls": (ALLOW, "`shell(ls)` of --allow"),
        "make all": (ALLOW, "`shell(make:*)` of this session"),
        "a | b": (ALLOW, "the same was allowed for this session"),
        "git push": (REFUSE, "`shell(git push:*)` is among consent.deny of your settings"),
        "cd x; git push -f": (REFUSE, "`shell(git push:*)` is among consent.deny of your settings"),
        "rm x": (ASK, "it runs a command, which may do anything that you may do"),
    }
    assert permissions.decide(Request("edit_file", "a.ts")).reason == "it changes a file inside the working folder"
    assert permissions.decide(Request("edit_file", "/etc/x", outside=True)) == (
        ASK, "it changes a file outside the working folder", False
    )  # fmt: skip
    assert Permissions().decide(Request("edit_file", "a.ts")).verdict == REFUSE


def test_deny_goes_before_everything() -> None:
    # S-12
    permissions = Permissions(
        [parse_pattern("shell"), parse_pattern("write_file")],
        deny=[parse_pattern("shell"), parse_pattern("edit_file(a)")],
    )
    assert permissions.decide(Request("shell", "ls")).denied
    assert permissions.decide(Request("write_file", "a")).denied
    assert not permissions.decide(Request("write_file", "b")).denied


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git status --short", ("shell(git status --short)", "shell(git status:*)")),
        ("npm run build -- x", ("shell(npm run build -- x)", "shell(npm run build:*)")),
        ("python -m pytest -q", ("shell(python -m pytest -q)", "shell(python -m pytest:*)")),
        ("pytest -q", ("shell(pytest -q)", "shell(pytest:*)")),
        ("python x.py", ("shell(python x.py)",)),
        ("rm -rf x", ("shell(rm -rf x)",)),
        ("rm x", ("shell(rm x)",)),
        ("bash run.sh", ("shell(bash run.sh)",)),
        ("npm run", ("shell(npm run)",)),
        ("ls *", ("shell(ls:*)",)),
        ("ls; ls", ()),
        ("git push origin :*", ("shell(git push:*)",)),
    ],
)
def test_what_always_suggests_begins_with_the_narrowest_and_never_with_any_argument_of_a_risky_program(
    command: str, expected: tuple[str, ...]
) -> None:
    # S-12
    assert suggested_patterns(Request("shell", command)) == expected


@given(st.text(alphabet="git stau-x'\"\\*:()[]{}!;|$./,é", max_size=20), st.sampled_from(["shell", "write_file"]))
def test_every_suggestion_would_have_allowed_the_request(argument: str, tool: str) -> None:
    """Suggested patterns are "those that 'always' would persist"."""
    request = Request(tool, argument)
    for text in suggested_patterns(request):
        assert allows(parse_pattern(text), request)


def test_the_suggestions_for_a_file_are_itself_and_its_folder() -> None:
    # S-12
    assert suggested_patterns(Request("edit_file", "src/x/a.ts")) == ("edit_file(src/x/a.ts)", "edit_file(src/x/**)")
    assert suggested_patterns(Request("edit_file", "a.ts")) == ("edit_file(a.ts)",)
    assert suggested_patterns(Request("edit_file", "/etc/x", outside=True)) == ()


@pytest.mark.parametrize(
    "path",
    [".git/config", "sub/.git/hooks/x", ".GIT/config", ".g\u200bit/config", ".xcsh", ".claude/x", ".cursor/rules/a.mdc",
     ".mcp.json", "a/AGENTS.md", "claude.md", ".cursorrules", ".windsurf/rules/x", ".clinerules/x", ".vscode/tasks.json",
     ".bashrc", ".ZSHRC", "dotfiles/.profile", ".ssh/authorized_keys", ".gitconfig", ".npmrc", "web/.npmrc", ".envrc",
     ".config/systemd/user/x.service", ".config/fish/config.fish", ".local/bin/ls", "Library/LaunchAgents/x.plist",
     ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".githooks/pre-commit", ".pre-commit-config.yaml",
     ".docker/config.json", ".vimrc", "sitecustomize.py", "mise.local.toml", ".mise.local.toml", "mise/config.toml",
     "mise/config.local.toml", "lefthook.toml", ".lefthook.json", "lefthook-local.yml", "a/My.Code-Workspace",
     ".config/hypr/hyprland.conf", ".config/sway/config", ".config/i3/config", ".local/share/applications/x.desktop",
     ".local/share/systemd/user/x.service", "h/.local/share/dbus-1/services/x.service", ".config/opencode/command/x.md", "Documents/Cline/Rules/x.md"],
)  # fmt: skip
def test_files_that_steer_the_tools_are_known_at_any_depth_and_in_any_case(path: str) -> None:
    # S-12
    assert steering_parts(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/a.ts",
        "git/x",
        "agents.md.txt",
        "docs/my.git.md",
        ".github/workflows/x.yml",
        "",
        "Makefile",
        "package.json",
        "bin/x",
        ".docker/Dockerfile",
        ".config/x.toml",
        "Documents/x.md",
        "docs/bashrc",
        "config/systemd/x",
        ".env",
        *(".local/share/x/data.json", "share/systemd/x", "lefthook.md", "mise.md", "code-workspace/x", "config/sway/x"),
    ],
)
def test_other_files_do_not_steer(path: str) -> None:
    # S-12
    assert not steering_parts(path)


def test_every_name_of_what_runs_by_itself_is_known_with_its_reason() -> None:
    # S-12
    for each in RUN_BY_THEMSELVES:
        for name in each.names:
            why = Permissions(policy=Policy(asks=True, edits=True)).decide(Request("edit_file", f"a/{name}/x"))
            assert why == Decision("ask", f"it changes what steers the tools: {name} ({each.why})")


def test_files_of_installed_tools_steer_as_those_of_the_others_do(project: Project) -> None:
    # S-12
    sources = (Source(Root.CWD, ".notes/rules", "project", (".note",)), Source(Root.CWD, "docs/rules/x", "project"))
    notes = Provider("notes", "Notes", 20, rules=RuleTable(sources, None), installed="xcsh-notes")
    registry = project.discover()._replace(installed=(notes,))
    permissions = permissions_of(registry, ["write_file"], asks=True)
    for path, verdict in ((".Notes/rules/a.note", "ask"), ("docs/rules/x/a.md", "ask"), ("docs/a.md", "allow")):
        request = Request("edit_file", path, steering=permissions.steering)
        assert permissions.decide(request).verdict == verdict
        named = parse_pattern(f"edit_file({path})")
        assert allows(named, request)
        assert allows(parse_pattern("edit_file(**)"), request) is (verdict == "allow")


@pytest.mark.parametrize(
    ("folder", "base"),
    [
        ("/h/p", "/h/p"), ("/h/.ssh/x", "/h"), ("/h/.config/systemd/user", "/h"), ("/.git", "/"), ("/h/.xcsh/agent", "/h"),
        ("/h/.config/nushell", "/h"), ("/h/.config/zsh/x", "/h"), ("/h/Library/LaunchAgents", "/h"),
        ("/h/.local/share/systemd/user", "/h"), ("/h/.local/share/chezmoi", "/h/.local/share/chezmoi"),
        ("/h/.config", "/h/.config"), ("/h/.config/other", "/h/.config/other"), ("/h/Documents", "/h/Documents"),
        ("/h/p/.claude/worktrees/w", "/h/p/.claude/worktrees/w"), ("/", "/"),
    ],
)  # fmt: skip
def test_a_folder_that_steers_is_no_folder_to_take_paths_from(folder: str, base: str) -> None:
    # S-12
    assert working_base(folder) == base


@pytest.mark.parametrize(
    ("folder", "path", "named"),
    [
        ("/h/.config", "fish/x", ".config/fish/x"), ("/h/.config", "other/x", "other/x"), ("/h/.config", ".", "."),
        ("/h/Library", "LaunchAgents/x.plist", "Library/LaunchAgents/x.plist"), ("/h/Library", "x.plist", "x.plist"),
        ("/h/documents", "PowerShell/x.ps1", "documents/PowerShell/x.ps1"), ("/h/Documents", "x.md", "x.md"),
        ("/h/Documents", "Cline/Rules/x.md", "Documents/Cline/Rules/x.md"), ("/Library", "LaunchDaemons", "Library/LaunchDaemons"),
        ("/h/.local/share", "systemd/user/x", ".local/share/systemd/user/x"),
        ("/h/.local", "share/systemd/x", ".local/share/systemd/x"), ("/h/.local", "bin/x", ".local/bin/x"),
        ("/h/mise", "config.toml", "mise/config.toml"), ("/", "x", "x"), ("/h/p", "src/a.ts", "src/a.ts"),
    ],
)  # fmt: skip
def test_a_file_that_steers_only_together_with_the_working_folder_is_named_with_it(
    folder: str, path: str, named: str
) -> None:
    # S-12: in `~/Library` nothing of `LaunchAgents` is an ordinary change
    assert from_its_name_on(folder, path) == named
    assert bool(steering_parts(named)) == (named != path)


def test_a_pattern_names_what_steers_by_its_ending_with_the_ending_or_the_whole_name() -> None:
    # S-12
    request = Request("edit_file", "a/x.code-workspace")
    for pattern in ("edit_file(*.code-workspace)", "edit_file(a/x.code-workspace)"):
        assert allows(parse_pattern(pattern), request)
    for pattern in ("edit_file(a/**)", "edit_file(x.*)", "edit_file"):
        assert not allows(parse_pattern(pattern), request)


def test_no_project_may_consent_not_even_a_trusted_one(project: Project) -> None:
    # S-12
    project.write(
        {
            PROJECT_SETTINGS: 'consent.allow = ["shell"]\nconsent.edits = "ask"\nsandbox = "bubblewrap"\n'
            'consent.deny = ["shell(rm:*)"]\n'
        }
    )
    environment = make_environment(str(project.root), str(project.home))
    trust(environment)
    registry = project.discover()
    findings = [item for item in registry.diagnostics if item.code == "setting-not-allowed"]
    assert [(item.position.line if item.position else 0, item.message) for item in findings] == [
        (1, "no project, trusted or not, can set `consent.allow`; it is ignored"),
        (2, "no project, trusted or not, can set `consent.edits`; it is ignored"),
        (3, "no project, trusted or not, can set `sandbox`; it is ignored"),
    ]
    for level in (Level.USER, Level.PROJECT):
        assert registry.settings.texts("consent.allow", level) == ()
        assert registry.settings.get("sandbox", level) == "none"
    assert registry.settings.texts("consent.deny") == ("shell(rm:*)",)


def test_an_untrusted_project_may_not_even_deny(project: Project) -> None:
    # S-12
    registry = project({PROJECT_SETTINGS: 'consent.deny = ["shell"]\n'})
    assert diagnostic_of(registry, "setting-not-allowed").message == (
        "a project cannot set `consent.deny`; it is ignored until the folder is trusted: xcsh trust"
    )
    assert not permissions_of(registry, grants(["shell"])).decide(Request("shell", "ls")).denied


def test_an_entry_of_the_settings_that_is_no_pattern_allows_nothing_and_is_reported(project: Project) -> None:
    # S-12, U-5
    registry = project({USER_SETTINGS: 'consent.allow = ["shell(ls; rm x)", "shell(ls)"]\n'})
    found: list[Diagnostic] = []
    permissions = permissions_of(registry, report=found.append)
    assert [pattern.text for pattern in permissions.patterns] == ["shell(ls)"]
    (finding,) = found
    assert finding.code == "invalid-consent-pattern"
    assert finding.path == str(project.path(USER_SETTINGS))
    assert finding.message == "consent.allow: 'shell(ls; rm x)' is not one plain command, so it would never match"


def test_an_entry_of_deny_that_is_no_pattern_stops_everything(project: Project) -> None:
    # S-12: a failure to read never widens
    registry = project({USER_SETTINGS: 'consent.deny = ["shell(rm; x)"]\n'})
    with pytest.raises(UsageError, match=r"consent\.deny: 'shell\(rm; x\)' is not one plain command"):
        permissions_of(registry)


def test_allow_takes_words_and_patterns_whose_commas_are_their_own() -> None:
    # S-12
    values = ["write, shell(git log --format=a,b:*)", "shell(npm test),edit", "mcp_tool", "publish(x)"]
    assert grants(values) == {
        "write_file", "shell(git log --format=a,b:*)", "shell(npm test)", "edit_file", "mcp_tool", "publish(x)"
    }  # fmt: skip
    with pytest.raises(UsageError, match="--allow: 'git status' is no pattern"):
        grants(["git status"])


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        *(("edits", "edit"), ("Edit", "edit"), ("str_replace", "edit"), ("wirte", "write"), ("write_fiel", "write")),
        *(("bash", "shell"), ("shel", "shell"), ("run_command", "shell"), ("edit(src/**)", "'edit_file(src/**)'")),
        *(("Bash(git status:*)", "'shell(git status:*)'"), ("shel(git status:*)", "'shell(git status:*)'")),
    ],
)
def test_what_other_agents_call_a_tool_and_near_names_are_refused_with_the_word_that_was_meant(
    value: str, meant: str
) -> None:
    # S-12, U-5: it would allow nothing, and say so nowhere
    with pytest.raises(UsageError) as caught:
        grants([value])
    assert caught.value.hint == f"did you mean --allow {meant}?"


@pytest.mark.parametrize("value", ["mcp__edit", "mcp__x__shell", "deploy_all", "publish(x)"])
def test_a_tool_of_somebody_else_may_be_allowed_by_its_name(value: str) -> None:
    # S-12
    assert grants([value]) == {value}


def test_what_is_allowed_in_part_is_said_to_the_user_and_to_the_model(project: Project) -> None:
    # S-12
    registry = project({USER_SETTINGS: 'consent.allow = ["shell(ls)", "shell(a)", "shell(b)", "shell(c)"]\n'})
    permissions = permissions_of(registry, grants(["edit"]))
    assert refused(permissions) == ("write_file",)
    assert told_to_the_user(permissions) == (
        "the model may not use write_file; to let it: --allow write; "
        "allowed is only shell(ls), shell(a), shell(b) and 1 more"
    )
    assert "of the tools named: shell(ls), shell(a), shell(b), shell(c)." in told_to_the_model(permissions)
    assert told_to_the_user(permissions_of(registry, asks=True)) == ""
    assert told_to_the_model(permissions_of(registry, asks=True)) == ""


@pytest.mark.parametrize(
    "settings",
    [
        'consent.deny = ["shell(rm:*)"]\nmodel = "x\n',
        'consent.deny = "shell(rm:*)"\n',
        'consent.denny = ["shell(rm:*)"]\n',
        'sandbox = "bubblwrap"\n',
        "sandbox = true\n",
        'sandbx = "bubblewrap"\n',
        'consent.edits = "asks"\n',
    ],
)
def test_settings_that_should_guard_and_cannot_be_read_stop_everything(project: Project, settings: str) -> None:
    # S-12: nothing that was to be refused is allowed by a slip
    registry = project({USER_SETTINGS: settings})
    with pytest.raises(UsageError) as problem:
        permissions_of(registry, {"shell"})
    assert f"{project.path(USER_SETTINGS)}:" in str(problem.value)
    assert "mend it first" in problem.value.hint


def test_other_faults_in_settings_stop_nothing(project: Project) -> None:
    # S-12, R-33
    permissions_of(project({USER_SETTINGS: 'modell = "x"\nttsr.enabled = "yes"\n'}))
