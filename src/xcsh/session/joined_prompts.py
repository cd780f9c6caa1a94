"""Sends texts of the user that follow each other as one message."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    CompactionPart,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from xcsh.agent.capability import EventlessCapability
from xcsh.parsing.enclosing import closing_of, enclosed

_SUMMARY = "conversation_summary"
_FROM = "This is a summary, which a model wrote, of the part of the conversation that stood here."
_CLOSING = closing_of(_SUMMARY)


class JoinedPrompts(EventlessCapability):
    """Makes one part of prompts that follow each other in a request, as after a turn that had no answer.

    Two parts are two messages on the OpenAI wire, and the chat templates of local servers refuse two messages of one
    role in a row. A summary that a compaction put beside a prompt is joined as well. The history keeps them apart.
    """

    id: str | None = "joined-prompts"

    def get_wrapper_model(self, model: Model) -> Model | None:
        """Around the model, so that nothing else sees the joined ones."""
        return _JoiningModel(model)


class _JoiningModel(WrapperModel):
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        return await self.wrapped.request(joined(messages), model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        opening = self.wrapped.request_stream(joined(messages), model_settings, model_request_parameters, run_context)
        async with opening as stream:
            yield stream


def joined(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages as they are sent. What is not changed is the very same object.

    The framework has made one request of those that follow each other, but where their instructions differ, as those of
    an earlier process do.
    """
    sent: list[ModelMessage] = []
    for message in messages:
        last = sent[-1] if sent else None
        if isinstance(last, ModelRequest) and isinstance(message, ModelRequest):
            sent[-1] = _joined_request(replace(message, parts=[*last.parts, *message.parts]))
        else:
            sent.append(_joined_request(message) if isinstance(message, ModelRequest) else message)
    return sent


def _joined_request(request: ModelRequest) -> ModelRequest:
    parts: list[ModelRequestPart] = []
    for part in request.parts:
        before, after = _prompt(parts[-1]) if parts else None, _prompt(part)
        if before is not None and after is not None:
            parts[-1] = _one(before, after)
        else:
            parts.append(part)
    return replace(request, parts=parts) if len(parts) < len(request.parts) else request


def _prompt(part: ModelRequestPart) -> UserPromptPart | None:
    """The part as one of the user; a summary that no provider made is sent as one anyway, in a frame like this."""
    if isinstance(part, CompactionPart) and part.provider_name is None:
        content = enclosed(part.content or "", _CLOSING)
        return UserPromptPart(f"<{_SUMMARY}>\n{_FROM}\n\n{content}\n</{_SUMMARY}>")
    return part if isinstance(part, UserPromptPart) else None


def _one(before: UserPromptPart, after: UserPromptPart) -> UserPromptPart:
    if isinstance(before.content, str) and isinstance(after.content, str):
        return replace(before, content=f"{before.content}\n\n{after.content}")
    contents = [[part.content] if isinstance(part.content, str) else part.content for part in (before, after)]
    return replace(before, content=[*contents[0], *contents[1]])
