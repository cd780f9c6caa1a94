"""Compaction (S-4): what is said meanwhile, what goes wrong, and what must not be forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import ANTHROPIC, OPENAI, bodies, text_of
from tests.session.sessions import KEEP_LITTLE, Conversation, calls, conversation, kept, says, slow
from tests.support import Project, Tree

from xcsh.agent.events import RulesAttached, RulesTriggered
from xcsh.llm.reply import Failure, Reply
from xcsh.session.events import (
    CommandSaid,
    CompactionCompleted,
    CompactionFailed,
    CompactionStarted,
    Notice,
    QueueChanged,
    TurnStarted,
)
from xcsh.session.keeping import resume_session
from xcsh.session.results import ExtensionCommandError, PromptResult

WIRES = pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
SUMMARY = slow("the summary, at length " * 3)
COMMANDS: Tree = {
    ".xcsh/extensions/hello.py": (
        "def register(xcsh):\n    @xcsh.command('hello')\n    def hello(context, args):\n"
        "        context.say(f'hello {args}')\n"
    ),
    ".xcsh/commands/custom.py": "def run(context, args):\n    context.say('custom ran')\n    return f'custom {args[0]}'\n",
    ".xcsh/commands/silent.py": "def run(context, args):\n    context.say('silent ran')\n",
    ".xcsh/commands/review.md": "Review $1.",
}


@asynccontextmanager
async def compacting(
    project: Project, *after: Reply | Failure, summary: Reply | Failure = SUMMARY, tree: Tree | None = None, **more: Any
) -> AsyncGenerator[tuple[Conversation, asyncio.Future[bool]]]:
    """Two turns have gone by, and the summary of them is being written."""
    script = (says("one"), says("two"), summary, *after)
    async with conversation(project, *script, tree={**KEEP_LITTLE, **(tree or {})}, **more) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        compaction = asyncio.ensure_future(talk.session.compact())
        if isinstance(summary, Reply):
            await talk.streaming(3)
            assert talk.session.is_compacting
        yield talk, compaction


@WIRES
async def test_a_compaction_puts_a_summary_in_the_place_of_what_was_said(project: Project, wire: str) -> None:
    # S-4, S-14
    async with compacting(project, says("three"), wire=wire) as (talk, compaction):
        assert await compaction
        assert not talk.session.is_compacting
        await talk.session.prompt("third")
        check_requests(talk.server)
        sent = "\n".join(talk.sent(3))
        assert "the summary, at length" in sent
        assert sent.count("first") == 1  # what was said first stays
        assert "second" not in sent
        assert sent.endswith("third")
        names = [name for name in talk.names() if name.startswith("Compaction")]
        assert names == ["CompactionStarted", "CompactionCompleted"]


@WIRES
async def test_what_is_said_during_a_compaction_is_replayed_in_order(project: Project, wire: str) -> None:
    # S-4: commands through the pipeline, each once, and only when the history is short
    script = tuple(says(f"answer {number}") for number in range(6))
    async with compacting(project, *script, tree=COMMANDS, wire=wire) as (talk, compaction):
        session = talk.session
        said = [
            await session.prompt("plain"),
            await session.prompt("/review a.py"),
            await session.follow_up("/custom x"),
            await session.prompt("/hello you"),
            await session.prompt("/silent"),
            await session.prompt("/commit", streaming_behavior="follow_up"),
            await session.follow_up("last"),
        ]
        assert said == [PromptResult("queued")] * 7
        assert talk.of(CommandSaid) == []
        assert talk.of(QueueChanged)[-1].follow_ups[:2] == ("plain", "/review a.py")
        with pytest.raises(ExtensionCommandError):
            await session.steer("/hello no")
        assert await compaction
        await session.wait_idle()
        check_requests(talk.server)
        started = [event.typed for event in talk.of(TurnStarted)][2:]
        assert started == ["plain", "/review a.py", "/custom x", "/commit", "last"]
        texts = [event.text for event in talk.of(TurnStarted)][2:]
        assert texts[:3] == ["plain", "Review a.py.", "custom x"]
        assert "commit" in texts[3]
        assert texts[3] != "/commit"  # the bundled command
        assert [event.text for event in talk.of(CommandSaid)] == ["custom ran", "hello you", "silent ran"]
        assert talk.of(QueueChanged)[-1] == QueueChanged((), ())
        assert [text for text in talk.written() if text in texts] == texts


@WIRES
async def test_steering_that_was_held_comes_into_the_first_turn_after(project: Project, wire: str) -> None:
    # S-2, S-4
    script = (slow("a long answer " * 3), says("steered"))
    async with compacting(project, *script, wire=wire) as (talk, compaction):
        await talk.session.prompt("go")
        await talk.session.steer("in short")
        assert await compaction
        await talk.session.wait_idle()
        assert [event.text for event in talk.of(TurnStarted)][2:] == ["go"]
        assert [talk.written().count(text) for text in ("go", "in short")] == [1, 1]
        check_requests(talk.server)


async def test_a_broken_handler_among_what_was_held_stops_nothing_behind_it(project: Project) -> None:
    # S-4, S-5
    tree = {".xcsh/commands/broken.py": "def run(context, args):\n    raise ValueError('no')\n"}
    async with compacting(project, says("ok"), tree=tree) as (talk, compaction):
        await talk.session.prompt("/broken")
        await talk.session.prompt("behind it")
        await compaction
        await talk.session.wait_idle()
        assert [event.text for event in talk.of(TurnStarted)][2:] == ["behind it"]


@WIRES
@pytest.mark.parametrize("failure", [Failure(500, "down"), Failure(401, "bad key")], ids=["500", "401"])
async def test_a_compaction_that_fails_leaves_the_history_and_replays(
    project: Project, wire: str, failure: Failure
) -> None:
    # S-4, S-14
    summaries = [failure] * (2 if failure.status == 500 else 0)  # it is made again
    async with compacting(project, *summaries, says("ok"), summary=failure, wire=wire) as (talk, compaction):
        queued = asyncio.ensure_future(talk.session.prompt("meanwhile"))
        before = talk.session.messages
        assert not await compaction
        assert (await queued).outcome in ("queued", "completed")
        await talk.session.wait_idle()
        (failed,) = talk.of(CompactionFailed)
        assert f"HTTP {failure.status}" in failed.message
        assert talk.session.messages[: len(before)] == before
        assert talk.written() == ["first", "second", "meanwhile"]
        check_requests(talk.server)


@WIRES
async def test_a_compaction_that_is_aborted_leaves_the_history_and_replays(project: Project, wire: str) -> None:
    # S-4
    long = slow("a summary that takes long " * 20)
    async with compacting(project, says("ok"), summary=long, wire=wire) as (talk, compaction):
        await talk.session.follow_up("meanwhile")
        await talk.session.abort()
        assert not await compaction
        await talk.session.wait_idle()
        assert talk.server.exchanges[2].closed_at is not None
        assert len(talk.of(CompactionFailed)) == 1
        assert talk.written() == ["first", "second", "meanwhile"]


async def test_who_gives_up_waiting_for_a_compaction_ends_it_and_loses_nothing(project: Project) -> None:
    # S-4
    long = slow("a summary that takes long " * 20)
    async with compacting(project, says("ok"), summary=long) as (talk, compaction):
        await talk.session.follow_up("meanwhile")
        compaction.cancel()
        await talk.session.wait_idle()
        assert compaction.cancelled()
        assert talk.written() == ["first", "second", "meanwhile"]


@pytest.mark.parametrize("turns", [0, 1])
async def test_there_may_be_nothing_to_leave_out(project: Project, turns: int) -> None:
    # S-4
    async with conversation(project, says("one"), says("two"), tree=KEEP_LITTLE) as talk:
        for number in range(turns):
            await talk.session.prompt(str(number))
        assert not await talk.session.compact()
        assert len(talk.of(CompactionFailed)) == 1
        assert (await talk.session.prompt("go on")).outcome == "completed"
        assert len(talk.server.exchanges) == turns + 1


@WIRES
async def test_a_compaction_waits_for_the_turn_that_streams(project: Project, wire: str) -> None:
    # S-4
    script = (says("one"), slow("a long answer " * 3), SUMMARY, says("three"))
    async with conversation(project, *script, tree=KEEP_LITTLE, wire=wire) as talk:
        await talk.session.prompt("first")
        turn = asyncio.ensure_future(talk.session.prompt("second"))
        await talk.streaming(2)
        both = await asyncio.gather(talk.session.compact(), talk.session.compact())
        assert sorted(both) == [False, True]  # one summary is enough for two who ask for it
        assert (await turn).outcome == "completed"
        assert talk.names().index("CompactionStarted") > talk.names().index("TurnCompleted")
        assert len(talk.of(CompactionStarted)) == len(talk.of(CompactionCompleted)) == 1
        await talk.session.prompt("third")
        check_requests(talk.server)


async def test_who_asks_for_a_compaction_during_one_waits_for_it(project: Project) -> None:
    # S-4
    async with compacting(project) as (talk, compaction):
        assert not await talk.session.compact()
        assert await compaction
        assert len(talk.server.exchanges) == 3


@WIRES
async def test_a_rule_that_fired_before_a_compaction_does_not_fire_after_it(project: Project, wire: str) -> None:
    # S-4, T-11, T-14: also when another one follows, and after a resume
    rule = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.', **KEEP_LITTLE}
    breaks = says("let some more time go by, let a: any = 1")
    script = (says("zero"), breaks, says("let a: A = 1"), says("two"), SUMMARY, breaks, breaks, SUMMARY, breaks)
    stored = kept(project)
    async with conversation(project, *script, tree=rule, wire=wire, kept=stored) as talk:
        for text in ("zero", "one", "two"):
            await talk.session.prompt(text)
        assert await talk.session.compact()
        for text in ("three", "four"):
            assert "any" in (await talk.session.prompt(text)).text
        assert await talk.session.compact()
        assert "any" in (await talk.session.prompt("five")).text
        assert len(talk.of(RulesTriggered)) == 1
        check_requests(talk.server)
    again = resume_session(stored.file.path)
    async with conversation(project, breaks, wire=wire, kept=again) as talk:
        assert "any" in (await talk.session.prompt("six")).text
        assert talk.of(RulesTriggered) == []


@WIRES
async def test_an_attached_rule_is_still_there_after_a_compaction_and_is_not_given_twice(
    project: Project, wire: str
) -> None:
    # S-4, R-54
    tree = {
        ".xcsh/rules/python.md": "---\nglobs: ['**/*.py']\n---\nUse type hints everywhere.",
        "a.py": "x = 1\n",
        **KEEP_LITTLE,
    }
    read = calls("read_file", {"path": "a.py"})
    script = (says("zero"), read, says("seen"), says("more"), SUMMARY, read, says("seen again"))
    async with conversation(project, *script, tree=tree, wire=wire) as talk:
        for text in ("hello", "read a.py", "more"):
            await talk.session.prompt(text)
        assert await talk.session.compact()
        await talk.session.prompt("read it again")
        assert len(talk.of(RulesAttached)) == 1
        for body in bodies(talk.server)[-2:]:
            everything = "\n".join(text_of(message) for message in body["messages"])
            assert everything.count("Use type hints everywhere.") == 1
        check_requests(talk.server)


async def test_what_was_held_can_be_taken_back(project: Project) -> None:
    # S-4, S-25
    async with compacting(project, says("ok"), tree=COMMANDS) as (talk, compaction):
        await talk.session.prompt("/review a.py")
        await talk.session.follow_up("mine")
        assert talk.session.withdraw() == ["/review a.py", "mine"]
        assert await compaction
        await talk.session.wait_idle()
        assert len(talk.server.exchanges) == 3
        assert talk.of(QueueChanged)[-1] == QueueChanged((), ())


async def test_a_command_that_cannot_be_expanded_after_a_compaction_is_told(project: Project) -> None:
    # S-4, S-6
    tree = {".xcsh/commands/much.md": "{{#each args}}{{#each args}}$ARGUMENTS{{/each}}{{/each}}"}
    async with compacting(project, says("ok"), tree=tree) as (talk, compaction):
        await talk.session.prompt("/much " + "x " * 4_000)
        await talk.session.prompt("behind it")
        await compaction
        await talk.session.wait_idle()
        assert any("characters" in event.text for event in talk.of(Notice))
        assert [event.text for event in talk.of(TurnStarted)][2:] == ["behind it"]
