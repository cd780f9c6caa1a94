"""Draws the pictures of docs/images: the application over the example project and its recorded conversation."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, chdir

from textual.pilot import Pilot

from xcsh.cli.opening_sessions import OpeningSessions
from xcsh.cli.options import parse
from xcsh.tui.app import ChatApp
from xcsh.tui.dialogs.consent import ConsentDialog

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IMAGES = os.path.join(ROOT, "docs", "images")
SIZE, TALL = (100, 30), (100, 56)
QUESTION = "Add a total() helper to src/cart.ts; how should errors leave the API?"
TESTS = "npm test -- src/cart.test.ts"
PATIENCE = 60.0


@asynccontextmanager
async def application(recording: list[object], size: tuple[int, int]) -> AsyncGenerator[tuple[ChatApp, Pilot[None]]]:
    """The application in a copy of examples/shop, with a home of its own; a model that answers from a recording."""
    with tempfile.TemporaryDirectory() as home, chdir(home):
        shutil.copytree(os.path.join(ROOT, "examples", "shop"), os.path.join(home, "shop"))
        write_recording(recording)
        os.environ.update(HOME=home, PYDANTIC_AI_NO_BANNER="1")
        arguments = ["-C", "shop", "--no-session", "--allow", "edit", "--model", "replay:recording.jsonl"]
        opening = OpeningSessions(parse(arguments))
        app = ChatApp(opening.open, title=lambda: opening.title, theme="dark")
        async with app.run_test(size=size) as pilot:
            await until(lambda: app.conversation.session is not None or app.failure is not None)
            if app.failure is not None:
                raise app.failure
            app.prompt.cursor_blink = False
            yield app, pilot
            app.action_leave()
        await app.closed()


async def until(condition: Callable[[], bool]) -> None:
    """Waits for what the application does by itself."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - the application knows nothing of its pictures
            await asyncio.sleep(0.02)


async def settled(app: ChatApp, pilot: Pilot[None]) -> None:
    """Waits until nothing is going on and the screen stays as it is."""
    await app.conversation.settled()
    before = ""
    while (now := app.export_screenshot()) != before:
        before = now
        await pilot.pause(0.3)


async def conversation(recording: list[object]) -> AsyncGenerator[tuple[str, str]]:
    """A turn with a stream rule and a change, then the popup and the dashboard over it."""
    async with application(recording, TALL) as (app, pilot):
        app.prompt.put(QUESTION)
        await pilot.press("enter")
        await until(lambda: "mixed_currencies" in app.last_answer)
        await settled(app, pilot)
        app.transcript.focus()
        await pilot.press("enter", "escape")  # unfolds the change, which stands before the last message
        await settled(app, pilot)
        yield "conversation", app.export_screenshot(title="xcsh")
    async with application(recording, SIZE) as (app, pilot):
        await pilot.press("/", "r", "e")
        await settled(app, pilot)
        yield "completion", app.export_screenshot(title="xcsh")
        await pilot.press("escape", "f2")
        await until(lambda: app.screen is not app.screen_stack[0])
        await settled(app, pilot)
        await pilot.press("down", "down", "down")
        await settled(app, pilot)
        yield "dashboard", app.export_screenshot(title="xcsh")


async def consent() -> AsyncGenerator[tuple[str, str]]:
    """The question before a command."""
    call = {"reply": [{"text": "I run the tests of the cart."}, {"tool": "shell", "arguments": {"command": TESTS}}]}
    async with application([{"recording": 1}, call], SIZE) as (app, pilot):
        app.prompt.put("Do the tests still pass?")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ConsentDialog) and app.screen.armed)
        await pilot.pause(0.5)
        yield "consent", app.export_screenshot(title="xcsh")
        await pilot.press("n")


def write(name: str, picture: str) -> None:
    """A picture, without the spaces at the ends of its lines."""
    with open(os.path.join(IMAGES, f"{name}.svg"), "w", encoding="utf-8") as file:
        file.write(re.sub(r"[ \t]+$", "", picture, flags=re.MULTILINE))
    print(f"wrote docs/images/{name}.svg")


def read_recording(name: str) -> list[object]:
    """The lines of a recording of examples/, played without pauses."""
    with open(os.path.join(ROOT, "examples", "recordings", name), encoding="utf-8") as file:
        lines: list[object] = [json.loads(line) for line in file]
    return [{"recording": 1}, *lines[1:]]


def write_recording(lines: list[object]) -> None:
    """As a file in the working folder."""
    with open("recording.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


async def main() -> None:
    """Draws them all."""
    os.makedirs(IMAGES, exist_ok=True)
    for pictures in (conversation(read_recording("shop.jsonl")), consent()):
        async for name, picture in pictures:
            write(name, picture)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
