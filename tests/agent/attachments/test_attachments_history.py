"""Delivered means still in the history: resume, compaction, reload, delegation. Real HTTP throughout."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace, ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai_harness.coder import Coder
from pydantic_ai_harness.compaction import (
    ClampOversizedMessages,
    ClearToolResults,
    DeduplicateFileReads,
    SlidingWindowCompaction,
    SummarizingCompaction,
    TieredCompaction,
    compact_now,
)
from tests.agent.attachments.attaching import BOTH, DONE, TREE, attaching, blocks_in, call, calls, reads, turn, writes
from tests.agent.stream_rules.guarded import WIRES, reopened
from tests.llm.wire_models import bodies, model_at, scripted, text_of
from tests.support import Project

from xcsh.agent import RuleAttachments
from xcsh.agent.attachments.delivered import delivered
from xcsh.llm.reply import Reply, text
from xcsh.llm.sse_server import FakeModelServer

SUMMARY = Reply((text("They read a file."),))
NEXT = (reads("src/Cart.tsx", "c8"), writes("src/Cart.tsx", call_id="c9"))


@WIRES
@pytest.mark.parametrize("keep", [list, reopened])
async def test_a_conversation_that_goes_on_gets_no_rule_twice(
    project: Project, wire: str, keep: Callable[[list[ModelMessage]], list[ModelMessage]]
) -> None:
    # R-54, S-30: read from the messages, which outlive JSON
    registry = project(TREE)
    first = await turn(registry, reads("src/api.ts"), wire=wire)
    second = await turn(registry, *NEXT, wire=wire, history=keep(first.messages))
    assert second.attached() == ["errors", "react"]
    assert second.shown() == [(["react"], "src/Cart.tsx", False)]
    assert project.path("src/Cart.tsx").read_text() == "new\n"


async def test_a_conversation_that_was_saved_while_a_change_was_held_back_goes_on_with_its_repeat(
    project: Project,
) -> None:
    #
    registry = project(TREE)
    first = await turn(registry, writes("src/Cart.tsx"))
    second = await turn(registry, writes("src/Cart.tsx", call_id="c2"), history=reopened(first.messages))
    assert project.path("src/Cart.tsx").read_text() == "new\n"
    assert second.shown() == []


async def test_a_new_conversation_starts_anew(project: Project) -> None:
    #
    registry = project(TREE)
    async with scripted(reads("src/api.ts"), DONE, reads("src/api.ts"), DONE) as (model, server):
        agent = attaching(model, registry)
        await agent.run("go")
        await agent.run("go")
    assert [blocks_in(body) for body in bodies(server)] == [[], ["errors"], [], ["errors"]]


def file_of(part: ToolCallPart) -> str | None:
    return str(part.args_as_dict()["path"]) if part.tool_name == "read_file" else None


STRATEGIES: dict[str, Callable[[Model], Any]] = {
    "clear": lambda _: ClearToolResults(max_messages=1, keep_pairs=0),
    "clear inputs": lambda _: ClearToolResults(max_messages=1, keep_pairs=0, clear_tool_inputs=True),
    "window": lambda _: SlidingWindowCompaction(max_messages=1, keep_messages=1),
    "summary": lambda model: SummarizingCompaction(max_messages=1, keep_messages=1, model=model),
    "clamp": lambda _: ClampOversizedMessages(max_part_chars=1_000, keep_head_chars=9, keep_tail_chars=9),
    "duplicates": lambda _: DeduplicateFileReads(max_messages=1, file_key=file_of),
    "tiers": lambda _: TieredCompaction(
        tiers=[
            ClearToolResults(max_messages=1, keep_pairs=0),
            SlidingWindowCompaction(max_messages=1, keep_messages=1),
        ],
        target_tokens=1,
    ),
}


@pytest.mark.parametrize("name", STRATEGIES)
async def test_what_is_attached_outlives_a_compaction_and_is_not_given_again(project: Project, name: str) -> None:
    # "never twice within what the model still sees"; every strategy of the harness keeps what is pinned
    registry = project(TREE)
    wordy = Reply((text("and so on " * 200), *reads("src/Cart.tsx").pieces))
    first = await turn(registry, wordy, reads("src/api.ts", "c2"), reads("src/api.ts", "c3"))
    async with FakeModelServer([SUMMARY]) as server, model_at(server) as model:
        compacted = await compact_now(STRATEGIES[name](model), list(first.messages), model=model)
    assert shape_of(compacted) != shape_of(first.messages)
    second = await turn(registry, *NEXT, history=reopened(compacted))
    assert second.attached() == BOTH
    assert second.shown() == []
    assert project.path("src/Cart.tsx").read_text() == "new\n"


def shape_of(messages: list[ModelMessage]) -> str:
    return "\n".join(str(message.parts) for message in messages)


@WIRES
async def test_a_compaction_in_the_middle_of_a_run_leaves_what_is_attached(project: Project, wire: str) -> None:
    # what is blanked is the result, not the rules that came with it
    clear = ClearToolResults[Any](max_messages=2, keep_pairs=1)
    script = (reads("src/Cart.tsx"), reads("notes.txt", "c2"), reads("src/Cart.tsx", "c3"), writes("src/Cart.tsx"))
    found = await turn(project(TREE), *script, wire=wire, more=[clear])
    assert "[tool result cleared]" in found.said()
    assert [found.attached(request) for request in range(1, 5)] == [BOTH] * 4
    assert project.path("src/Cart.tsx").read_text() == "new\n"


async def test_rules_that_something_dropped_from_the_history_come_again_with_the_next_touch(project: Project) -> None:
    # "delivered" means that it is still in the history
    registry = project(TREE)
    first = await turn(registry, reads("src/Cart.tsx"))
    kept = [message for message in first.messages if "project-rule" not in str(message.parts)]
    assert len(kept) < len(first.messages)
    second = await turn(registry, reads("src/Cart.tsx", "c2"), history=kept)
    assert second.attached() == BOTH
    third = await turn(registry, writes("src/Cart.tsx", call_id="c2"), history=kept)
    assert third.shown() == [(BOTH, "src/Cart.tsx", True)]


async def test_a_rule_that_was_cut_in_the_history_comes_again(project: Project) -> None:
    # half a rule is none
    registry = project(TREE)
    first = await turn(registry, reads("src/Cart.tsx"))
    saved = ModelMessagesTypeAdapter.dump_json(first.messages).replace(b"Use hooks.", b"Use")
    second = await turn(registry, reads("src/Cart.tsx", "c2"), history=ModelMessagesTypeAdapter.validate_json(saved))
    assert second.shown() == [(["react"], "src/Cart.tsx", False)]


async def test_a_history_that_loses_all_that_is_attached_holds_a_change_back_once(project: Project) -> None:
    # a processor of somebody's own must not make an agent repeat a call for ever
    def without_rules(messages: list[ModelMessage]) -> list[ModelMessage]:
        requests = [message for message in messages if isinstance(message, ModelRequest)]
        for request in requests:
            request.parts = [part for part in request.parts if "<project-rule name" not in str(part)]
        return messages

    registry = project(TREE)
    script = (writes("src/Cart.tsx"), writes("src/Cart.tsx", call_id="c2"))
    await turn(registry, *script, more=[ProcessHistory(without_rules)])
    assert project.path("src/Cart.tsx").read_text() == "new\n"


async def test_a_rule_that_was_changed_is_given_again(project: Project) -> None:
    #
    attachments = RuleAttachments(project(TREE))

    def change() -> str:
        project.write({".xcsh/rules/react.md": "---\nglobs: ['src/**/*.tsx']\n---\nUse signals.\n"})
        attachments.reload(project.discover())
        return "changed"

    script = (reads("src/Cart.tsx"), calls(call("change", "c2")), reads("src/Cart.tsx", "c3"), DONE)
    async with scripted(*script) as (model, server):
        capabilities = [LocalWorkspace(project.root), Coder(repo_context=False), attachments]
        await Agent(model, tools=[change], capabilities=capabilities).run("go")
    said = "\n".join(text_of(message) for message in bodies(server)[-1]["messages"])
    assert [said.count(content) for content in ("Throw codes.", "Use hooks.", "Use signals.")] == [1, 1, 1]


async def test_an_agent_that_is_delegated_to_gets_its_own_rules(project: Project) -> None:
    # its history is new
    registry = project(TREE)
    task = calls(call("delegate_task", "c2", agent_name="self", task="Look at the cart."))
    script = (reads("src/Cart.tsx"), task, reads("src/Cart.tsx"), DONE, reads("src/Cart.tsx", "c3"), DONE)
    async with scripted(*script) as (model, server):
        capabilities = [LocalWorkspace(project.root), Coder(repo_context=False), RuleAttachments(registry)]
        await Agent(model, name="self", capabilities=capabilities).run("go")
    assert [blocks_in(body) for body in bodies(server)] == [[], BOTH, [], BOTH, BOTH, BOTH]


async def test_one_instance_serves_runs_at_once(project: Project) -> None:
    #
    registry = project(TREE)
    attachments = RuleAttachments(registry)

    async def one(path: str) -> list[str]:
        async with scripted(reads(path), DONE) as (model, server):
            capabilities = [LocalWorkspace(project.root), Coder(repo_context=False), attachments]
            await Agent(model, capabilities=capabilities).run("go")
        return blocks_in(bodies(server)[-1])

    assert await asyncio.gather(one("src/api.ts"), one("src/Cart.tsx")) == [["errors"], BOTH]


def test_the_history_of_requests_alone_counts() -> None:
    # what the model wrote itself is no rule that it was given
    block = '<project-rule name="a" path="p" for="f">\nText.\n</project-rule>'
    assert delivered([ModelResponse([TextPart(block)])]) == set()
    assert delivered([ModelRequest([UserPromptPart(block)])]) == {("a", "Text.")}
