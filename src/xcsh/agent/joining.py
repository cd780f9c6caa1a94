"""Makes one message of the user of a prompt and what stream rules say after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelRequestPart, UserPromptPart

_OURS = ("<system-interrupt ", "<system-reminder ")


def with_joined_prompts(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages as they are sent: an injection or reminder right after a prompt is one part with it.

    Two parts are two messages on the OpenAI wire, and the chat templates of local servers refuse two messages of one
    role in a row. What is not changed is the very same object.
    """
    return [_joined(message) if isinstance(message, ModelRequest) else message for message in messages]


def _joined(request: ModelRequest) -> ModelRequest:
    parts: list[ModelRequestPart] = []
    for part in request.parts:
        last = parts[-1] if parts else None
        if isinstance(last, UserPromptPart) and (ours := _our_text(part)):
            parts[-1] = _one(last, ours)
        else:
            parts.append(part)
    return request if len(parts) == len(request.parts) else replace(request, parts=parts)


def _our_text(part: ModelRequestPart) -> str:
    """The text of a part that stream rules added; empty for any other."""
    content = part.content if isinstance(part, UserPromptPart) else ""
    return content if isinstance(content, str) and content.startswith(_OURS) else ""


def _one(before: UserPromptPart, text: str) -> UserPromptPart:
    if isinstance(before.content, str):
        return replace(before, content=f"{before.content}\n\n{text}")
    return replace(before, content=[*before.content, text])
