"""What becomes of a command file: description, hint, tools, source label, and what is said of a broken block."""

from __future__ import annotations

import os

import pytest
from tests.slash.found import command_of, found, one
from tests.support import Project, codes_of, diagnostic_of

from xcsh.errors import FrontmatterError, XcshError
from xcsh.model.command import SlashCommand
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.provider import CommandTable, Provider
from xcsh.model.source import Level, Origin, Root, Source, SourceText
from xcsh.normalize.commands import fatal_reporter, first_line, normalize_command
from xcsh.normalize.document import read_document
from xcsh.parsing.finding import Finding
from xcsh.providers import BUILTIN_PROVIDERS

SIXTY = "A line of exactly sixty characters, counted one by one, yes."
PLUGINS = "~/.claude/plugins/installed_plugins.json"
PATH = f"{os.sep}p{os.sep}c.md"


def normalized(text: str, level: str, report: list[Diagnostic], *, repair: bool = True) -> SlashCommand | None:
    """The command that a text makes at a level, without a file system."""
    finding = Finding(PATH, "odd")
    reporter = fatal_reporter(level, report.append)
    document = read_document(
        SourceText("c", text, Origin("odd", "Odd", level, PATH), (0, 0, "c.md")), reporter, finding, repair=repair
    )
    return normalize_command(document, "command", CommandTable(()), reporter, finding, repair=repair)


# C-10, R-21
@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("---\ndescription: D\n---\n\n  Body $1.  \n\n", "Body $1."),
        ("\n  Body without a block.  \n\n", "\n  Body without a block.  \n\n"),
        ("---\n---\nBody.\n", "Body."),
        ("Body.\r\nNext.\r\n", "Body.\nNext.\n"),
        ("\ufeffBody.", "Body."),
    ],
)
def test_the_template_is_the_body(text: str, template: str, project: Project, *, reference: bool) -> None:
    assert one(text, project, reference=reference)[0].template == template


# C-11
@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("---\ndescription: Say it\n---\nBody.", "Say it"),
        ("---\ndescription: 4100\n---\nBody.", "4100"),
        ("---\ndescription: true\n---\nBody.", "true"),
        ("---\ndescription: ''\n---\n\nBody.\nMore.", "Body."),
        ("---\ndescription:\n---\nBody.", "Body."),
        ("---\ndescription: '   '\n---\nBody.", "Body."),
        ("---\ndescription: null\n---\nBody.", "Body."),
        ("---\ndescription:\n  - a\n---\nBody.", "Body."),
        ("---\ndescription:\n  a: b\n---\nBody.", "Body."),
        ("---\nmodel: m\n---\nBody.", "Body."),
        ("\n \t\n   First line  \nSecond line", "First line"),
        ("# Heading\n\nText.", "# Heading"),
        (SIXTY, SIXTY),
        (SIXTY + "x", SIXTY + "..."),
        ("é" * 61, "é" * 60 + "..."),
    ],
)
def test_the_description_is_the_frontmatters_or_else_the_first_line(
    text: str, description: str, project: Project, *, reference: bool
) -> None:
    assert one(text, project, reference=reference)[0].description == description


# C-11
def test_the_first_line_is_cut_after_sixty_characters() -> None:
    assert len(SIXTY) == 60
    assert first_line("") == ""
    assert first_line(f"\n  {SIXTY}  \n") == SIXTY
    assert first_line(SIXTY + " and more") == SIXTY + "..."


# C-12
def test_a_source_label_names_the_tool_and_the_level(project: Project, *, reference: bool) -> None:
    entries = ", ".join(
        f'"p{index}@m": [{{"scope": "{scope}", "installPath": "{project.home}/p{index}"}}]'
        for index, scope in enumerate(("user", "local"))
    )
    registry = project(
        {
            PLUGINS: f'{{"version": 2, "plugins": {{{entries}}}}}',
            "~/p0/commands/p0.md": "x",
            "~/p1/commands/p1.md": "x",
            ".xcsh/commands/n1.md": "x",
            "~/.xcsh/agent/commands/n2.md": "x",
            ".claude/commands/c1.md": "x",
            "~/.claude/commands/c2.md": "x",
            ".codex/commands/x1.md": "x",
            "~/.codex/commands/x2.md": "x",
        },
        reference=reference,
    )
    labels = {entry.command.name: entry.command.source for entry in registry.commands.active}
    assert {name: labels[name] for name in found(registry)} == {
        "n1": "via xcsh Project",
        "n2": "via xcsh User",
        "c1": "via Claude Code Project",
        "c2": "via Claude Code User",
        "p0": "via Claude Plugins User",
        "p1": "via Claude Plugins Project",
        "x1": "via Codex Project",
        "x2": "via Codex User",
    }
    assert labels["pr"] == "bundled"


# C-13: "`native` is fatal (raised, with path, line and column)"
@pytest.mark.parametrize(
    ("text", "line", "column"), [("---\nx: [unclosed\n---\nGo.\n", 2, 4), ("---\nx: y\n@: {\n---\nGo.\n", 3, 1)]
)
def test_a_broken_block_of_what_the_program_brings_is_raised(
    text: str, line: int, column: int, *, reference: bool
) -> None:
    with pytest.raises(FrontmatterError) as caught:
        normalized(text, Level.NATIVE, [], repair=not reference)
    error = caught.value
    assert isinstance(error, XcshError)
    assert isinstance(error, ValueError)
    assert (error.path, error.line, error.column) == (PATH, line, column)
    assert str(error).startswith(f"{PATH}:{line}:{column}: the frontmatter is not YAML")


# C-13
@pytest.mark.parametrize("text", ["---\ndescription: D\nBody.", "---\n- a\n- b\n---\nBody."])
def test_a_block_that_is_none_is_fatal_too_where_the_program_brings_it(text: str) -> None:
    with pytest.raises(FrontmatterError):
        normalized(text, Level.NATIVE, [])


# C-13: "R-23 runs first"
def test_what_is_repaired_is_not_fatal() -> None:
    report: list[Diagnostic] = []
    text = "---\ndescription: Plan: then act\nargument-hint: [a] [b]\n---\nGo.\n"
    command = normalized(text, Level.NATIVE, report)
    assert command is not None
    assert (command.description, command.argument_hint) == ("Plan: then act", "[a] [b]")
    assert {item.code for item in report} == {"frontmatter-repaired"}
    with pytest.raises(FrontmatterError):
        normalized(text, Level.NATIVE, [], repair=False)


# C-13: "`user` and `project` warn and use the fallback parse"
@pytest.mark.parametrize("folder", [".claude/commands", "~/.claude/commands", ".codex/commands", ".xcsh/commands"])
def test_a_broken_block_of_a_user_or_project_warns_and_the_rest_is_used(
    folder: str, project: Project, *, reference: bool
) -> None:
    registry = project(
        {f"{folder}/c.md": "---\ndescription: still read\nx: [unclosed\n---\nGo.\n"}, reference=reference
    )
    command = command_of(registry, "c")
    assert (command.description, command.template) == ("still read", "Go.")
    finding = diagnostic_of(registry, "invalid-frontmatter" if reference else "frontmatter-repaired", "c.md")
    assert finding.severity == "warning"
    assert finding.position == (3, 4)  # the bracket that is never closed


# C-13
def test_a_broken_native_file_reaches_the_caller_of_discovery(project: Project, *, reference: bool) -> None:
    table = CommandTable((Source(Root.CWD, "own", Level.NATIVE, (".md",)),))
    own = Provider("own", "Own", 10, commands=table, reference=True)
    project.write({"own/bad.md": "---\nx: [unclosed\n---\nGo.\n", "own/good.md": "---\ndescription: D\n---\nGo.\n"})
    with pytest.raises(FrontmatterError) as caught:
        project.discover(reference=reference, providers=(*BUILTIN_PROVIDERS, own))
    assert caught.value.path == str(project.root / "own" / "bad.md")
    project.path("own/bad.md").unlink()
    registry = project.discover(reference=reference, providers=(*BUILTIN_PROVIDERS, own))
    assert command_of(registry, "good").source == "Own"


HINTS = {
    "[mode: fast|slow]": "[mode: fast|slow]",
    "[--dry] [--loud]": "[--dry] [--loud]",
    "[ticket]": "[ticket]",
    "<path>": "<path>",
    "{a: b}": "{a: b}",
    "a # b": "a # b",
    "*": "*",
    "&x": "&x",
    "@file": "@file",
    "!cmd": "!cmd",
    "%s": "%s",
    "`x`": "`x`",
    "| more": "| more",
    "key: value": "key: value",
    "42": "42",
    "1.5": "1.5",
    "true": "true",
    "2024-01-02": "2024-01-02",
    "12:30": "12:30",
    '"quoted [x]"': "quoted [x]",
    "'single'": "single",
}


# FMT-02, FMT-03: "hint text equals the source text after the colon"
@pytest.mark.parametrize("written", HINTS, ids=str)
def test_an_argument_hint_is_the_text_that_its_author_wrote(written: str, project: Project) -> None:
    command, registry = one(f"---\nargument-hint: {written}\n---\nGo.\n", project)
    assert command.argument_hint == HINTS[written]
    for item in registry.diagnostics:
        assert item.position == (2, 16)


# FMT-02: "hint is always a string in the model"
@pytest.mark.parametrize("value", ["[a, b]", "[a: b]", "{a: b}", "\n  - a\n  - b", "\n  a:\n    b: [c]", "1", "1.5", "true", "null", "", "2024-01-02", "!!binary eA==", "&a x", "[[[a]]]", "? a", ".inf"])  # fmt: skip
def test_an_argument_hint_is_text_whatever_its_type(value: str, project: Project, *, reference: bool) -> None:
    command, _ = one(f"---\nargument-hint: {value}\ndescription: D\n---\nGo.\n", project, reference=reference)
    assert command.argument_hint is None or type(command.argument_hint) is str
    assert "'" not in (command.argument_hint or "")
    assert command.template == "Go."


# FMT-03: "lint suggests quoting with the line number"
@pytest.mark.parametrize("hint", ["[ticket]", "[--dry] [--loud]", "[mode: fast|slow]"])
def test_a_hint_in_brackets_gets_the_advice_to_quote_it(hint: str, project: Project) -> None:
    _, registry = one(f"---\ndescription: D\nargument-hint: {hint}\n---\nGo.\n", project)
    finding = diagnostic_of(registry, "frontmatter-repaired", "c.md")
    assert finding.position == (3, 16)
    assert "quotes" in finding.hint


# FMT-11; R-23: a block that holds no known key is kept as body
@pytest.mark.parametrize("block", ["@@@ : [", "\t- x: {", "no: [yaml", "x: *nothing"])
def test_a_command_whose_block_is_no_yaml_is_offered_to_people_only(block: str, project: Project) -> None:
    command, registry = one(f"---\n{block}\n---\nGo on.\n", project)
    assert command.name == "c"
    assert command.template.endswith("Go on.\n")
    assert not command.model_invocable
    assert codes_of(registry, "c.md")


# FMT-19
@pytest.mark.parametrize("key", ["hide-from-model", "disable-for-models", "people-only", "private", "model-forbidden"])
def test_an_unknown_key_that_reads_like_a_restriction_is_an_error(key: str, project: Project) -> None:
    command, registry = one(f"---\ndescription: D\n{key}: true\n---\nGo.\n", project)
    finding = diagnostic_of(registry, "unknown-restriction")
    assert (finding.severity, finding.position) == ("error", (3, 1))
    assert "disable-model-invocation" in finding.hint
    assert command.model_invocable


# FMT-19
def test_an_unknown_key_is_reported_at_its_place(project: Project) -> None:
    _, registry = one("---\ndescription: D\ncolour: red\n---\nGo.\n", project)
    finding = diagnostic_of(registry, "unknown-key")
    assert (finding.severity, finding.position) == ("information", (3, 1))


# FMT-19, C-41
@pytest.mark.parametrize(
    ("value", "invocable"),
    [("true", False), ("yes", False), ("on", False), ('"true"', False), ("1", False), ("perhaps", False),
     ("false", True), ("no", True), ("off", True), ("0", True), ("", True)],
)  # fmt: skip
def test_a_restriction_is_read_by_word_and_an_unclear_one_restricts(
    value: str, project: Project, *, invocable: bool, reference: bool
) -> None:
    command, _ = one(f"---\ndisable-model-invocation: {value}\n---\nGo.\n", project, reference=reference)
    assert command.model_invocable is invocable


# C-41
@pytest.mark.parametrize(
    ("value", "tools"),
    [
        ("Read, Grep", ["Read", "Grep"]),
        ("Read Grep", ["Read", "Grep"]),
        ("Bash(git diff:*), Bash(a, b) Read", ["Bash(git diff:*)", "Bash(a, b)", "Read"]),
        ("[Read, 'Bash(x y)']", ["Read", "Bash(x y)"]),
        ("\n  - Read\n  - Bash(npm run test:*)", ["Read", "Bash(npm run test:*)"]),
        ("'*'", ["*"]),
        ("Bash(never closed, Read", ["Bash(never closed, Read"]),
        ("Read), Grep", ["Read)", "Grep"]),
        ("Bash(a(b, c), d) E", ["Bash(a(b, c), d)", "E"]),
        ("''", []),
        ("", []),
        (",, ,", []),
    ],
)
def test_allowed_tools_are_split_outside_brackets(
    value: str, tools: list[str], project: Project, *, reference: bool
) -> None:
    command, _ = one(f"---\nallowed-tools: {value}\ndescription: D\n---\nGo.\n", project, reference=reference)
    assert list(command.allowed_tools) == tools


#
@pytest.mark.parametrize("key", ["argument_hint", "Argument-Hint", "argumentHint"])
def test_another_spelling_of_a_key_counts(key: str, project: Project) -> None:
    command, registry = one(f"---\n{key}: <x>\n---\nGo.\n", project)
    assert command.argument_hint == "<x>"
    assert codes_of(registry, "c.md") == ["key-spelling"]
    assert one(f"---\n{key}: <x>\n---\nGo.\n", project, reference=True)[0].argument_hint is None


# C-24, C-27
def test_what_is_odd_about_a_template_is_reported_at_its_place_in_the_file(
    project: Project, *, reference: bool
) -> None:
    text = "---\ndescription: D\n---\n\nIt costs $12.50.\n{{#if args}}\nRun `awk '{print $1}'`.\n```sh\necho $2\n```\n"
    _, registry = one(text, project, reference=reference)
    places = {(item.code, item.position, item.end) for item in registry.diagnostics}
    assert places == {
        ("amount-placeholder", (5, 10), (5, 13)),
        ("unclosed-block", (6, 1), (6, 13)),
        ("placeholder-in-code", (7, 18), (7, 20)),
        ("placeholder-in-code", (9, 6), (9, 8)),
    }


def test_a_flood_of_odd_places_is_counted_and_not_listed(project: Project) -> None:
    text = "`$1`\n" * 5_000 + "{{#if args}}\n"
    _, registry = one(text, project)
    codes = codes_of(registry, "c.md")
    assert codes.count("placeholder-in-code") == 21
    assert codes.count("unclosed-block") == 1
    last = max(item for item in registry.diagnostics if item.code == "placeholder-in-code")
    rest = [item for item in registry.diagnostics if "more places" in item.message]
    assert last.position is not None
    assert [(item.position, item.message) for item in rest] == [((21, 2), "and 4980 more places of this kind")]


@pytest.mark.parametrize("name", ["my command", "tab\there", "no\u00a0break"])
def test_a_name_that_cannot_be_typed_is_reported(name: str, project: Project, *, reference: bool) -> None:
    registry = project({f".claude/commands/{name}.md": "Go."}, reference=reference)
    assert found(registry) == [name]
    assert "unreachable-command" in codes_of(registry)
