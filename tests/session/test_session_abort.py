"""A user who ends what runs, at every stage of it: nothing is left behind, and the next prompt works."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import ANTHROPIC, OPENAI, until
from tests.session.sessions import KEEP_LITTLE, Conversation, calls, conversation, says, slow
from tests.support import Project, Tree

from xcsh.agent.consent.capability import Consent
from xcsh.agent.consent.request import Answer, ConsentRequest
from xcsh.agent.consent.settings import permissions_of
from xcsh.agent.events import RequestResent, ToolCalled
from xcsh.agent.resending import Resending
from xcsh.llm.reply import Delay, Failure, Reply, text
from xcsh.session.events import Notice, TurnAborted
from xcsh.session.results import ClosedSessionError, PromptResult

WIRES = pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC])
HANDLERS: Tree = {
    ".xcsh/extensions/wait.py": (
        "import asyncio\nimport time\n"
        "def register(xcsh):\n"
        "    @xcsh.command('wait')\n"
        "    async def wait(context, args):\n"
        "        context.say('waiting')\n"
        "        await asyncio.sleep(60)\n"
    ),
    ".xcsh/commands/hang.py": "import time\ndef run(context, args):\n    context.say('waiting')\n    time.sleep(60)\n",
}


class Stage(NamedTuple):
    """Where a turn is when it is ended: its script, and what shows that it has come so far."""

    script: tuple[Reply | Failure, ...]
    reached: Callable[[Conversation], Awaitable[object]]
    typed: str = "go"
    more: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it


async def asking(talk: Conversation) -> None:
    await until(lambda: bool(QUESTIONS))


QUESTIONS: list[ConsentRequest] = []


async def never(request: ConsentRequest) -> Answer:
    QUESTIONS.append(request)
    await asyncio.Event().wait()
    raise AssertionError


def shell(folder: Path) -> Reply:
    return calls("shell", {"command": f"echo $$ > {folder}/pid; exec sleep 60"})


STAGES = {
    "before-the-first-byte": Stage((Reply((Delay(30), text("late"))),), lambda talk: talk.requests(1)),
    "in-a-text": Stage((slow("a long answer " * 20),), lambda talk: talk.streaming()),
    "in-a-call": Stage(
        (Reply((*calls("shell", {"command": "echo " + "x" * 400}).pieces,), 0.02),), lambda talk: talk.streaming()
    ),
    "while-asking": Stage(
        (calls("shell", {"command": "rm -r everything"}),),
        asking,
        more={"consent": lambda registry: Consent(permissions_of(registry, asks=True), never)},
    ),
    "in-a-pause": Stage(
        (Failure(500, "down"),),
        lambda talk: talk.seen(RequestResent),
        more={"resending": Resending(attempts=3, pause=30)},
    ),
}
EVERY_STAGE = pytest.mark.parametrize("stage", STAGES)


@asynccontextmanager
async def reached(project: Project, name: str, wire: str, *after: Reply) -> AsyncGenerator[tuple[Any, Conversation]]:
    QUESTIONS.clear()
    stage = STAGES[name]
    async with conversation(project, *stage.script, *after, wire=wire, **stage.more) as talk:
        turn = asyncio.ensure_future(talk.session.prompt(stage.typed))
        await stage.reached(talk)
        yield turn, talk


@WIRES
@EVERY_STAGE
async def test_an_abort_ends_a_turn_at_every_stage_and_the_next_prompt_works(
    project: Project, stage: str, wire: str
) -> None:
    # S-25, T-16
    async with reached(project, stage, wire, says("better")) as (turn, talk):
        await asyncio.gather(talk.session.abort(), talk.session.abort())  # twice
        assert (await turn).outcome == "aborted"
        assert len(talk.of(TurnAborted)) == 1
        assert not talk.session.is_streaming
        assert talk.written() == ["go"]
        assert (await talk.session.prompt("again")).text == "better"
        assert talk.written() == ["go", "again"]
        check_requests(talk.server)


@WIRES
@EVERY_STAGE
async def test_a_session_can_be_closed_at_every_stage(project: Project, stage: str, wire: str) -> None:
    # S-13
    async with reached(project, stage, wire) as (turn, talk):
        await talk.session.close()
        assert (await turn).outcome == "aborted"
        await talk.session.close()
        with pytest.raises(ClosedSessionError):
            await talk.session.prompt("again")


@EVERY_STAGE
async def test_an_abort_keeps_what_waits_and_sends_it_later_in_order(project: Project, stage: str) -> None:
    # S-2
    async with reached(project, stage, OPENAI, says("one"), says("two"), says("three")) as (turn, talk):
        for say, content in ((talk.session.follow_up, "later"), (talk.session.steer, "soon")):
            await say(content)
        await talk.session.abort()
        await turn
        assert (talk.session.queue.texts("steer"), talk.session.queue.texts("follow_up")) == (("soon",), ("later",))
        await talk.session.prompt("again")
        await talk.session.wait_idle()
        assert [text for text in talk.written() if text] == ["go", "again", "soon", "later"]
        check_requests(talk.server)


@WIRES
@pytest.mark.parametrize("end", ["abort", "close"])
async def test_a_command_of_the_shell_is_gone_when_its_turn_is_ended(project: Project, wire: str, end: str) -> None:
    # S-12, S-25
    script = (shell(project.root), says("better"))
    async with conversation(project, *script, wire=wire, allow=frozenset({"shell"})) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.seen(ToolCalled)
        pid = project.root / "pid"
        await until(lambda: pid.exists() and bool(pid.read_text().strip()))
        await getattr(talk.session, end)()
        assert (await turn).outcome == "aborted"
        await until(lambda: not alive(int(pid.read_text())))
        if end == "abort":
            assert (await talk.session.prompt("again")).text == "better"
            check_requests(talk.server)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIG_DFL)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.parametrize("name", ["wait", "hang"])
@pytest.mark.parametrize("end", ["abort", "close"])
async def test_the_handler_of_a_command_can_be_ended(project: Project, name: str, end: str) -> None:
    # S-5, S-25: it counts as handled, and nothing is sent
    async with conversation(project, says("ok"), tree=HANDLERS) as talk:
        running = asyncio.ensure_future(talk.session.prompt(f"/{name}"))
        await until(lambda: "CommandSaid" in talk.names())
        await getattr(talk.session, end)()
        assert await running == PromptResult("aborted")
        assert [event.text for event in talk.of(Notice)] == [f"/{name} was ended before it was done"]
        if end == "abort":
            assert (await talk.session.prompt("go on")).text == "ok"


async def test_a_handler_that_is_ended_leaves_the_turn_beside_it_ended_too(project: Project) -> None:
    # S-3, S-25
    async with conversation(project, slow("a long answer " * 20), says("ok"), tree=HANDLERS) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        await talk.streaming()
        running = asyncio.ensure_future(talk.session.prompt("/wait"))
        await until(lambda: "CommandSaid" in talk.names())
        await talk.session.abort()
        assert (await turn).outcome == (await running).outcome == "aborted"


async def test_an_abort_while_nothing_runs_does_nothing(project: Project) -> None:
    # S-25
    async with conversation(project, says("ok")) as talk:
        await talk.session.abort()
        assert talk.events == []
        assert (await talk.session.prompt("go")).text == "ok"
        await talk.session.abort()
        assert talk.of(TurnAborted) == []


async def test_an_abort_before_a_turn_has_begun_keeps_its_prompt(project: Project) -> None:
    # S-13, S-25
    async with conversation(project, says("ok")) as talk:
        turn = asyncio.ensure_future(talk.session.prompt("go"))
        for _ in range(3):
            await asyncio.sleep(0)
        await talk.session.abort()
        assert (await turn).outcome == "aborted"
        assert talk.written() == ["go"]
        await talk.session.prompt("again")
        assert talk.sent(len(talk.server.exchanges) - 1) == ["go\n\nagain"]


async def test_a_session_that_is_closed_during_a_compaction_sends_nothing_more(project: Project) -> None:
    # S-4, S-13
    script = (says("one"), says("two"), slow("a summary that takes long " * 20), says("never"))
    async with conversation(project, *script, tree={**KEEP_LITTLE, **HANDLERS}) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        compaction = asyncio.ensure_future(talk.session.compact())
        await talk.streaming(3)
        await talk.session.follow_up("held")
        await talk.session.close()
        assert not await compaction
        assert len(talk.server.exchanges) == 3


async def test_what_is_held_behind_a_handler_that_is_ended_is_sent(project: Project) -> None:
    # S-4, S-25
    script = (says("one"), says("two"), slow("a summary " * 2), says("three"))
    async with conversation(project, *script, tree={**KEEP_LITTLE, **HANDLERS}) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        compaction = asyncio.ensure_future(talk.session.compact())
        await talk.streaming(3)
        await talk.session.prompt("/wait")
        await talk.session.prompt("held")
        await until(lambda: "CommandSaid" in talk.names())
        assert await talk.session.follow_up("said while it is replayed") == PromptResult("queued")
        await talk.session.abort()
        assert await compaction
        await talk.session.wait_idle()
        assert talk.written() == ["first", "held", "said while it is replayed"]
