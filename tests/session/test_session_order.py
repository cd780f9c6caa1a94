"""The prompt pipeline through a session (S-1), and handlers that fail in every state of it (S-5)."""

from __future__ import annotations

import asyncio

import pytest
from tests.llm.wire_models import ANTHROPIC, OPENAI
from tests.session.sessions import KEEP_LITTLE, Conversation, conversation, says, slow
from tests.support import Project, Tree

from xcsh.session.events import CommandHandled, CommandSaid, DiagnosticsFound
from xcsh.session.results import PromptResult

WIRES = pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])


def extension(body: str, keyword: str = "def", name: str = "all") -> Tree:
    lines = ("import asyncio", "def register(xcsh):", f"    @xcsh.command({name!r})")
    return {f".xcsh/extensions/{name}.py": "\n".join((*lines, f"    {keyword} f(context, args):", f"        {body}\n"))}


def custom(body: str, keyword: str = "def", name: str = "all") -> Tree:
    return {f".xcsh/commands/{name}.py": f"import asyncio\n{keyword} run(context, args):\n    {body}\n"}


EXTENSION = extension("context.say('extension ' + args)")
CUSTOM = custom("return '/all from-custom'")
FILE: Tree = {".xcsh/commands/all.md": "/all file $1"}
TEMPLATE: Tree = {".xcsh/prompts/all.md": "/all template $1"}


@WIRES
async def test_the_stages_take_a_text_in_their_order(project: Project, wire: str) -> None:
    # S-1: each tree lacks the first stage of the one before; any other order sends or says something else
    expected = (
        ({**EXTENSION, **CUSTOM, **FILE, **TEMPLATE}, ["extension x"], None),
        ({**CUSTOM, **FILE, **TEMPLATE}, [], "/all file from-custom"),
        ({**FILE, **TEMPLATE}, [], "/all file x"),
        (TEMPLATE, [], "/all template x"),
        ({}, [], "/all x"),
    )
    for at, (tree, said, sent) in enumerate(expected):
        place = Project(project.root / str(at))
        async with conversation(place, says("ok"), tree=tree, wire=wire) as talk:
            result = await talk.session.prompt("/all x")
            assert result == (PromptResult("handled") if sent is None else PromptResult("completed", "ok"))
            assert [event.text for event in talk.of(CommandSaid)] == said
            assert [talk.sent(at)[-1] for at in range(len(talk.server.exchanges))] == ([] if sent is None else [sent])


@WIRES
async def test_a_text_that_is_sent_as_typed_calls_nothing(project: Project, wire: str) -> None:
    # S-1
    tree = {**EXTENSION, **CUSTOM, **FILE, **TEMPLATE}
    async with conversation(project, says("ok"), tree=tree, wire=wire) as talk:
        await talk.session.prompt("/all x", expand_prompt_templates=False)
        assert talk.sent(0) == ["/all x"]
        assert talk.of(CommandSaid) == []


async def test_a_custom_command_that_returns_nothing_has_dealt_with_the_text(project: Project) -> None:
    # S-1
    async with conversation(project, tree={**custom("return None"), **FILE, **TEMPLATE}) as talk:
        assert await talk.session.prompt("/all x") == PromptResult("handled")
        assert talk.of(CommandHandled) == [CommandHandled("custom-commands", "/all x")]
        assert talk.server.exchanges == []


async def test_what_a_custom_command_returns_does_not_go_back_to_the_extensions(project: Project) -> None:
    # S-1
    tree = {**custom("return '/ext x'"), **extension("context.say('ran')", name="ext")}
    async with conversation(project, says("ok"), tree=tree) as talk:
        await talk.session.prompt("/all")
        assert talk.sent(0) == ["/ext x"]
        assert talk.of(CommandSaid) == []


RAISING = {
    "sync": ("raise ValueError('no')", "def"),
    "async": ("raise ValueError('no')", "async def"),
    "exit": ("raise SystemExit(3)", "def"),
    "async-exit": ("raise SystemExit(3)", "async def"),
    "interrupt": ("raise KeyboardInterrupt", "def"),
    "cancelled": ("raise asyncio.CancelledError", "async def"),
}
MAKERS = {"extension": extension, "custom": custom}
HANDLERS = pytest.mark.parametrize("how", RAISING)
KINDS = pytest.mark.parametrize("stage", MAKERS)


def failing(stage: str, how: str) -> Tree:
    """A handler that raises, and something for every later stage that must not run in its place."""
    later = {**FILE, **TEMPLATE, **(CUSTOM if stage == "extension" else {})}
    return {**later, **MAKERS[stage](*RAISING[how])}


def check_reported(talk: Conversation, requests: int) -> None:
    (found,) = talk.of(DiagnosticsFound)
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["command-failed"]
    assert len(talk.server.exchanges) == requests


@HANDLERS
@KINDS
async def test_a_handler_that_raises_while_nothing_runs_counts_as_handled(
    project: Project, stage: str, how: str
) -> None:
    # S-5
    async with conversation(project, says("ok"), tree=failing(stage, how)) as talk:
        assert await talk.session.prompt("/all x") == PromptResult("handled")
        check_reported(talk, 0)
        assert (await talk.session.prompt("go on")).text == "ok"


@HANDLERS
@KINDS
async def test_a_handler_that_raises_while_a_turn_streams_does_not_touch_it(
    project: Project, stage: str, how: str
) -> None:
    # S-3, S-5
    async with conversation(project, slow("a long answer " * 4), says("ok"), tree=failing(stage, how)) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        assert await talk.session.prompt("/all x", streaming_behavior="steer") == PromptResult("handled")
        check_reported(talk, 1)
        assert (await turn).outcome == "completed"
        assert len(talk.server.exchanges) == 1
        assert (await talk.session.prompt("go on")).text == "ok"


@HANDLERS
@KINDS
async def test_a_handler_that_raises_after_a_compaction_counts_as_handled(
    project: Project, stage: str, how: str
) -> None:
    # S-4, S-5
    tree = {**failing(stage, how), **KEEP_LITTLE}
    script = (says("one"), says("two"), slow("the summary " * 4), says("after"))
    async with conversation(project, *script, tree=tree) as talk:
        await talk.session.prompt("go")
        await talk.session.prompt("on")
        compaction = asyncio.ensure_future(talk.session.compact())
        await talk.streaming(3)
        assert await talk.session.prompt("/all x") == PromptResult("queued")
        await talk.session.follow_up("then this")
        assert await compaction
        await talk.session.wait_idle()
        check_reported(talk, 4)
        assert talk.sent(3)[-1].endswith("then this")
