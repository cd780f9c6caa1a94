"""A history as the updates that it once was: texts of both sides, and the calls of tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from acp import (
    start_tool_call,
    text_block,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
    update_user_message_text,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequestPart,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)


def sent_again(messages: Sequence[ModelMessage]) -> list[Any]:
    """The updates, in order."""
    return [update for message in messages for part in message.parts for update in _of(part)]


def _of(part: ModelRequestPart | ModelResponsePart) -> Iterator[Any]:
    match part:
        case UserPromptPart(content=content):
            texts = [content] if isinstance(content, str) else [each for each in content if isinstance(each, str)]
            yield update_user_message_text("\n".join(texts))
        case TextPart(content=text) if text:
            yield update_agent_message_text(text)
        case ThinkingPart(content=text) if text:
            yield update_agent_thought_text(text)
        case ToolCallPart():
            yield start_tool_call(part.tool_call_id, part.tool_name, status="completed", raw_input=part.args)
        case ToolReturnPart():
            yield update_tool_call(part.tool_call_id, content=[tool_content(text_block(part.model_response_str()))])
        case _:
            return
