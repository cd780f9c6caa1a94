"""Every kind of event has a shape in the schema, and turns that produce them all keep to it."""

from __future__ import annotations

import asyncio
import json
from importlib import resources
from typing import get_args

from tests.cli.shapes import check_shape
from tests.session.sessions import KEEP_LITTLE, conversation, says, slow
from tests.support import USER_SETTINGS, Project

from xcsh.agent.consent.settings import grants
from xcsh.agent.events import TurnEvent
from xcsh.llm.reply import Failure, Reply, Thinking, ToolCall, cut, text
from xcsh.session.events import EVENTS, SessionNotSaved, event_json, event_name

TREE = {
    USER_SETTINGS: KEEP_LITTLE[USER_SETTINGS],
    ".xcsh/rules/no-any.md": "---\ncondition: ': any'\n---\nNever write any.",
    ".xcsh/rules/ts.md": "---\nglobs: ['src/**']\n---\nUse tabs.",
    ".xcsh/commands/review.md": "---\nallowed-tools: Bash(git log)\n---\nReview $1.",
    "src/a.ts": "let a = 1\n",
    ".xcsh/extensions/hello.py": (
        "def register(xcsh):\n"
        "    @xcsh.command('hello')\n"
        "    def hello(context, args):\n"
        "        context.say('hello')\n"
        "    @xcsh.command('broken')\n"
        "    def broken(context, args):\n"
        "        raise ValueError('no')\n"
    ),
}
ELSEWHERE = {event_name(SessionNotSaved)}
"""Needs a full disk: tests/session drives it."""


def test_every_event_has_exactly_one_shape() -> None:
    # S-14, U-3
    file = resources.files("xcsh").joinpath("schemas/output.schema.json")
    schema = json.loads(file.read_text(encoding="utf-8"))
    assert [shape["title"] for shape in schema["$defs"]["event"]["oneOf"]] == [event_name(event) for event in EVENTS]
    assert set(get_args(TurnEvent)) <= set(EVENTS)
    assert len({event_name(event) for event in EVENTS}) == len(EVENTS)


async def test_turns_that_produce_every_event_keep_to_the_shapes(project: Project) -> None:
    # S-14, U-3
    read = ToolCall("c1", "read_file", cut('{"path": "src/a.ts"}'))
    write = ToolCall("c2", "write_file", cut('{"path": "notes.txt", "content": "one"}'))
    script = (
        Failure(529, "overloaded"),
        Reply((Thinking(cut("I think.")), text("const a: any = 1; and more of it"))),
        Reply((text("I look."), read, write)),
        says("done"),
        slow("a long answer, long enough"),
        says("steered"),
        says("followed"),
        slow("a long answer, long enough to abort"),
        Failure(401, "no key"),
        Failure(400, "no summary"),
        says("a summary"),
    )
    async with conversation(project, *script, tree=TREE, allow=grants(["write"])) as talk:
        session = talk.session
        await session.prompt("/hello")
        await session.prompt("/broken")
        assert (await session.prompt("/review src")).outcome == "completed"
        turn = asyncio.ensure_future(session.prompt("more"))
        await talk.streaming(5)
        await session.steer("only this")
        await session.follow_up("then that")
        await turn
        await session.wait_idle()
        turn = asyncio.ensure_future(session.prompt("even more"))
        await talk.streaming(8)
        await session.abort()
        await turn
        assert (await session.prompt("once more")).outcome == "failed"
        session.model.think("low")
        session.note("a command of the user printed this")
        await session.reload()
        await session.compact()
        await session.compact()
        lines = [event_json(event) for event in talk.events]
    for line in json.loads(json.dumps(lines, allow_nan=False)):
        check_shape("event", line)
    told = {str(line["type"]) for line in lines} | ELSEWHERE
    assert told >= {event_name(event) for event in EVENTS} - {"notice"}, sorted({event_name(e) for e in EVENTS} - told)
