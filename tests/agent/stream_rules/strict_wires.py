"""What the strictest servers of both wires ask of a request."""

from __future__ import annotations

import json
from typing import Any

from tests.llm.wire_models import bodies

from xcsh.llm.sse_server import ModelServer

Body = dict[str, Any]


def check_requests(server: ModelServer) -> None:
    """Raises AssertionError where a request that the server got is not valid for its wire."""
    for exchange, body in zip(server.exchanges, bodies(server), strict=True):
        check = check_openai if "chat/completions" in exchange.request.path else check_anthropic
        check(body)


def check_openai(body: Body) -> None:
    """Roles alternate as chat templates want, calls and results pair up, nothing is empty."""
    roles: list[str] = []
    open_calls: list[str] = []
    for at, message in enumerate(body["messages"]):
        role = message["role"]
        assert role in {"system", "user", "assistant", "tool"}, role
        assert role != "system" or at == 0, "a system message stands first"
        if role == "tool":
            open_calls.remove(message["tool_call_id"])  # a result answers one call, once, after it
            assert message["content"]
            roles.append(role)
            continue
        assert not open_calls, f"calls without a result: {open_calls}"
        assert not roles or roles[-1] != role, f"two messages of {role} in a row"
        calls = message.get("tool_calls", [])
        assert message.get("content") or calls, "a message is empty"
        for call in calls:
            assert call["id"]
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            open_calls.append(call["id"])
        roles.append(role)
    assert not open_calls, f"calls without a result: {open_calls}"
    assert roles[-1] in {"user", "tool"}


def check_anthropic(body: Body) -> None:
    """Roles alternate, results open the message after their calls, thinking is signed and never alone."""
    roles: list[str] = []
    open_calls: list[str] = []
    for message in body["messages"]:
        blocks: list[Body] = message["content"]
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        assert message["role"] in {"user", "assistant"}
        assert not roles or roles[-1] != message["role"], f"two messages of {message['role']} in a row"
        roles.append(message["role"])
        kinds = [block["type"] for block in blocks]
        assert kinds, "a message is empty"
        assert set(kinds) - {"thinking", "redacted_thinking"}, "a message is only thinking"
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert sorted(results) == sorted(open_calls), f"calls {open_calls}, results {results}"
        assert kinds[: len(results)] == ["tool_result"] * len(results), "results stand first"
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for block in blocks:
            _check_block(block, message["role"])
    assert not open_calls, f"calls without a result: {open_calls}"
    assert roles[0] == "user"
    assert roles[-1] == "user"


def _check_block(block: Body, role: str) -> None:
    kind = block["type"]
    if kind == "text":
        assert block["text"].strip(), "a text is empty"
    elif kind == "thinking":
        assert role == "assistant"
        assert block["thinking"]
        assert block["signature"], "thinking without a signature"
    elif kind == "tool_use":
        assert role == "assistant"
        assert isinstance(block["input"], dict)
    elif kind == "tool_result":
        assert role == "user"
    else:
        raise AssertionError(f"a block of the kind {kind}")
