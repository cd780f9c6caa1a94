"""The transcript on a real terminal, in a process of its own: a stream, keys while it runs, pages of a long one.

`python -m bench.tui_child WHAT FILE` writes its figures into FILE as JSON. WHAT: `ours`, `log`, `pages`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

from pydantic_ai.models.test import TestModel
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Log, TextArea

from xcsh.agent.events import MessageCompleted, TextDelta
from xcsh.session.agent_session import AgentSession
from xcsh.session.creating import create_agent_session
from xcsh.tui.transcript.transcript import Transcript

RATE, SECONDS, TICK = 2_000, 6.0, 0.01
LINES, FEW, PAGES = 10_000, 100, 40
WORDS = re.split(
    " ", "the total of a cart is `sum(item.price)` for **every** item, see src/cart.ts:12 and rule://money"
)


def tokens(count: int) -> list[str]:
    """Text as a model writes it: paragraphs, lists, code."""
    made: list[str] = []
    for at in range(count):
        made.append(f"{WORDS[at % len(WORDS)]} ")
        if at % 60 == 59:
            made[-1] += "\n\n"
        elif at % 600 == 300:
            made[-1] += "\n\n```python\n" + "total = sum(items)  # a line of code\n" * 12 + "```\n\n"
        elif at % 200 == 100:
            made[-1] += "\n\n- one\n- two\n- three\n\n"
    return made


class Bench(App[None]):
    """A widget that shows a stream, above one to type in."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what
        self.figures: dict[str, float] = {}
        self._typed: asyncio.Event = asyncio.Event()

    def compose(self) -> ComposeResult:
        yield Log() if self.what == "log" else Transcript()
        yield TextArea(id="prompt")

    def on_mount(self) -> None:
        self.query_one("#prompt").styles.height = 4
        self.query_one("#prompt").focus()
        self.call_after_refresh(lambda: self.run_worker(self._run()))

    async def _run(self) -> None:
        await asyncio.sleep(0.3)
        if self.what == "pages":
            self.figures = {"few": await self._pages(FEW), "many": await self._pages(LINES)}
        else:
            await self._stream()
        self.exit()

    async def _stream(self) -> None:
        if self.what == "ours":
            await self.query_one(Transcript).open(await new_session())
        write, close = self._writer()
        waits: list[tuple[float, float]] = []
        stop = asyncio.Event()
        watching = asyncio.create_task(self._watch(waits, stop))
        typing = asyncio.create_task(self._type(stop))
        text = tokens(int(RATE * SECONDS))
        started, cpu = time.monotonic(), time.process_time()
        at = 0
        while at < len(text):
            due = min(len(text), int((time.monotonic() - started) * RATE))
            for piece in text[at:due]:
                await write(piece)
            at = due
            await asyncio.sleep(TICK)
        self.figures["share"] = (time.process_time() - cpu) / (time.monotonic() - started)
        self.figures["seconds"] = time.monotonic() - started
        stop.set()
        self.figures["key"], self.figures["key_waited"] = await typing
        await watching
        self.figures["stall"], self.figures["stall_waited"] = longest(waits)
        await close()

    def _writer(self) -> tuple[Callable[[str], Awaitable[object]], Callable[[], Awaitable[object]]]:
        if self.what == "log":
            log = self.query_one(Log)

            async def line(piece: str) -> None:
                log.write(piece)

            return line, cast("Any", lambda: asyncio.sleep(0))
        transcript = self.query_one(Transcript)
        return (
            lambda piece: transcript.show(TextDelta(piece)),
            lambda: transcript.show(MessageCompleted("")),
        )

    async def _watch(self, waits: list[tuple[float, float]], stop: asyncio.Event) -> None:
        """What the loop does before it comes back to a task that wants to run every 5 ms: its CPU time, the time."""
        while not stop.is_set():
            cpu, before = time.thread_time(), time.monotonic()
            await asyncio.sleep(0.005)
            waits.append((time.thread_time() - cpu, time.monotonic() - before - 0.005))

    async def _type(self, stop: asyncio.Event) -> tuple[float, float]:
        """From a key to the screen that shows it, the longest: CPU time of the loop, and time."""
        taken: list[tuple[float, float]] = []
        while not stop.is_set():
            await asyncio.sleep(0.11)
            self._typed.clear()
            cpu, before = time.thread_time(), time.monotonic()
            self.post_message(events.Key("x", "x"))
            await self._typed.wait()
            taken.append((time.thread_time() - cpu, time.monotonic() - before))
        return longest(taken)

    def on_text_area_changed(self) -> None:
        self.call_after_refresh(self._typed.set)

    async def _pages(self, lines: int) -> float:
        """Milliseconds from a page up or down to its repaint, the median, in a transcript of so many lines."""
        transcript = self.query_one(Transcript)
        await transcript.open(await new_session())
        text = tokens(lines * 8)
        at = 0
        while transcript.virtual_size.height < lines and at < len(text):
            await transcript.show(TextDelta("".join(text[at : at + 400])))
            await transcript.show(MessageCompleted("x"))
            at += 400
            await asyncio.sleep(0)
        await asyncio.sleep(1.0)
        taken: list[float] = []
        page = transcript.size.height
        step = -page
        for _ in range(PAGES):
            if transcript.scroll_y <= 0 or transcript.scroll_y >= transcript.max_scroll_y:
                step = page if transcript.scroll_y <= 0 else -page
            done = asyncio.Event()
            before = time.thread_time()
            transcript.scroll_relative(y=step, animate=False)
            transcript.call_after_refresh(done.set)
            await done.wait()
            taken.append(time.thread_time() - before)
        return statistics.median(taken) * 1e3


def longest(taken: list[tuple[float, float]]) -> tuple[float, float]:
    """The most of each, in milliseconds."""
    return max(cpu for cpu, _ in taken) * 1e3, max(wall for _, wall in taken) * 1e3


async def new_session() -> AgentSession:
    """A session without messages: each clears the transcript of the one before."""
    home = os.environ["HOME"]  # an empty folder of the parent's
    return await create_agent_session(TestModel(), home, home=home)


if __name__ == "__main__":
    app = Bench(sys.argv[1])
    app.run()
    if not app.figures:
        sys.exit("it was not measured: a mistake has ended it")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(app.figures, file)
