"""The session: prompts, what is queued, what is aborted. Real HTTP throughout."""

from __future__ import annotations

import asyncio

import pytest
from tests.session.sessions import Calls, conversation, says, slow
from tests.support import Project

from xcsh.agent.events import MessageCompleted, MessageRetracted, RulesTriggered, TextDelta
from xcsh.llm.reply import Failure
from xcsh.session.events import (
    CommandHandled,
    CommandSaid,
    DiagnosticsFound,
    QueueChanged,
    SteeringDelivered,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from xcsh.session.keeping import Kept
from xcsh.session.results import ExtensionCommandError, PromptResult, StreamingBehaviorError

COMMAND = {".xcsh/commands/review.md": "Review $1."}
EXTENSION = {
    ".xcsh/extensions/hello.py": (
        "def register(xcsh):\n"
        "    @xcsh.command('hello', description='greets')\n"
        "    def hello(context, args):\n"
        "        context.say(f'hello {args}')\n"
        "    @xcsh.command('broken')\n"
        "    def broken(context, args):\n"
        "        raise ValueError('no')\n"
    )
}


async def test_a_prompt_is_answered_and_told_as_events(project: Project) -> None:
    # S-10, S-14
    async with conversation(project, says("Good day.")) as talk:
        assert await talk.session.prompt("hi") == PromptResult("completed", "Good day.")
        assert talk.names()[0] == "TurnStarted"
        assert talk.of(MessageCompleted) == [MessageCompleted("Good day.")]
        assert "".join(event.text for event in talk.of(TextDelta)) == "Good day."
        assert isinstance(talk.events[-1], TurnCompleted)
        assert talk.events[-1].usage.output_tokens == 5


async def test_the_next_prompt_continues_the_conversation(project: Project) -> None:
    # S-10
    async with conversation(project, says("one"), says("two")) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        assert talk.sent(1) == ["first", "one", "second"]


async def test_a_file_command_is_expanded_and_both_texts_are_told(project: Project) -> None:
    # S-1
    async with conversation(project, says("ok"), tree=COMMAND) as talk:
        await talk.session.prompt("/review src/a.ts")
        assert talk.sent(0) == ["Review src/a.ts."]
        assert talk.of(TurnStarted) == [TurnStarted(1, "Review src/a.ts.", "/review src/a.ts")]


async def test_a_command_of_an_extension_runs_and_nothing_is_sent(project: Project) -> None:
    # S-1, S-3
    async with conversation(project, tree=EXTENSION) as talk:
        assert await talk.session.prompt("/hello you") == PromptResult("handled")
        assert talk.of(CommandSaid) == [CommandSaid("hello you")]
        assert talk.of(CommandHandled) == [CommandHandled("extension-commands", "/hello you")]
        assert talk.server.exchanges == []


async def test_a_handler_that_raises_is_reported_and_nothing_is_sent(project: Project) -> None:
    # S-5
    async with conversation(project, tree=EXTENSION) as talk:
        assert await talk.session.prompt("/broken") == PromptResult("handled")
        (found,) = talk.of(DiagnosticsFound)
        assert found.diagnostics[0].code == "command-failed"
        assert talk.server.exchanges == []


async def test_a_prompt_while_a_turn_streams_must_say_what_becomes_of_it(project: Project) -> None:
    # S-2
    async with conversation(project, slow("a long answer " * 5)) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        with pytest.raises(StreamingBehaviorError) as problem:
            await talk.session.prompt("more")
        assert '"steer"' in problem.value.hint
        assert '"follow_up"' in problem.value.hint
        assert (await turn).outcome == "completed"
        assert len(talk.server.exchanges) == 1


async def test_steering_is_delivered_before_the_next_request_and_a_follow_up_after_the_turn(project: Project) -> None:
    # S-2
    script = (slow("first answer, long enough"), says("second answer"), says("third answer"))
    async with conversation(project, *script, tree=COMMAND) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        later = await talk.session.prompt("/review later", streaming_behavior="follow_up")
        soon = await talk.session.prompt("/review now", streaming_behavior="steer")
        assert (later, soon) == (PromptResult("queued"), PromptResult("queued"))
        assert talk.of(QueueChanged)[-1] == QueueChanged(("Review now.",), ("Review later.",))
        await turn
        await talk.session.wait_idle()
        assert talk.sent(1) == ["go", "first answer, long enough", "Review now."]
        assert talk.sent(2)[3:] == ["second answer", "Review later."]
        assert talk.of(SteeringDelivered) == [SteeringDelivered("Review now.")]
        assert talk.of(QueueChanged)[-1] == QueueChanged((), ())
        assert [event.text for event in talk.of(TurnStarted)] == ["go", "Review later."]


async def test_a_command_of_an_extension_runs_at_once_while_a_turn_streams(project: Project) -> None:
    # S-3
    async with conversation(project, slow("a long answer " * 5), tree=EXTENSION) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        assert await talk.session.prompt("/hello now") == PromptResult("handled")
        assert talk.of(CommandSaid) == [CommandSaid("hello now")]
        assert not turn.done()
        await turn


@pytest.mark.parametrize("method", ["steer", "follow_up"])
async def test_a_command_of_an_extension_cannot_be_queued(project: Project, method: str) -> None:
    # S-3
    async with conversation(project, tree=EXTENSION) as talk:
        with pytest.raises(ExtensionCommandError, match="/hello is a command of an extension"):
            await getattr(talk.session, method)("/hello you")


@pytest.mark.parametrize("method", ["steer", "follow_up"])
async def test_what_is_queued_while_nothing_runs_is_sent(project: Project, method: str) -> None:
    # S-2
    async with conversation(project, says("ok")) as talk:
        await getattr(talk.session, method)("go on")
        await talk.session.wait_idle()
        assert talk.sent(0) == ["go on"]


async def test_an_abort_closes_the_connection_and_keeps_the_queue(project: Project) -> None:
    # S-2, T-16
    async with conversation(project, slow("an answer that takes long " * 20), says("ok"), says("and then")) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        await talk.session.follow_up("afterwards")
        await talk.session.steer("soon")
        await talk.session.abort()
        assert (await turn).outcome == "aborted"
        assert talk.server.exchanges[0].closed_at is not None
        assert len(talk.of(TurnAborted)) == 1
        assert talk.session.queue.texts("steer") == ("soon",)
        assert talk.session.queue.texts("follow_up") == ("afterwards",)
        await talk.session.prompt("again")
        await talk.session.wait_idle()
        assert talk.sent(1)[-1] == "again\n\nsoon"
        assert talk.sent(2)[-1] == "afterwards"
        assert [event.text for event in talk.of(SteeringDelivered)] == ["soon"]


async def test_a_failed_turn_is_told_in_words_and_the_queue_is_kept(project: Project) -> None:
    # S-14
    async with conversation(project, Failure(401, "bad key"), says("better")) as talk:
        assert (await talk.session.prompt("go")).outcome == "failed"
        (failed,) = talk.of(TurnFailed)
        assert "HTTP 401" in failed.message
        assert "key" in failed.hint
        assert (await talk.session.prompt("again")).text == "better"
        assert talk.sent(1) == ["go\n\nagain"]


async def test_a_steering_message_keeps_its_place_over_the_retry_for_a_stream_rule(project: Project) -> None:
    # T-8, S-2, S-14: the retraction comes first, and nothing is lost or doubled
    rule = {".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.'}
    script = (slow("let some more time go by, let a: any = 1"), says("let a: A = 1"))
    async with conversation(project, *script, tree=rule) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        await talk.session.steer("in short")
        assert (await turn).text == "let a: A = 1"
        names = talk.names()
        assert names.index("MessageRetracted") < names.index("RulesTriggered")
        assert len(talk.of(MessageRetracted)) == len(talk.of(RulesTriggered)) == 1
        assert "\n".join(talk.sent(1)).count("in short") == 1
        assert talk.session.queue.texts("steer") == ()


async def test_everything_is_written_down_before_it_is_acted_upon(project: Project) -> None:
    # S-13
    kept = Calls()
    async with conversation(project, slow("first answer, long enough"), says("more"), kept=Kept(kept)) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        assert kept.calls[:2] == [("prompt", "go"), ("messages", 1)]
        await talk.session.steer("now")
        assert kept.calls[-2:] == [("queue", (("now",), ())), ("steer", "now")]
        await turn
        assert list(kept.history) == talk.session.messages
        assert kept.calls[-1] == ("turn", "completed")
    assert kept.calls[-1] == ("close", None)


async def test_two_readers_each_see_every_event(project: Project) -> None:
    # S-14
    async with conversation(project, says("ok")) as talk:
        seen: list[list[str]] = [[], []]

        async def read(into: list[str]) -> None:
            async for event in talk.session.events():
                into.append(type(event).__name__)
                if isinstance(event, TurnCompleted):
                    return

        readers = [asyncio.create_task(read(into)) for into in seen]
        await asyncio.sleep(0)
        await talk.session.prompt("go")
        await asyncio.gather(*readers)
        assert seen[0] == seen[1] == talk.names()


async def test_a_caller_that_gives_up_waiting_does_not_end_the_turn(project: Project) -> None:
    # S-10
    async with conversation(project, slow("a long answer")) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        turn.cancel()
        await talk.session.wait_idle()
        assert len(talk.of(TurnCompleted)) == 1
