"""The guard around a model: what a rule forbids ends the request inside it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import FinalResultEvent, ModelMessage, ModelResponse, ModelResponseStreamEvent
from pydantic_ai.models import CompletedStreamedResponse, Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from xcsh.agent.stream_rules.carrying import packed
from xcsh.agent.stream_rules.joining import with_joined_prompts
from xcsh.agent.stream_rules.response_watch import ResponseWatch
from xcsh.guard.stream_guard import StreamGuard

NewGuard = Callable[[], StreamGuard]


class GuardedModel(WrapperModel):
    """A model whose responses a guard watches. A request that breaks a rule raises ResponseInterruptedError.

    `durable`: it is made in a step of an engine, which takes an error for a failure and may repeat the step. There
    the interrupt is packed into the response.
    """

    def __init__(self, wrapped: Model, new_guard: NewGuard, *, durable: bool = False) -> None:
        super().__init__(wrapped)
        self._new_guard = new_guard
        self._durable = durable

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        response = await self.wrapped.request(with_joined_prompts(messages), model_settings, model_request_parameters)
        watch = ResponseWatch(self._new_guard())
        stream = CompletedStreamedResponse(
            response, model_request_parameters=model_request_parameters, replay_events=True
        )
        async for event in stream:
            watch.read(event)
            if watch.broken:
                break
        else:
            watch.finish()
        if watch.broken and self._durable:
            return packed(watch.matches, response)
        watch.raise_if_broken(response)
        return watch.noted(response)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        messages = with_joined_prompts(messages)
        async with AsyncExitStack() as stack:
            try:
                opening = self.wrapped.request_stream(messages, model_settings, model_request_parameters, run_context)
                stream = await stack.enter_async_context(opening)
            except NotImplementedError:  # a model that cannot stream is watched when it has answered
                response = await self.wrapped.request(messages, model_settings, model_request_parameters)
                stream = CompletedStreamedResponse(
                    response, model_request_parameters=model_request_parameters, replay_events=True
                )
            yield GuardedStream(stream, ResponseWatch(self._new_guard()), durable=self._durable)


class GuardedStream(StreamedResponse):
    """A live response that is watched: everything is the wrapped one's, but that it ends where a rule matches."""

    def __init__(self, wrapped: StreamedResponse, watch: ResponseWatch, *, durable: bool) -> None:
        super().__init__(wrapped.model_request_parameters)
        self._wrapped = wrapped
        self._watch = watch
        self._durable = durable
        self._mirror()

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        # Not the inherited one: it would add the ends of parts and the final result, which the wrapped stream has.
        if self._event_iterator is None:
            events = self._get_event_iterator()
            deadline = self._request_deadline  # set by whoever opened the stream under one
            self._event_iterator = events if deadline is None else deadline.iterate(events)
        return self._event_iterator

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in self._wrapped:
            self._mirror()
            self._watch.read(event)
            if self._watch.broken:
                await self._abort()
                return
            if isinstance(event, FinalResultEvent):
                self.final_result_event = event
            yield event
        self._mirror()
        self._watch.finish()
        if self._watch.broken:
            await self._abort()

    async def _abort(self) -> None:
        # Without a connection that can be closed, leaving the stream ends it; how closing failed is of no interest.
        with suppress(NotImplementedError, *self._wrapped.get_stream_cancel_errors()):
            await self._wrapped.cancel()
        if not self._durable:
            self._watch.raise_if_broken(self._wrapped.get())

    def _mirror(self) -> None:
        """Takes over what is a plain attribute of the wrapped stream."""
        self.state = self._wrapped.state
        self.finish_reason = self._wrapped.finish_reason
        self.provider_response_id = self._wrapped.provider_response_id
        self.provider_details = self._wrapped.provider_details

    def get(self) -> ModelResponse:
        response = self._wrapped.get()
        if self._durable and self._watch.broken:
            return packed(self._watch.matches, response)
        response = self._watch.noted(response)
        # A model that falls back to this one writes these two here.
        if self.failed_attempts:
            response = replace(response, failed_attempts=[*self.failed_attempts, *(response.failed_attempts or [])])
        if self.metadata:
            response = replace(response, metadata={**(response.metadata or {}), **self.metadata})
        return response

    async def cancel(self) -> None:
        await self._wrapped.cancel()

    async def close_stream(self) -> None:
        await self._wrapped.close_stream()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        return self._wrapped.get_stream_cancel_errors()

    def time_to_first_chunk(self, request_start: float) -> float | None:
        return self._wrapped.time_to_first_chunk(request_start)

    @property
    def cancelled(self) -> bool:
        return self._wrapped.cancelled

    @property
    def usage(self) -> RequestUsage:
        return self._wrapped.usage

    @property
    def model_name(self) -> str:
        return self._wrapped.model_name

    @property
    def provider_name(self) -> str | None:
        return self._wrapped.provider_name

    @property
    def provider_url(self) -> str | None:
        return self._wrapped.provider_url

    @property
    def timestamp(self) -> datetime:
        return self._wrapped.timestamp
