"""A reload in the middle of a conversation: what was sent stays byte for byte, what changed is appended."""

from __future__ import annotations

import json

import pytest
from tests.llm.wire_models import bodies
from tests.session.sessions import conversation, says
from tests.support import Project

from xcsh.session.events import DiagnosticsFound

RULE = "---\nalwaysApply: true\n---\nUse tabs."


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_the_prefix_of_a_conversation_keeps_its_bytes_over_a_reload(project: Project, wire: str) -> None:
    # R-56, S-10
    tree = {".xcsh/rules/house.md": RULE}
    async with conversation(project, says("one"), says("two"), says("three"), tree=tree, wire=wire) as talk:
        await talk.session.prompt("first")
        await talk.session.prompt("second")
        project.write(
            {
                ".xcsh/rules/house.md": RULE.replace("tabs", "spaces"),
                ".xcsh/rules/bad.md": "---\ncondition: '('\n---\nx",
            }
        )
        await talk.session.reload()
        await talk.session.prompt("third")
        before, after = bodies(talk.server)[1:]
        assert json.dumps(before.get("system")) == json.dumps(after.get("system"))
        assert json.dumps(before["tools"]) == json.dumps(after["tools"])
        assert [json.dumps(each) for each in _plain(after)[: len(_plain(before))]] == list(
            map(json.dumps, _plain(before))
        )
        assert "Use spaces." in json.dumps(after)
        told = [item.code for found in talk.of(DiagnosticsFound) for item in found.diagnostics]
        assert told.count("invalid-condition") == 1


def _plain(body: dict[str, object]) -> list[object]:
    """The messages without the marks that move with the end of what is to be cached."""
    text = json.dumps(body["messages"])
    messages: list[object] = json.loads(
        text, object_hook=lambda item: {k: v for k, v in item.items() if k != "cache_control"}
    )
    return messages
