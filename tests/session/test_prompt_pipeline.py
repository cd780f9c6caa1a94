"""The prompt pipeline (S-1): what happens to a typed text, in which order, and what a failing handler cannot do."""

from __future__ import annotations

import itertools
import logging
import os
import subprocess
import sys

import pytest
from tests.support import Project, Tree

from xcsh.errors import FrontmatterError, UsageError
from xcsh.extensions.custom import list_custom_commands
from xcsh.extensions.files import read_code
from xcsh.extensions.loading import load_extensions
from xcsh.model.diagnostic import Position
from xcsh.session.prompt_pipeline import (
    STAGES,
    CommandFailure,
    Prepared,
    PromptContext,
    Stage,
    Step,
    Work,
    prepare,
    stage_for,
)
from xcsh.sources.filesystem import make_environment
from xcsh.sources.trust.deciding import trust

EXTENSION, CUSTOM, FILE, TEMPLATE, SERVER = (stage.id for stage in STAGES)


class Servers:
    """What the pipeline asks of the MCP servers `srv` and `broken`; real ones: tests/session/mcp/test_server_prompts.py."""

    def names_server(self, name: str) -> bool:
        return name.partition(":")[0] in ("srv", "broken")

    async def expand(self, name: str, raw: str) -> str:
        if name.startswith("broken"):
            raise UsageError("it is gone", "start it")
        return f"server {raw}"

    async def close(self) -> None:
        """Nothing runs."""


class Session:
    """Everything around a project, and what is said and reported."""

    def __init__(self, project: Project, tree: Tree) -> None:
        project.write(tree)
        environment = make_environment(os.fspath(project.root), os.fspath(project.home))
        trust(environment)
        diagnostics: list[object] = []
        code = read_code(environment, diagnostics.append)
        self.said: list[str] = []
        self.failures: list[CommandFailure] = []
        self.context = PromptContext(
            project.discover(),
            load_extensions(code, diagnostics.append, installed=False),
            list_custom_commands(code, diagnostics.append),
            self.said.append,
            self.failures.append,
            Servers(),
        )
        assert diagnostics == []

    async def prepare(self, text: str, stages: tuple[Stage, ...] = STAGES) -> Prepared:
        return await prepare(text, self.context, stages=stages)


def extension(name: str, body: str = "context.say(f'extension {args}')", keyword: str = "def") -> Tree:
    source = (
        f"def register(extension):\n    @extension.command({name!r})\n    {keyword} f(context, args):\n        {body}\n"
    )
    return {f".xcsh/extensions/{name}.py": source}


def custom(name: str, body: str, keyword: str = "def") -> Tree:
    return {f".xcsh/commands/{name}.py": f"{keyword} run(context, args):\n    {body}\n"}


def file(name: str, text: str = "file $1") -> Tree:
    return {f".xcsh/commands/{name}.md": text}


def template(name: str, text: str = "template $1") -> Tree:
    return {f".xcsh/prompts/{name}.md": text}


EVERYTHING: Tree = {
    **extension("all"), **custom("all", "return 'custom'"), **file("all"), **template("all"),
    **custom("c-f-t", "return '/f-t from-custom'"), **file("c-f-t"), **template("c-f-t"),
    **file("f-t"), **template("f-t"),
    **custom("c-t", "return '/t from-custom'"), **template("c-t"), **template("t"),
    **custom("c-e", "return '/all from-custom'"), **file("to-custom", "/c-t x"), **file("to-template", "/t x"),
    **template("to-file", "/f-t x"),
    **extension("srv:e"), **file("srv:f"), **template("srv:t"),
    **custom("c-s", "return '/srv:p from-custom'"), **file("f-s", "/srv:p x"), **template("t-s", "/srv:p x"),
}  # fmt: skip

# text, what is sent, who handled it, which stages had an answer
ORDER: list[tuple[str, str | None, str | None, tuple[str, ...]]] = [
    ("/all x", None, EXTENSION, (EXTENSION,)),
    ("/c-f-t x", "file from-custom", None, (CUSTOM, FILE)),
    ("/f-t x", "file x", None, (FILE,)),
    ("/c-t x", "template from-custom", None, (CUSTOM, TEMPLATE)),
    ("/t x", "template x", None, (TEMPLATE,)),
    ("/c-e x", "file from-custom", None, (CUSTOM, FILE)),  # extensions come before, and do not see what it returned
    ("/to-custom", "/c-t x", None, (FILE,)),
    ("/to-template", "/t x", None, (FILE,)),
    ("/to-file", "/f-t x", None, (TEMPLATE,)),
    ("/srv:e x", None, EXTENSION, (EXTENSION,)),  # a server's prompt takes no name from anybody
    ("/srv:f x", "file x", None, (FILE,)),
    ("/srv:t x", "template x", None, (TEMPLATE,)),
    ("/srv:p x", "server x", None, (SERVER,)),
    ("/c-s x", "server from-custom", None, (CUSTOM, SERVER)),
    ("/f-s", "/srv:p x", None, (FILE,)),
    ("/t-s", "/srv:p x", None, (TEMPLATE,)),
    ("/unknown x", "/unknown x", None, ()),
    ("plain /all", "plain /all", None, ()),
    (" /all", " /all", None, ()),
    ("/", "/", None, ()),
    ("", "", None, ()),
]


# S-1
@pytest.mark.parametrize(("text", "sent", "handled_by", "taken_by"), ORDER)
async def test_the_stages_answer_in_the_order_of_the_specification(
    project: Project, text: str, sent: str | None, handled_by: str | None, taken_by: tuple[str, ...]
) -> None:
    session = Session(project, EVERYTHING)
    prepared = await session.prepare(text)
    assert (prepared.text, prepared.handled_by, prepared.taken_by) == (sent, handled_by, taken_by)
    assert session.said == (["extension x"] if handled_by == EXTENSION else [])
    assert session.failures == []


# S-1: no other order would pass for it
@pytest.mark.parametrize(
    "stages",
    [order for order in itertools.permutations(STAGES) if order != STAGES],
    ids=lambda order: " ".join(stage.id.split("-")[0] for stage in order),
)
async def test_in_any_other_order_something_would_come_out_differently(
    project: Project, stages: tuple[Stage, ...]
) -> None:
    session = Session(project, EVERYTHING)
    found = [await session.prepare(text, stages) for text, *_ in ORDER]
    assert [(each.text, each.handled_by) for each in found] != [(sent, by) for _, sent, by, _ in ORDER]


def test_the_stages_are_those_of_the_specification_and_each_says_what_it_does() -> None:
    assert [stage.id for stage in STAGES] == [
        "extension-commands", "custom-commands", "file-commands", "prompt-templates", "server-prompts",
    ]  # fmt: skip
    assert all(len(stage.description) > 20 for stage in STAGES)


# S-1: "unless `expand_prompt_templates=False`"
@pytest.mark.parametrize("text", [text for text, *_ in ORDER])
async def test_without_expansion_the_text_is_sent_as_typed_and_nothing_runs(project: Project, text: str) -> None:
    session = Session(project, EVERYTHING)
    assert await prepare(text, session.context, expand_prompt_templates=False) == Prepared(text)
    assert session.said == []


# S-1.2: "`None` means handled, nothing is sent"
@pytest.mark.parametrize("keyword", ["def", "async def"])
async def test_a_custom_command_that_returns_nothing_has_handled_it(project: Project, keyword: str) -> None:
    session = Session(project, {**custom("c", "context.say(repr(args))", keyword), **file("c"), **template("c")})
    assert await session.prepare("/c 'a b' don't \"\"") == Prepared(None, CUSTOM, None, (CUSTOM,))
    assert session.said == ["['a b', \"don't\", '']"]


async def test_an_empty_text_is_a_text_and_replaces_the_prompt(project: Project) -> None:
    prepared = await Session(project, custom("c", "return ''")).prepare("/c")
    assert (prepared.text, prepared.handled_by) == ("", None)


# S-1.1
@pytest.mark.parametrize("keyword", ["def", "async def"])
async def test_an_extension_command_gets_its_arguments_as_typed(project: Project, keyword: str) -> None:
    session = Session(project, extension("e", "context.say(repr(args))", keyword))
    await session.prepare("/e  a 'b  c' $1 {{args}}\n two ")
    assert session.said == [repr("a 'b  c' $1 {{args}}\n two")]


async def test_what_an_extension_command_returns_is_not_sent(project: Project) -> None:
    session = Session(project, extension("e", "return 'text'"))
    assert (await session.prepare("/e")).text is None


async def test_a_handler_has_the_folder_the_home_and_what_was_found(project: Project) -> None:
    body = "context.say(f'{context.cwd} {context.home} {[r.rule.name for r in context.registry.active]}')"
    session = Session(project, {**extension("e", body), ".xcsh/rules/r.md": "---\nalwaysApply: true\n---\nR"})
    await session.prepare("/e")
    assert session.said == [f"{project.root} {project.home} ['r']"]


async def test_the_expanded_command_comes_along_for_its_tools_and_model(project: Project) -> None:
    session = Session(project, {".claude/commands/c.md": "---\nmodel: small\nallowed-tools: Read\n---\nGo."})
    command = (await session.prepare("/c")).command
    assert command is not None
    assert (command.name, command.model, command.allowed_tools) == ("c", "small", ("Read",))
    assert (await session.prepare("/none")).command is None


async def test_a_custom_command_that_calls_a_file_command_brings_that_ones_tools(project: Project) -> None:
    session = Session(project, {**custom("c", "return '/f x'"), **file("f")})
    prepared = await session.prepare("/c")
    assert prepared.command is not None
    assert prepared.command.name == "f"


RAISING = [
    "raise ValueError('by design')", "raise SystemExit('by design')", "1 / 0; 'by design'",
    "raise __import__('asyncio').CancelledError('by design')", "raise StopIteration('by design')",
    "raise type('Odd', (BaseException,), {})('by design')",
]  # fmt: skip


# S-5
@pytest.mark.parametrize("body", RAISING)
@pytest.mark.parametrize("keyword", ["def", "async def"])
@pytest.mark.parametrize("kind", [EXTENSION, CUSTOM])
async def test_a_handler_that_raises_is_reported_and_no_later_stage_runs_by_accident(
    project: Project, kind: str, keyword: str, body: str
) -> None:
    tree = extension("x", body, keyword) if kind == EXTENSION else custom("x", body, keyword)
    later = custom("x", "context.say('ran')") if kind == EXTENSION else {}
    session = Session(project, {**later, **tree, **file("x"), **template("x")})
    assert await session.prepare("/x") == Prepared(None, kind, None, (kind,))
    assert session.said == []
    ((diagnostic, error),) = session.failures
    assert diagnostic.code == "command-failed"
    assert diagnostic.path == str(project.path(next(iter(tree))))
    assert diagnostic.position == Position(4 if kind == EXTENSION else 2, 1)
    assert type(error).__name__ in diagnostic.message
    assert (
        "by design" in diagnostic.message or "division" in diagnostic.message or "StopIteration" in diagnostic.message
    )


# S-5: "the log, where there is none"
async def test_without_a_channel_a_failure_goes_to_the_log(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    session = Session(project, extension("x", "raise ValueError('by\\x1b[31m design')"))
    with caplog.at_level(logging.ERROR):
        await prepare("/x", session.context._replace(on_error=None))
    path = project.path(".xcsh/extensions/x.py")
    assert caplog.record_tuples == [
        ("xcsh.extensions", logging.ERROR, f"{path}:4: `/x` failed: ValueError: by\\x1b[31m design")
    ]


# S-5
async def test_a_module_that_cannot_be_executed_counts_as_handled(project: Project) -> None:
    session = Session(project, {".xcsh/commands/x.py": "import no_such_module", **file("x")})
    assert await session.prepare("/x") == Prepared(None, CUSTOM, None, (CUSTOM,))
    ((diagnostic, _),) = session.failures
    assert (diagnostic.code, diagnostic.position) == ("command-failed", Position(1, 1))


# S-6
async def test_broken_frontmatter_of_what_the_program_brings_reaches_the_caller(project: Project) -> None:
    def match(text: str, context: PromptContext) -> Work:
        async def work() -> Step:
            raise FrontmatterError("/bundled/review.md", 3, 8, "not YAML")

        return work

    session = Session(project, {})
    stages = (*STAGES[:2], Stage("file-commands", "", match), *STAGES[3:])
    with pytest.raises(FrontmatterError) as caught:
        await session.prepare("/review", stages)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("/bundled/review.md", 3, 8)
    assert session.failures == []


# S-5: as with a handler that raises, no later stage and no turn runs by accident
async def test_a_prompt_that_a_server_does_not_give_is_reported_and_nothing_is_sent(project: Project) -> None:
    session = Session(project, {})
    prepared = await session.prepare("/broken:p x")
    assert (prepared.text, prepared.handled_by) == (None, SERVER)
    ((diagnostic, _),) = session.failures
    assert (diagnostic.code, diagnostic.message, diagnostic.hint) == ("command-failed", "it is gone", "start it")


# S-3, S-4: who would take a text is known without running it
@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("/all", EXTENSION),
        ("/c-t x", CUSTOM),
        ("/f-t", FILE),
        ("/t", TEMPLATE),
        ("/commit", FILE),
        ("/no", None),
        ("x", None),
    ],
)
def test_the_stage_that_would_take_a_text_is_known_without_running_it(
    project: Project, text: str, stage: str | None
) -> None:
    session = Session(project, EVERYTHING)
    assert stage_for(text, session.context) == stage
    assert session.said == []


def test_importing_the_pipeline_loads_no_event_loop() -> None:
    code = "import sys, xcsh.session.prompt_pipeline; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"asyncio", "logging", "dataclasses", "importlib.metadata"} & set(done.stdout.split())
