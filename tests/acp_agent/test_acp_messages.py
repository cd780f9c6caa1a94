"""Every message of a recorded conversation is one of the protocol's, both ways, with no field that it does not know."""

from __future__ import annotations

import os
import sys
from typing import Any

import acp.schema as s
import pytest
from pydantic import BaseModel, ValidationError
from tests.acp_agent.editors import wire
from tests.session.mcp.mcp_projects import PROGRAM
from tests.session.sessions import calls, says, slow
from tests.support import USER_SETTINGS, Project

ANSWERS: dict[str, type[BaseModel]] = {
    "initialize": s.InitializeResponse, "session/new": s.NewSessionResponse, "session/load": s.LoadSessionResponse,
    "session/resume": s.ResumeSessionResponse, "session/close": s.CloseSessionResponse,
    "session/list": s.ListSessionsResponse, "session/prompt": s.PromptResponse,
}  # fmt: skip
ASKED: dict[str, type[BaseModel]] = {
    "session/update": s.SessionNotification,
    "session/request_permission": s.RequestPermissionRequest,
}
SENT: dict[str, type[BaseModel]] = {
    "initialize": s.InitializeRequest, "session/new": s.NewSessionRequest, "session/load": s.LoadSessionRequest,
    "session/resume": s.ResumeSessionRequest, "session/close": s.CloseSessionRequest,
    "session/list": s.ListSessionsRequest, "session/prompt": s.PromptRequest,
}  # fmt: skip
KINDS = {
    "available_commands_update", "agent_message_chunk", "user_message_chunk", "tool_call", "tool_call_update",
}  # fmt: skip


def known(model: type[BaseModel], value: Any) -> None:
    """ValidationError where the value is no such message, or holds a field that none has."""
    model.model_validate(value, extra="forbid")


def test_a_field_that_no_message_has_is_noticed() -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x", "nonsense": 1}}
    with pytest.raises(ValidationError, match="nonsense"):
        known(s.SessionNotification, {"sessionId": "x", "update": update})


async def test_every_message_is_one_of_the_protocols(project: Project) -> None:
    # S-12, S-13, S-14, S-24
    project.write({
        "a.txt": "one\ntwo\n", USER_SETTINGS: '[consent]\nedits = "ask"\n',
        ".xcsh/rules/no-any.md": '---\ncondition: ": any "\n---\nNever any.',
        ".xcsh/rules/txt.md": "---\nglobs: '*.txt'\n---\nShort lines.\n",
        ".claude/commands/review.md": '---\nargument-hint: "[path]"\n---\nReview $ARGUMENTS.\n',
    })  # fmt: skip
    script = (
        slow("I write let a: any = 1 here"), calls("read_file", {"path": "a.txt"}),
        calls("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "three"}),
        calls("shell", {"command": "ls"}), says("done"), says("reviewed"),
    )  # fmt: skip
    cwd = os.fspath(project.root)
    server = {"name": "ed", "command": sys.executable, "args": ["-S", PROGRAM, "good", os.devnull], "env": []}
    asked: dict[str, str] = {}

    async with wire(project, *script) as (pipes, _):

        async def ask(method: str, **params: Any) -> dict[str, Any]:
            known(SENT[method], params)
            call_id = f"{len(asked)}"
            asked[call_id] = method
            pipes.send(id=call_id, method=method, params=params)
            while (message := await pipes.receive()).get("id") != call_id or "method" in message:
                if message.get("method") == "session/request_permission":
                    chosen = next(each for each in message["params"]["options"] if each["kind"] == "allow_once")
                    answer = {"outcome": {"outcome": "selected", "optionId": chosen["optionId"]}}
                    known(s.RequestPermissionResponse, answer)
                    pipes.send(id=message["id"], result=answer)
            return message["result"]

        await ask("initialize", protocolVersion=1, clientCapabilities={}, clientInfo={"name": "t", "version": "1"})
        session = (await ask("session/new", cwd=cwd, mcpServers=[server]))["sessionId"]
        for prompt in ("go", "/review a.txt", "/rules", "/doctor", "/undo"):
            await ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": prompt}])
        await ask("session/list", cwd=cwd)
        await ask("session/load", sessionId=session, cwd=cwd, mcpServers=[])
        await ask("session/resume", sessionId=session, cwd=cwd, mcpServers=[])
        await ask("session/close", sessionId=session)

    for message in pipes.received:
        if "method" in message:
            known(ASKED[message["method"]], message["params"])
        else:
            known(ANSWERS[asked[message["id"]]], message["result"])
    assert set(asked.values()) == set(SENT)
    assert {kind for kind in KINDS if pipes.updates(kind)} == KINDS
    assert (project.root / "a.txt").read_text("utf-8") == "one\ntwo\n"  # undone
