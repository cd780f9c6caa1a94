"""Makes one message of the user of a prompt and what stream rules say after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelRequestPart, UserPromptPart

_OURS = ("<system-interrupt ", "<system-reminder ")


def with_joined_prompts(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages as they are sent: an injection or reminder right after a prompt is one part with it.

    Two parts are two messages on the OpenAI wire, and the chat templates of local servers refuse two messages of one
    role in a row. The framework has made one request of those that follow each other, but where their instructions
    differ. What is not changed is the very same object.
    """
    sent: list[ModelMessage] = []
    for message in messages:
        last = sent[-1] if sent else None
        if isinstance(last, ModelRequest) and isinstance(message, ModelRequest) and _continues(last, message):
            sent[-1] = replace(message, parts=_joined([*last.parts, *message.parts]))
        elif isinstance(message, ModelRequest) and len(parts := _joined(message.parts)) < len(message.parts):
            sent.append(replace(message, parts=parts))
        else:
            sent.append(message)
    return sent


def _continues(before: ModelRequest, request: ModelRequest) -> bool:
    """Whether a request begins with our words, and the one before it ends with the user's."""
    return bool(
        before.parts and request.parts and isinstance(before.parts[-1], UserPromptPart) and _our_text(request.parts[0])
    )


def _joined(parts: Sequence[ModelRequestPart]) -> list[ModelRequestPart]:
    joined: list[ModelRequestPart] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(last, UserPromptPart) and (ours := _our_text(part)):
            joined[-1] = _one(last, ours)
        else:
            joined.append(part)
    return joined


def _our_text(part: ModelRequestPart) -> str:
    """The text of a part that stream rules added; empty for any other."""
    content = part.content if isinstance(part, UserPromptPart) else ""
    return content if isinstance(content, str) and content.startswith(_OURS) else ""


def _one(before: UserPromptPart, text: str) -> UserPromptPart:
    if isinstance(before.content, str):
        return replace(before, content=f"{before.content}\n\n{text}")
    return replace(before, content=[*before.content, text])
