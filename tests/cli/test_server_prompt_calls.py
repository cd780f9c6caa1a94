"""`xcsh -p /server:prompt`: what is sent in its place, once there is a session that has servers."""

from __future__ import annotations

import io

import pytest
from tests.support import Project

from xcsh.cli.calls import prepare_call, prepared_in
from xcsh.errors import FailedTurnError, UsageError


class Servers:
    """What the pipeline asks of a session's servers; real ones: tests/session/mcp/test_server_prompts.py."""

    def names_server(self, name: str) -> bool:
        return name.startswith("srv:")

    async def expand(self, name: str, raw: str) -> str:
        if name == "srv:gone":
            raise UsageError("the MCP server srv is gone", "start it")
        return f"{name} with {raw}"

    async def close(self) -> None:
        """Nothing runs."""


# C-40, S-15
@pytest.mark.parametrize(
    ("typed", "piped", "sent"),
    [
        ("/srv:p x y", "", "srv:p with x y"),
        ("/srv:p x", "\n\n<stdin>\nlog\n</stdin>", "srv:p with x\n\n<stdin>\nlog\n</stdin>"),
        ("/srv:f x", "", "of a file x"),
        ("/other:p x", "", "/other:p x"),
        ("plain", "", "plain"),
    ],
)
async def test_a_prompt_of_a_server_takes_the_place_of_its_call(
    project: Project, typed: str, piped: str, sent: str
) -> None:
    call = await prepare_call(typed, project({".xcsh/commands/srv:f.md": "of a file $1"}), io.StringIO())
    assert call is not None
    call = call._replace(prepared=call.prepared._replace(text=f"{call.prepared.text}{piped}"))
    prepared = await prepared_in(call, call.context._replace(servers=Servers()))
    assert prepared.text == sent


async def test_a_server_that_gives_none_is_an_error_of_the_turn(project: Project) -> None:
    call = await prepare_call("/srv:gone", project({}), io.StringIO())
    assert call is not None
    with pytest.raises(FailedTurnError, match="the MCP server srv is gone") as caught:
        await prepared_in(call, call.context._replace(servers=Servers()))
    assert caught.value.hint == "start it"
