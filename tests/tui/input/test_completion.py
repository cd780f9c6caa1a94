"""What completion offers: commands as the pipeline finds them, arguments, and files of the project."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import Project

from xcsh.extensions.custom import CustomCommand, CustomCommands
from xcsh.extensions.files import CodeFile
from xcsh.extensions.loading import Extensions
from xcsh.extensions.registration import ExtensionCommand
from xcsh.model.command import SlashCommand
from xcsh.session.mcp.prompts import Argument, Prompt, server_in
from xcsh.session.prompt_pipeline import PromptContext, stage_for
from xcsh.slash.expansion import expand
from xcsh.tui.built_ins.aliases import called_by_alias
from xcsh.tui.built_ins.table import BUILT_INS, BuiltIn, Takes, built_in
from xcsh.tui.input.arguments import words_of
from xcsh.tui.input.candidates import Candidate
from xcsh.tui.input.commands import commands_of
from xcsh.tui.input.completion import Sources, complete, folder_to_list
from xcsh.tui.input.fuzzy import score
from xcsh.tui.input.ghost import Ghost, ghost
from xcsh.tui.input.paths import MOST_SHOWN, PathIndex, rank_paths


class Servers:
    """Prompts of servers that run."""

    def __init__(self, *names: str) -> None:
        self.prompts = [Prompt(name, name, "Of a server", (Argument("city", required=True),)) for name in names]

    def names_server(self, name: str) -> bool:
        return server_in(name) in {prompt.name.partition(":")[0] for prompt in self.prompts}

    async def expand(self, name: str, raw: str) -> str:
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing runs."""


def extension(name: str, hint: str | None = None) -> ExtensionCommand:
    return ExtensionCommand(name, lambda *_: None, f"Does {name}", hint, None, "tools", "project", "/x.py", 1)


def custom(name: str) -> CustomCommand:
    return CustomCommand(name, f"Runs {name}", None, CodeFile(name, f"/{name}.py", "project", b""))


def context_of(
    project: Project, *, extensions: tuple[str, ...] = (), customs: tuple[str, ...] = (), servers: tuple[str, ...] = ()
) -> PromptContext:
    return PromptContext(
        project.discover(),
        Extensions(tuple(map(extension, extensions))),
        CustomCommands(tuple(map(custom, customs))),
        lambda _: None,
        servers=Servers(*servers) if servers else None,
    )


def texts(found: object) -> list[str]:
    return [each.text for each in getattr(found, "candidates", found)]


def at_end(text: str, sources: Sources) -> list[str]:
    return texts(complete(text, len(text), sources))


STAGE_OF = {ExtensionCommand: "extension-commands", CustomCommand: "custom-commands", Prompt: "server-prompts"}


def check_agreement(context: PromptContext) -> None:
    """C-31: completion and expansion always agree."""
    offered = commands_of(context)
    assert len({each.text for each in offered}) == len(offered)
    for each in offered:
        called = built_in(each.text) or called_by_alias(each.text, context)
        if isinstance(each.item, BuiltIn):
            assert called is not None
            assert called[0] is each.item
            continue
        assert called is None
        stage = stage_for(each.text, context)
        if isinstance(each.item, SlashCommand):
            assert stage in ("file-commands", "prompt-templates")
            assert expand(context.registry, each.text).command is each.item
            assert each.item.user_invocable
        else:
            assert stage == STAGE_OF[type(each.item)]
            assert each.item.name == each.text[1:]


NAMES = st.sampled_from(["a", "b", "help", "clear", "skill:a", "x:a", "srv:a", "a b"])
PLACES = st.sampled_from(
    [
        ".xcsh/commands/{}.md",
        "~/.xcsh/agent/commands/{}.md",
        ".claude/commands/{}.md",
        ".claude/commands/x/{}.md",
        ".xcsh/prompts/{}.md",
        ".github/prompts/{}.prompt.md",
        ".claude/skills/{}/SKILL.md",
        ".agents/skills/{}/SKILL.md",
    ]
)
HEADS = st.sampled_from(["", "---\nuser-invocable: false\n---\n", "---\nargument-hint: '[x]'\ndescription: D\n---\n"])


@given(
    files=st.lists(st.tuples(PLACES, NAMES, HEADS), max_size=8),
    extensions=st.lists(NAMES, max_size=2, unique=True),
    customs=st.lists(NAMES, max_size=2, unique=True),
    servers=st.lists(st.sampled_from(["srv:a", "x:a", "skill:a"]), max_size=2, unique=True),
)
def test_every_command_that_is_offered_is_the_one_that_the_pipeline_finds(
    files: list[tuple[str, str, str]], extensions: list[str], customs: list[str], servers: list[str]
) -> None:
    # C-30, C-31: "expansion and completion always agree"
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder))
        project.write({place.format(name): f"{head}Text of {place} {name} $1" for place, name, head in files})
        check_agreement(
            context_of(project, extensions=tuple(extensions), customs=tuple(customs), servers=tuple(servers))
        )


def test_all_kinds_of_commands_are_offered_with_what_they_do_and_where_they_are_from(project: Project) -> None:
    # C-30
    project.write(
        {
            ".claude/commands/review.md": "---\ndescription: Reviews a file\nargument-hint: '[path]'\n---\nReview $1.",
            ".claude/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDFs\n---\nRead it.",
        }
    )
    context = context_of(project, extensions=("deploy",), customs=("stats",), servers=("srv:ask",))
    offered = {each.text: each for each in commands_of(context)}
    assert offered["/review"][:4] == ("/review", "Reviews a file", "via Claude Code Project", "[path]")
    assert offered["/deploy"].source == "extension tools"
    assert offered["/stats"].source == "Python Project"
    assert offered["/skill:pdf"].summary == "Reads PDFs"
    assert offered["/srv:ask"].hint == "<city>"
    assert offered["/help"].source == "built-in"


def test_skills_are_offered_only_where_the_setting_says_so(project: Project) -> None:
    # C-30, C-29
    project.write(
        {
            ".claude/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDFs\n---\nRead it.",
            "~/.xcsh/agent/settings.toml": "[skills]\nenable_skill_commands = false",
        }
    )
    assert "/skill:pdf" not in texts(commands_of(context_of(project)))


def test_a_command_that_a_built_in_hides_is_offered_under_its_whole_name(project: Project) -> None:
    # C-30, C-8
    project.write({".xcsh/commands/help.md": "Mine."})
    offered = {each.text: each for each in commands_of(context_of(project))}
    assert isinstance(offered["/help"].item, BuiltIn)
    assert isinstance(offered["/project:help"].item, SlashCommand)


COMMANDS = [
    Candidate("/review", "Reviews a file", "via Claude Code Project", "[path]", takes=True),
    Candidate("/revert", "Takes the last turn back", "built-in"),
    Candidate("/git:pr", "Opens a request"),
    Candidate("/prepare", "Gets ready"),
    Candidate("/compact", "Makes the history shorter", "built-in", "[focus]", takes=True, item=BUILT_INS[0]),
]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("/rev", ["/review", "/revert"]),
        ("/pr", ["/prepare", "/git:pr"]),
        ("/gp", ["/git:pr"]),
        ("/RVW", ["/review"]),
        ("/shorter", ["/compact"]),
        ("/zzz", []),
        ("look at /rev", []),
        ("  /compa", ["/compact"]),
    ],
)
def test_commands_are_ranked_by_prefix_then_word_then_letters_then_description(typed: str, expected: list[str]) -> None:
    # C-30
    assert at_end(typed, Sources(COMMANDS)) == expected


def test_a_lone_slash_offers_everything_in_the_order_of_the_pipeline() -> None:
    assert at_end("/", Sources(COMMANDS)) == texts(COMMANDS)


def test_the_name_is_completed_where_the_cursor_is_in_it_and_the_arguments_stay() -> None:
    completion = complete("/rev src/a.py", 3, Sources(COMMANDS))
    assert completion.span == (0, 4)
    assert texts(completion)[:2] == ["/review", "/revert"]


def test_arguments_of_built_ins_are_offered_by_what_they_take(project: Project) -> None:
    # C-30: "built-ins (with argument completion ...)"
    project.write({".xcsh/rules/no-any.md": "---\ndescription: Never any\nalwaysApply: true\n---\nNever."})
    context = context_of(project)
    files = PathIndex.of(["docs/", "src/", "README.md", "src/app/", "src/app/main.py"])

    def offered(takes: str, typed: str) -> list[str]:
        command = Candidate("/do", item=BuiltIn("do", "Does it", takes=takes), takes=True)
        words = words_of(context, COMMANDS)
        return at_end(f"/do {typed}", Sources([command], files, {"~/": ("work/", "notes.md")}, words))

    assert offered(Takes.RULE, "any") == ["no-any"]
    assert offered(Takes.ITEM, "/git") == ["/git:pr"]
    assert offered(Takes.FOLDER, "") == ["docs/", "src/"]
    assert offered(Takes.FOLDER, "~/") == ["~/work/"]
    assert offered(Takes.FILE, "main") == ["src/app/main.py"]
    settings = Sources(
        [Candidate("/settings", item=BuiltIn("settings", "", takes=Takes.WORDS))], words=words_of(context, ())
    )
    assert at_end("/settings repeat_m", settings) == ["ttsr.repeat_mode"]
    assert at_end("/settings ttsr.repeat_mode ", settings) == ["ttsr.repeat_mode once", "ttsr.repeat_mode after-gap"]
    assert offered(Takes.WORDS, "x") == []
    assert offered(Takes.NOTHING, "x") == []


PATHS = PathIndex.of(
    [
        "README.md", "docs/", "src/", "my notes.md", ".github/", "docs/guide.md", "src/app/", "src/cart.py",
        "src/app/cart_view.py", "src/app/main.py", "src/app/my tests/", ".github/workflows/", ".github/workflows/ci.yml",
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("look at @", ["@README.md", "@docs/", "@src/", '@"my notes.md"']),
        ("look at @cart", ["@src/cart.py", "@src/app/cart_view.py"]),
        ("(@main", ["@src/app/main.py"]),
        ("@src/", ["@src/app/", "@src/cart.py"]),
        ("@src/c", ["@src/cart.py", "@src/app/cart_view.py"]),
        ("@yml", []),
        ("@.git", ["@.github/", "@.github/workflows/", "@.github/workflows/ci.yml"]),
        ('see @"my n', ['@"my notes.md"']),
        ("mail me@cart", []),
        ("@src/app/my", ['@"src/app/my tests/', "@src/app/main.py"]),
    ],
)
def test_paths_are_offered_anywhere_in_the_text(typed: str, expected: list[str]) -> None:
    # C-30, S-20
    assert at_end(typed, Sources(files=PATHS))[: len(expected) or None] == expected


def test_a_path_is_completed_in_the_middle_of_a_text() -> None:
    completion = complete("read @car and then stop", 9, Sources(files=PATHS))
    assert completion.span == (5, 9)
    assert texts(completion)[0] == "@src/cart.py"


def test_folders_beyond_the_project_are_asked_for_and_then_offered() -> None:
    sources = Sources(files=PATHS)
    assert folder_to_list("@../li", 6, sources) == "../"
    assert folder_to_list("@~", 2, sources) == "~/"
    assert folder_to_list("@/etc/pa", 8, sources) == "/etc/"
    assert folder_to_list("@src/ca", 7, sources) is None
    known = Sources(files=PATHS, folders={"../": ("lib/", "list.txt", ".env")})
    assert at_end("@../li", known) == ["@../lib/", "@../list.txt"]
    assert folder_to_list("@../li", 6, known) is None


def test_many_paths_are_bounded_and_can_be_given_up() -> None:
    # C-30
    index = PathIndex.of(f"src/part{number % 50}/file_{number}.py" for number in range(100_000))
    assert rank_paths(index, "file_77777") == ["src/part27/file_77777.py"]
    assert len(rank_paths(index, "f")) == MOST_SHOWN
    looks = iter([False, False, True])
    assert rank_paths(index, "f", lambda: next(looks)) == []


@given(query=st.text("ab/._", min_size=1, max_size=6), name=st.text("abAB/._-", max_size=12))
def test_a_name_fits_exactly_where_it_holds_the_letters_in_their_order(query: str, name: str) -> None:
    letters = iter(name.lower())
    assert (score(query, name) is not None) == all(letter in letters for letter in query.lower())


@given(st.text(max_size=40), st.integers(0, 40))
def test_whatever_is_typed_what_is_offered_replaces_a_part_of_it_at_the_cursor(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    completion = complete(text, cursor, Sources(COMMANDS, PATHS))
    start, end = completion.span
    assert 0 <= start <= end <= len(text)
    assert not completion.candidates or start <= cursor <= end


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("/git", Ghost(":pr", accepted=True)),
        ("/review", Ghost(" [path]")),
        ("/review ", Ghost("[path]")),
        ("/review x", Ghost()),
        ("see @READ", Ghost("ME.md", accepted=True)),
        ("plain", Ghost()),
        ("/", Ghost()),
        ("/git\nmore", Ghost()),
    ],
)
def test_ghosts_are_the_rest_of_a_name_or_what_may_follow_it(typed: str, expected: Ghost) -> None:
    # C-30: "inline hints"
    sources = Sources(COMMANDS, PATHS)
    assert ghost(typed, len(typed), complete(typed, len(typed), sources), sources) == expected
