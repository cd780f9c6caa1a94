"""The agent session beside the bare framework: events, aborts, starts, long conversations, rules that watch."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator
from contextlib import contextmanager

from pydantic_ai import Agent, AgentStreamEvent, RunContext
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai_harness.coder import Coder

from bench.measure import Line, cpu_of_child
from xcsh.agent import StreamRules
from xcsh.api import discover
from xcsh.llm.reply import Delay, Reply, Text, cut, text
from xcsh.llm.sse_server import FakeModelServer, ModelServer
from xcsh.session.creating import create_agent_session

DELTAS, ROUNDS, STARTS, ABORTS, RULES = 5_000, 7, 9, 5, 50
EVENTS, ABORT, START, NO_RULES = 1.25, 100.0, 1.35, 1.1
GROWTH = 2.0
LATE = 10.0
"""As long as the history is longer: a turn that costs more than that is worse than linear."""
BARE = """\
import asyncio
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

async def read(ctx, events):
    async for _ in events:
        pass

print(asyncio.run(Agent(OpenAIChatModel("fake")).run("hi", event_stream_handler=read)).output)
"""
RULE = "---\ncondition: {condition}\n---\nDo not.\n"


async def deltas(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    del messages, info
    for at in range(DELTAS):
        yield f"w{at % 97} "


async def ignore(ctx: RunContext[object], events: AsyncIterable[AgentStreamEvent]) -> None:
    del ctx
    async for _ in events:
        pass


async def bare_run(agent: Agent[None, str] | None = None) -> float:
    """CPU seconds of one answer through the framework alone."""
    agent = agent or Agent(FunctionModel(stream_function=deltas))
    started = time.process_time()
    await agent.run("hi", event_stream_handler=ignore)
    return time.process_time() - started


async def session_run(folder: str) -> float:
    """CPU seconds of one answer through a session with one sink."""
    session = await create_agent_session(FunctionModel(stream_function=deltas), folder, home=folder)
    async with session:
        session.subscribe(lambda _: None)
        started = time.process_time()
        await session.prompt("hi")
        return time.process_time() - started


def best_of(rounds: int, *sides: Callable[[], float]) -> list[float]:
    """The least of each side; they alternate."""
    taken = [[side() for side in sides] for _ in range(rounds)]
    return [min(column) for column in zip(*taken, strict=True)]


def events() -> list[Line]:
    """The same stream through a session and through the framework."""
    with tempfile.TemporaryDirectory() as folder:
        coder = Agent(FunctionModel(stream_function=deltas), capabilities=[LocalWorkspace(folder), the_coder()])
        through, tools, bare = best_of(
            ROUNDS,
            lambda: asyncio.run(session_run(folder)),
            lambda: asyncio.run(bare_run(coder)),
            lambda: asyncio.run(bare_run()),
        )
    note = f"{DELTAS / through:,.0f} deltas a second, the framework {DELTAS / tools:,.0f}"
    alone = f"{DELTAS / bare:,.0f} a second; the framework hands each event through every capability"
    return [
        Line("an answer through the session / `agent.run` without any capability", through / bare, EVENTS, note=alone),
        Line("the same / `agent.run` with the same tools", through / tools, None, note=note),
    ]


def the_coder() -> Coder[None]:
    """The harness's tools, as the session has them."""
    return Coder[None](repo_context=False, sub_agents=False)


async def abort_once(folder: str) -> float:
    """Milliseconds from `abort()` to the moment in which the server sees the connection closed."""
    reply = Reply((Text(cut("a long answer")), Delay(60), text("never")))
    async with FakeModelServer([reply]) as server:
        provider = OpenAIProvider(f"{server.url}/v1", "key")
        async with OpenAIChatModel("fake", provider=provider) as model:
            session = await create_agent_session(model, folder, home=folder)
            async with session:
                turn = asyncio.ensure_future(session.prompt("hi"))
                while not (server.exchanges and server.exchanges[0].sent > 2):
                    await asyncio.sleep(0.005)  # the server says nothing
                started = time.monotonic()
                await session.abort()
                await turn
                while server.exchanges[0].closed_at is None:
                    await asyncio.sleep(0.001)
                return (server.exchanges[0].closed_at - started) * 1e3


def aborts() -> list[Line]:
    """How long a model writes on after the user has ended the turn."""
    with tempfile.TemporaryDirectory() as folder:
        taken = sorted(asyncio.run(abort_once(folder)) for _ in range(ABORTS))
    note = f"the longest of {ABORTS}: {taken[-1]:.1f} ms"
    return [Line("`abort()` to the closed connection, median", taken[len(taken) // 2], ABORT, " ms", note)]


@contextmanager
def served() -> Generator[str, None, None]:
    """The address of a model server in a thread of its own."""
    ready, over = threading.Event(), threading.Event()
    address: list[str] = []

    async def serve() -> None:
        async with ModelServer(lambda _: Reply((text("Good day."),))) as server:
            address.append(server.url)
            ready.set()
            while not over.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield address[0]
    finally:
        over.set()
        thread.join()


def starts() -> list[Line]:
    """A headless turn, from the command line to its answer, beside a script that asks the same."""
    xcsh = os.path.join(os.path.dirname(sys.executable), "xcsh")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "XCSH_"))}
    with tempfile.TemporaryDirectory() as folder, served() as url:
        environment |= {"HOME": folder, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "k", "NO_PROXY": "127.0.0.1"}
        turn = [xcsh, "-p", "--model", "openai-chat:fake", "hi"]
        script = [sys.executable, "-c", BARE]
        cpu_of_child(turn, environment, folder)  # compiles the byte code
        cpu_of_child(script, environment, folder)
        ours, bare = best_of(
            STARTS, lambda: cpu_of_child(turn, environment, folder), lambda: cpu_of_child(script, environment, folder)
        )
    note = f"{ours * 1e3:.0f} ms, the script {bare * 1e3:.0f}"
    return [Line("`xcsh -p` / a bare script, minima", ours / bare, START, note=note)]


def child(mode: str) -> dict[str, float]:
    """The figures of bench/long_session.py."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.long_session", mode], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def long_sessions() -> list[Line]:
    """What 1,000 turns cost beside the framework, which is given its history each time."""
    ours, bare = child("session"), child("bare")
    grown, history = (side["held_late"] - side["held_early"] for side in (ours, bare))
    early, late = ours["early"] * 1e3, ours["late"] * 1e3
    base = f"the framework {bare['late'] * 1e3:.1f} ms and {bare['early'] * 1e3:.1f}"
    added = (ours["late"] - bare["late"]) / (ours["early"] - bare["early"])
    return [
        Line("memory after 100 turns", ours["held_early"], None, " MB", f"the framework {bare['held_early']:.0f}"),
        Line("memory after 1,000 turns", ours["held_late"], None, " MB", f"the framework {bare['held_late']:.0f}"),
        Line("its growth / the framework's, which holds the same history", grown / history, GROWTH,
             note=f"{grown / 0.9:.1f} KB a turn, the framework {history / 0.9:.1f}"),
        Line("a turn at 1,000 / a turn at 100", late / early, LATE, note=f"{late:.1f} ms and {early:.1f}; {base}"),
        Line("what the session adds to a turn, at 1,000 / at 100", added, LATE, note="10 is as the history grows"),
    ]  # fmt: skip


def watched() -> list[Line]:
    """An agent with `StreamRules` beside one without: with no rules, and with many."""
    with tempfile.TemporaryDirectory() as folder:
        none = Agent(FunctionModel(stream_function=deltas), capabilities=[StreamRules(discover(folder, home=folder))])
        rules = os.path.join(folder, ".xcsh", "rules")
        os.makedirs(rules)
        for at in range(RULES):
            with open(os.path.join(rules, f"r{at}.md"), "w", encoding="utf-8") as file:
                file.write(RULE.format(condition=json.dumps(rf"\bforbidden{at}\s*\(")))
        many = Agent(FunctionModel(stream_function=deltas), capabilities=[StreamRules(discover(folder, home=folder))])
        without, with_many, bare = best_of(
            ROUNDS,
            lambda: asyncio.run(bare_run(none)),
            lambda: asyncio.run(bare_run(many)),
            lambda: asyncio.run(bare_run()),
        )
    each = (with_many - bare) / DELTAS * 1e6
    return [
        Line("an agent with `StreamRules` and no rules / without it", without / bare, NO_RULES),
        Line(f"the same with {RULES} rules", with_many / bare, None, note=f"{each:.1f} µs a delta"),
    ]


def run() -> list[Line]:
    """Every line of the group."""
    return [*events(), *aborts(), *starts(), *long_sessions(), *watched()]
