"""Stands in for a model that cannot be opened, so that all that needs none can be used."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings

from xcsh.errors import UsageError


class AbsentModel(Model):
    """Answers nothing: every request raises UsageError. `problem`: why there is no model, and what to do."""

    def __init__(self, problem: UsageError) -> None:
        super().__init__()
        self.problem = problem

    @property
    def model_name(self) -> str:
        """What a heading shows in place of a name."""
        return "no model"

    @property
    def system(self) -> str:
        """No provider's."""
        return "none"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Raises UsageError."""
        del messages, model_settings, model_request_parameters
        raise self.problem

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Raises UsageError."""
        del messages, model_settings, model_request_parameters, run_context
        raise self.problem
        yield  # what makes it a generator
