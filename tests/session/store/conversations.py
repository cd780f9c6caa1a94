"""Messages to write: the same text and times at every call, so that what is read back can be told from what was not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from xcsh.session.store import StoredSession

WHEN = datetime(2026, 11, 30, 14, 52, 29, tzinfo=UTC)


def asked(text: str, **fields: Any) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text, timestamp=WHEN)], **fields)


def said(text: str, **fields: Any) -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)], timestamp=WHEN, **fields)


def called(*ids: str, args: str = '{"path": "a.py"}') -> ModelResponse:
    calls = [ToolCallPart("read_file", args, tool_call_id=each) for each in ids]
    return ModelResponse(parts=[TextPart("Let me look."), *calls], timestamp=WHEN)


def returned(*ids: str, content: Any = "x = 1") -> ModelRequest:
    return ModelRequest(parts=[ToolReturnPart("read_file", content, tool_call_id=each, timestamp=WHEN) for each in ids])


def thought(text: str, signature: str | None = None) -> ModelResponse:
    return ModelResponse(parts=[ThinkingPart(text, signature=signature)], timestamp=WHEN)


def turn(number: int, size: int = 0) -> list[ModelMessage]:
    """One turn with a tool call: four messages, the second last of them `size` characters longer."""
    call = f"call-{number}"
    return [
        asked(f"prompt {number}"),
        called(call),
        returned(call, content="x" * size),
        said(f"answer {number}"),
    ]


def as_json(messages: Sequence[ModelMessage]) -> Any:
    return ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")


def lines_of(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("ascii").splitlines()]


def kinds_of(path: str) -> list[str]:
    return [line["t"] for line in lines_of(path)]


def codes_of(session: StoredSession) -> list[str]:
    return [problem.code for problem in session.problems]
