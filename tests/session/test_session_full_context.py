"""A context window that fills up: the history is shortened before the request that would not fit."""

from __future__ import annotations

import asyncio

import pytest
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import ANTHROPIC, OPENAI
from tests.session.sessions import calls, conversation, kept, says, slow
from tests.support import USER_SETTINGS, Project

from xcsh.agent.events import RulesTriggered
from xcsh.llm.reply import Failure
from xcsh.session.events import CompactionCompleted, CompactionFailed, SteeringDelivered, TurnCompleted
from xcsh.session.keeping import resume_session

WIRES = pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
LONG = "word " * 2_000
"""Some 2,500 tokens of the 3,000 in the window."""


@WIRES
async def test_a_prompt_that_would_fill_the_window_is_sent_with_a_shorter_history(project: Project, wire: str) -> None:
    # S-4, S-14
    script = (says("one"), says("two"), says("the summary"), says("three"))
    async with conversation(project, *script, wire=wire, window=3_000) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        assert (await talk.session.prompt(LONG)).text == "three"
        names = [name for name in talk.names() if name.startswith(("Turn", "Compaction"))]
        assert names[-4:] == ["TurnStarted", "CompactionStarted", "CompactionCompleted", "TurnCompleted"]
        sent = "\n".join(talk.sent(3))
        assert "the summary" in sent
        assert "second" not in sent
        assert sent.count(LONG.strip()) == 1
        assert talk.written().count(LONG) == 1
        assert talk.of(TurnCompleted)[-1].usage.requests == 1  # the summary counts in tokens alone
        check_requests(talk.server)


@WIRES
async def test_a_turn_that_reads_much_is_shortened_between_its_requests(project: Project, wire: str) -> None:
    # S-2, S-4: what is said meanwhile is steering, and comes with the next request
    tree = {"big.txt": LONG}
    read = calls("read_file", {"path": "big.txt"})
    script = (says("one"), says("two"), read, slow("the summary, at length " * 2), says("done"))
    async with conversation(project, *script, tree=tree, wire=wire, window=3_000) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        turn = asyncio.ensure_future(talk.session.prompt("read big.txt"))
        await talk.streaming(4)
        await talk.session.steer("in short")
        assert (await turn).text == "done"
        assert len(talk.of(CompactionCompleted)) == 1
        assert talk.of(SteeringDelivered) == [SteeringDelivered("in short")]
        assert talk.written().count("in short") == 1
        assert "second" not in "\n".join(talk.sent(4))
        check_requests(talk.server)


@WIRES
async def test_where_the_summary_fails_the_request_is_made_as_it_is(project: Project, wire: str) -> None:
    # S-4
    script = (says("one"), says("two"), Failure(401, "bad key"), says("three"))
    async with conversation(project, *script, wire=wire, window=3_000) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        assert (await talk.session.prompt(LONG)).text == "three"
        (failed,) = talk.of(CompactionFailed)
        assert "HTTP 401" in failed.message
        assert "second" in "\n".join(talk.sent(3))
        check_requests(talk.server)


async def test_an_abort_ends_the_summary_and_the_turn(project: Project) -> None:
    # S-4
    script = (says("one"), says("two"), slow("a summary that takes long " * 20), says("the summary"), says("three"))
    async with conversation(project, *script, window=3_000) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        turn = asyncio.ensure_future(talk.session.prompt(LONG))
        await talk.streaming(3)
        await talk.session.abort()
        assert (await turn).outcome == "aborted"
        assert talk.server.exchanges[2].closed_at is not None
        assert [type(event) for event in talk.of(CompactionFailed)] == [CompactionFailed]
        assert talk.written() == ["first", "second", LONG]
        assert (await talk.session.prompt("again")).text == "three"
        check_requests(talk.server)


@pytest.mark.parametrize("settings", ["at_percent = 0", "at_percent = 100\nkeep_tokens = 8000"])
async def test_the_limit_is_a_setting(project: Project, settings: str) -> None:
    # S-4
    tree = {USER_SETTINGS: f"[compaction]\n{settings}\n"}
    async with conversation(project, says("one"), says("two"), says("three"), tree=tree, window=3_000) as talk:
        for text in ("first", "second", LONG):
            await talk.session.prompt(text)
        assert not [name for name in talk.names() if name.startswith("Compaction")]


async def test_what_a_full_context_made_short_is_resumed_so(project: Project) -> None:
    # S-4, S-13, T-14
    rule = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.'}
    breaks = says("let some more time go by, let a: any = 1")
    script = (breaks, says("one"), says("two"), says("the summary"), says("three"))
    stored = kept(project)
    async with conversation(project, *script, tree=rule, window=3_000, kept=stored) as talk:
        for text in ("first", "second", LONG):
            await talk.session.prompt(text)
        assert len(talk.of(CompactionCompleted)) == 1
        written = talk.written()
    async with conversation(project, breaks, kept=resume_session(stored.file.path)) as talk:
        assert talk.written() == written
        await talk.session.prompt("fourth")
        assert talk.of(RulesTriggered) == []
        assert "second" not in "\n".join(talk.sent(0))
        check_requests(talk.server)
