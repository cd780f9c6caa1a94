"""Every message of a recorded conversation is one of the protocol's, with no field that it does not know."""

from __future__ import annotations

import json
from typing import Any

import mcp.types as t
import pytest
from mcp import Client
from pydantic import BaseModel, ValidationError
from tests.support import Project

from xcsh.mcp.server import RulesServer

TREE = {
    ".cursor/rules/style.mdc": "---\ndescription: How code looks\n---\nFour spaces.\n",
    ".xcsh/rules/kind.md": "---\nalwaysApply: true\n---\nBe kind.\n",
    ".claude/commands/review.md": '---\nargument-hint: "[path]"\n---\nReview $ARGUMENTS with care.\n',
}


def known(result: BaseModel) -> None:
    """ValidationError where a result is no such message, or holds a field that none has."""
    wire = json.loads(result.model_dump_json(by_alias=True, exclude_none=True))
    type(result).model_validate(wire, extra="forbid", by_alias=True, by_name=False)


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_every_answer_is_one_of_the_protocols(era: Any, project: Project) -> None:
    # the SDK's client has read each of them as what was asked for before it is here
    async with Client(RulesServer(project(TREE)).server, mode=era) as client:
        reference = t.ResourceTemplateReference(uri="rule://{+name}")
        results = [
            await client.list_resources(), await client.list_resource_templates(), await client.list_prompts(),
            await client.list_tools(), await client.read_resource("rule://kind"),
            await client.get_prompt("review", {"arguments": "x"}), await client.get_prompt("commit"),
            await client.complete(reference, {"name": "name", "value": "s"}),
            *[await client.call_tool(name, arguments) for name, arguments in (
                ("rules_for", {"path": "src/a.ts"}), ("explain", {"name": "kind"}), ("explain", {"name": "nope"}),
                ("doctor", {}),
            )],
        ]  # fmt: skip
        assert client.server_capabilities.resources
        known(client.server_capabilities)
        for result in results:
            known(result)


def test_a_field_that_no_message_has_is_noticed() -> None:
    with pytest.raises(ValidationError, match="nonsense"):
        t.ListToolsResult.model_validate({"tools": [], "nonsense": 1}, extra="forbid")
