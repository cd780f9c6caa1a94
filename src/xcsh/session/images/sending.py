"""Sends a session's images with the prompts that hold their marks, where the model takes images."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelContextWindowExceededError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from xcsh.agent.capability import EventlessCapability
from xcsh.agent.failures import failed_turn
from xcsh.session.events import Notice, Sink
from xcsh.session.images.attached import Attached, AttachedImages
from xcsh.session.images.filling import Contents, fill, marked

_T = TypeVar("_T")
_ABOUT_CONTENT = (400, 413, 415, 422)
_WORDS = ("image", "vision", "multimodal", "multi-modal")


class SentImages(EventlessCapability):
    """Puts images in the place of their marks when a request is made; the history holds the marks.

    A model that is known to take no images is sent the text alone. Of the others nobody knows: what a provider refuses
    is sent again without the images that it has not taken before, and then they stay away from that model.
    """

    id: str | None = "images"

    def __init__(self, images: AttachedImages, tell: Sink) -> None:
        self._images = images
        self._tell = tell
        self._told: set[str] = set()
        self._taken: set[tuple[str, str]] = set()
        self._refused: set[tuple[str, str]] = set()

    def get_wrapper_model(self, model: Model) -> Model | None:
        """Around the model, outside of what joins prompts: a summary that a model wrote is no prompt of the user."""
        return _Sending(model, self) if self._images else None

    async def send(
        self, model: Model, messages: list[ModelMessage], ask: Callable[[list[ModelMessage]], Awaitable[_T]]
    ) -> _T:
        """Asks with the images of the messages, and without those that are refused."""
        there = marked(messages, self._images)
        if not there:
            return await ask(messages)
        name = model.model_name
        contents: Contents = {}
        for attached in there:
            contents[attached.mark.token] = await self._content(attached, model)
        new = [each for each in there if self._is_new(each, name) and not isinstance(contents[each.mark.token], str)]
        try:
            answer = await ask(fill(messages, self._images, contents))
        except ModelHTTPError as error:
            if not new or not _may_be_about_images(error):
                raise
            for attached in new:
                contents[attached.mark.token] = "not sent: it was refused"
            answer = await ask(fill(messages, self._images, contents))
            self._refused |= {(name, each.mark.token) for each in new}
            self._say(f"{_names(new)} was not taken, and the text was sent without it: {failed_turn(error)}")
        self._taken |= {(name, each.mark.token) for each in there if not isinstance(contents[each.mark.token], str)}
        return answer

    def _is_new(self, attached: Attached, model: str) -> bool:
        return (model, attached.mark.token) not in self._taken

    async def _content(self, attached: Attached, model: Model) -> Any:
        """The content, or why there is none."""
        if not model.profile.get("supports_image_input", True):
            self._say(f"{attached.name} was not sent: {model.model_name} takes no images; /model chooses another")
            return "not sent: the model takes no images"
        if (model.model_name, attached.mark.token) in self._refused:
            return "not sent: it was refused"
        content = await self._images.content(attached)
        if content is None:
            self._say(f"{attached.name} was not sent: what was kept of it cannot be read any more; attach it again")
            return "not sent: it is lost"
        return content

    def _say(self, text: str) -> None:
        """Once: every request of a session has all of its images."""
        if text not in self._told:
            self._told.add(text)
            self._tell(Notice(text))


class _Sending(WrapperModel):
    def __init__(self, wrapped: Model, sent: SentImages) -> None:
        super().__init__(wrapped)
        self._sent = sent

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async def ask(filled: list[ModelMessage]) -> ModelResponse:
            return await self.wrapped.request(filled, model_settings, model_request_parameters)

        return await self._sent.send(self.wrapped, messages, ask)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with AsyncExitStack() as stack:

            async def ask(filled: list[ModelMessage]) -> StreamedResponse:
                opening = self.wrapped.request_stream(filled, model_settings, model_request_parameters, run_context)
                return await stack.enter_async_context(opening)

            yield await self._sent.send(self.wrapped, messages, ask)


def _may_be_about_images(error: ModelHTTPError) -> bool:
    """Providers have no common word for it. OpenRouter answers 404, llama.cpp 500."""
    if isinstance(error, ModelContextWindowExceededError):
        return False
    return error.status_code in _ABOUT_CONTENT or any(word in str(error).lower() for word in _WORDS)


def _names(images: Sequence[Attached]) -> str:
    return ", ".join(dict.fromkeys(each.name for each in images))
