"""One entry of what waits: taken back, or sent before the others."""

from __future__ import annotations

import asyncio

from tests.session.sessions import KEEP_LITTLE, Conversation, conversation, kept, says, slow
from tests.support import Project

from xcsh.session.events import SteeringDelivered, TurnStarted
from xcsh.session.store import read_session


async def _queued(talk: Conversation, *texts: str) -> asyncio.Task[object]:
    turn = asyncio.create_task(talk.session.prompt("go"))
    await talk.streaming()
    for text in texts:
        await talk.session.prompt(text, streaming_behavior="follow_up")
    return turn


async def test_one_entry_is_withdrawn_and_the_others_keep_their_order(project: Project) -> None:
    # S-25, S-13
    written = kept(project)
    async with conversation(project, slow("a long answer, word for word"), kept=written) as talk:
        await _queued(talk, "a", "b", "c")
        middle = talk.session.waiting[1]
        assert talk.session.withdraw(middle) == ["b"]
        assert talk.session.withdraw(middle) == []
        assert [entry.text for entry in talk.session.waiting] == ["a", "c"]
        await talk.session.abort()
    stored = read_session(written.file.path)
    assert (stored.follow_ups, stored.unanswered) == (("a", "c"), ())


async def test_an_entry_that_is_sent_now_goes_into_the_turn_that_runs(project: Project) -> None:
    # S-25
    written = kept(project)
    async with conversation(
        project, slow("a long answer, word for word"), says("b!"), says("a!"), kept=written
    ) as talk:
        turn = await _queued(talk, "a", "b")
        assert talk.session.send_now(talk.session.waiting[1])
        assert [(entry.kind, entry.text) for entry in talk.session.waiting] == [("steer", "b"), ("follow_up", "a")]
        assert talk.session.waiting[0].on_its_way
        assert talk.session.withdraw(talk.session.waiting[0]) == []
        assert not talk.session.send_now(talk.session.waiting[0])
        await turn
        await talk.session.wait_idle()
        assert [event.text for event in talk.of(SteeringDelivered)] == ["b"]
        assert [event.text for event in talk.of(TurnStarted)] == ["go", "a"]
    assert read_session(written.file.path).unanswered == ()


async def test_an_entry_that_is_sent_now_begins_a_turn_where_none_runs(project: Project) -> None:
    # S-25
    written = kept(project)
    async with conversation(
        project, slow("a long answer, word for word"), says("b!"), says("a!"), kept=written
    ) as talk:
        await _queued(talk, "a", "b")
        await talk.session.abort()
        assert talk.session.send_now(talk.session.waiting[1])
        await talk.session.wait_idle()
        assert [event.text for event in talk.of(TurnStarted)] == ["go", "b", "a"]
    stored = read_session(written.file.path)
    assert (stored.follow_ups, stored.unanswered) == ((), ())


async def test_of_what_waits_for_a_compaction_one_entry_is_withdrawn(project: Project) -> None:
    # S-25, S-4
    written = kept(project)
    script = (says("one"), says("two"), slow("a summary of it all, slowly"))
    async with conversation(project, *script, tree=KEEP_LITTLE, kept=written) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        compacting = asyncio.create_task(talk.session.compact())
        await talk.streaming(3)
        await talk.session.prompt("same", streaming_behavior="follow_up")
        await talk.session.prompt("same", streaming_behavior="follow_up")
        held = talk.session.waiting
        assert not talk.session.send_now(held[0])
        assert talk.session.withdraw(held[1]) == ["same"]
        assert [entry.entry for entry in talk.session.waiting] == [held[0].entry]
        talk.session.withdraw()
        await compacting
    assert read_session(written.file.path).unanswered == ()
