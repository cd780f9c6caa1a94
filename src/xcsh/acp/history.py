"""A history as the updates that it once was: texts of both sides, images, and the calls of tools."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from acp import (
    image_block,
    start_tool_call,
    text_block,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
    update_user_message,
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

from xcsh.session.images.attached import AttachedImages
from xcsh.session.store.marks import without_tokens


async def sent_again(messages: Sequence[ModelMessage], images: AttachedImages) -> list[Any]:
    """The updates, in order; behind a text of the user the images that go with it, as far as they can still be read."""
    updates: list[Any] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                updates += [update async for update in _prompted(part, images)]
            else:
                updates += _of(part)
    return updates


async def _prompted(part: UserPromptPart, images: AttachedImages) -> AsyncIterator[Any]:
    texts = (
        [part.content] if isinstance(part.content, str) else [each for each in part.content if isinstance(each, str)]
    )
    text = "\n".join(texts)
    yield update_user_message_text(without_tokens(text))
    for attached in dict.fromkeys(images.in_text(text)):
        content = await images.content(attached)
        if content is not None:
            yield update_user_message(image_block(base64.b64encode(content.data).decode(), content.media_type))


def _of(part: ModelRequestPart | ModelResponsePart) -> Iterator[Any]:
    match part:
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
