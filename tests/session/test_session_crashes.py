"""Processes that are killed in the middle of a turn: the session goes on, and nothing acknowledged is lost (S-13)."""

from __future__ import annotations

import asyncio
import os
import random
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelRequest, UserPromptPart
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import ANTHROPIC, OPENAI, model_at, text_of
from tests.session.sessions import KEEP_LITTLE, calls, conversation, says
from tests.support import Project

from xcsh.llm.reply import Failure, Reply, WireRequest
from xcsh.llm.sse_server import ModelServer
from xcsh.session.creating import create_agent_session
from xcsh.session.events import TurnStarted
from xcsh.session.keeping import Kept, keep_session, resume_session

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
ROUNDS = int(os.environ.get("SOAK_ROUNDS", "20"))
PACE = 0.002
TEXTS = ("prompt", "follow", "steer")


def respond(request: WireRequest) -> Reply | Failure:
    """Writes a file, and says so; what has no tools asks for a summary."""
    messages = request.body["messages"]
    assert isinstance(messages, list)
    if not request.body.get("tools"):
        return says("the summary")._replace(pace=PACE)
    written = sum("Wrote" in text_of(message) or message["role"] == "tool" for message in messages)
    last = messages[-1]
    is_result = last["role"] == "tool" or any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in last["content"]
    )
    if is_result:
        return says("it is written, and that is all there is to say")._replace(pace=PACE)
    name = ("a.txt", f"new/{written}.txt")[written % 2]
    reply = calls("write_file", {"path": name, "content": f"version {written}\n"}, f"c{len(messages)}")
    return reply._replace(pace=PACE)


def forked(work: Callable[[], None]) -> int:
    """Runs something in a process of its own, which has all that is imported here; its id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads, from Python 3.12 on
        pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    except BaseException:  # noqa: BLE001 - a process of the test's own, which must not go on as pytest
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(code)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a model server in a process of its own."""
    reading, writing = os.pipe()

    async def serve() -> None:
        async with ModelServer(respond) as server:
            os.write(writing, server.url.encode() + b"\n")
            await asyncio.Event().wait()

    pid = forked(lambda: asyncio.run(serve()))
    os.close(writing)
    with os.fdopen(reading) as pipe:
        yield pipe.readline().strip()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


class Server:
    """As much of a server as a model needs."""

    def __init__(self, url: str) -> None:
        self.url = url


async def talk_on(project: Project, address: str, wire: str, acknowledged: int) -> None:
    """Prompts, queues and shortens until it is killed. What is acknowledged is written to the pipe, a line each."""

    def say(text: str) -> None:
        os.write(acknowledged, f"{text}\n".encode())

    def on_event(event: object) -> None:
        if isinstance(event, TurnStarted) and event.text.startswith("prompt"):
            say(event.text)

    kept = keep_session(os.fspath(project.home / "sessions"), os.fspath(project.root))
    async with model_at(Server(address), wire) as model:  # type: ignore[arg-type]
        session = await create_agent_session(
            model, project.root, home=project.home, kept=kept, allow=frozenset({"write_file"})
        )
        session.subscribe(on_event)
        say(kept.file.path)
        for number in range(1_000):
            turn = asyncio.ensure_future(session.prompt(f"prompt {number}"))
            await asyncio.sleep(0.01)
            for kind, method in (("follow", session.follow_up), ("steer", session.steer)):
                await method(f"{kind} {number}")
                say(f"{kind} {number}")
            await turn
            if number % 2:
                await session.compact()
            await session.wait_idle()


def killed_talk(project: Project, address: str, wire: str, seconds: float) -> tuple[str, list[str]]:
    """The file of a session whose process was killed after so long, and the texts that it had acknowledged."""
    reading, writing = os.pipe()
    pid = forked(lambda: asyncio.run(talk_on(project, address, wire, writing)))
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        select.select([pipe], [], [], 60)
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        lines = b"".join(iter(lambda: pipe.read(65_536), b"")).decode().splitlines()
    assert os.WIFSIGNALED(status), "it ended by itself"
    return lines[0], lines[1:]


def places(kept: Kept) -> list[str]:
    """Every text of the user that the session has, in the history or in the queue."""
    parts = [part for message in kept.history if isinstance(message, ModelRequest) for part in message.parts]
    said = [part.content for part in parts if isinstance(part, UserPromptPart) and isinstance(part.content, str)]
    return [*said, *kept.queue[0], *kept.queue[1]]


async def go_on(project: Project, kept: Kept, wire: str) -> None:
    """The next prompts are answered, what they send is valid, and the changes of files can be taken back."""
    async with conversation(project, *(says("ok") for _ in range(12)), wire=wire, kept=kept) as talk:
        while await talk.session.undo() is not None:
            pass
        assert (await talk.session.prompt("after the crash")).outcome == "completed"
        await talk.session.wait_idle()
        assert talk.session.queue.entries == ()
        check_requests(talk.server)


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_session_that_is_killed_in_a_turn_goes_on(tmp_path: Path, address: str, round_: int) -> None:
    # S-13
    chance = random.Random(round_)
    wire = (OPENAI, ANTHROPIC)[round_ % 2]
    project = Project(tmp_path / "scene")
    project.write({"a.txt": "mine\n", **KEEP_LITTLE})
    path, acknowledged = killed_talk(project, address, wire, chance.uniform(0, 0.6))
    kept = resume_session(path)
    assert kept.stored is not None
    shortened = any("the summary" in str(message) for message in kept.history)
    found = places(kept)
    for text in acknowledged:
        count = found.count(text)
        # A summary stands in the place of texts that it was made of.
        assert count == 1 or (shortened and count == 0), f"{text!r} is there {count} times of {found}"
    asyncio.run(go_on(project, kept, wire))
    assert (project.root / "a.txt").read_text() == "mine\n"
    assert [path for path in project.root.rglob("*") if path.is_file()] == [project.root / "a.txt"]
    again = resume_session(path)
    assert again.stored is not None
    assert again.stored.unanswered == ()
    again.file.close()
