"""A session of many turns in a process of its own; prints its figures as JSON: `python -m bench.long_session MODE`."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel

from xcsh.session.creating import create_agent_session
from xcsh.session.keeping import keep_session

TURNS, EARLY, LATE, AROUND = 1_000, 100, 1_000, 20


async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    del messages, info
    for at in range(20):
        yield f"word {at} of "


async def bare_turns(step: Callable[[int, list[ModelMessage]], None]) -> None:
    """The framework alone, which is given its history each time."""
    agent = Agent(FunctionModel(stream_function=answer))
    history: list[ModelMessage] = []

    async def read(ctx: object, events: object) -> None:
        del ctx
        async for _ in events:  # type: ignore[attr-defined]
            pass

    for turn in range(1, TURNS + 1):
        result = await agent.run(f"question {turn}", message_history=history, event_stream_handler=read)
        history = result.all_messages()
        step(turn, history)


async def session_turns(step: Callable[[int, list[ModelMessage]], None]) -> None:
    """A session that is written down."""
    with tempfile.TemporaryDirectory() as folder:
        kept = keep_session(os.path.join(folder, "sessions"), folder)
        session = await create_agent_session(FunctionModel(stream_function=answer), folder, home=folder, kept=kept)
        async with session:
            for turn in range(1, TURNS + 1):
                result = await session.prompt(f"question {turn}")
                assert result.outcome == "completed"
                step(turn, session.messages)


def figures(turns: Callable[[Callable[[int, list[ModelMessage]], None]], Awaitable[None]]) -> dict[str, float]:
    """CPU seconds of a turn, medians of the turns before EARLY and before LATE, and the megabytes held after them."""
    stamps = [time.process_time()]
    held: list[float] = []

    def step(turn: int, history: list[ModelMessage]) -> None:
        del history
        stamps.append(time.process_time())
        if turn in (EARLY, LATE):
            gc.collect()
            held.append(resident())

    asyncio.run(turns(step))  # type: ignore[arg-type]
    taken = [after - before for before, after in itertools.pairwise(stamps)]
    early, late = (statistics.median(taken[turn - AROUND - 1 : turn - 1]) for turn in (EARLY, LATE))
    return {"early": early, "late": late, "held_early": held[0], "held_late": held[1]}


def resident() -> float:
    """Megabytes of this process in memory; the most there ever was where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    json.dump(figures(session_turns if sys.argv[1] == "session" else bare_turns), sys.stdout)
