"""Attached rules beside stream rules: what is sent stays valid, and nothing is lost."""

from __future__ import annotations

import pytest
from tests.agent.attachments.attaching import BOTH, DONE, TREE, attaching, blocks_in, call, reads
from tests.agent.stream_rules.guarded import LONG, WIRES, interrupts, reminders, rule
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import bodies, scripted
from tests.support import USER_SETTINGS, Project

from xcsh.agent import StreamRules
from xcsh.llm.reply import Reply, cut, text

PLAIN = {name: content for name, content in TREE.items() if not name.endswith("house.md")}
"""Without instructions, which the strictest chat templates take before the first message only."""


@WIRES
@pytest.mark.parametrize("mode", ["discard", "keep"])
async def test_what_was_attached_outlives_an_answer_that_a_stream_rule_ends(
    project: Project, wire: str, mode: str
) -> None:
    # R-54, T-9
    tree = {**PLAIN, ".xcsh/rules/no-any.md": rule(), USER_SETTINGS: f'ttsr.context_mode = "{mode}"'}
    registry = project(tree)
    bad = Reply((text("".join(cut("so a: any " + LONG))),))
    async with scripted(reads("src/Cart.tsx"), bad, DONE, wire=wire) as (model, server):
        await attaching(model, registry, StreamRules(registry)).run("go")
    assert blocks_in(bodies(server)[-1]) == BOTH
    assert interrupts(server) == 1
    check_requests(server)


@WIRES
async def test_a_reminder_and_attached_rules_come_in_one_message(project: Project, wire: str) -> None:
    # R-54, T-12
    registry = project({**PLAIN, ".xcsh/rules/no-any.md": rule(interrupt_mode="never")})
    first = Reply((text("let a: any = 1"), call("read_file", path="src/Cart.tsx")))
    async with scripted(first, DONE, DONE, wire=wire) as (model, server):
        await attaching(model, registry, StreamRules(registry)).run("go")
    assert blocks_in(bodies(server)[-1]) == BOTH
    assert reminders(server) == 1
    check_requests(server)
