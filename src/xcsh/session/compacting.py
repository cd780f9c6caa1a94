"""Makes a history shorter, with a strategy of the harness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai_harness.compaction import CompactionStrategy, compact_now, estimate_token_count

from xcsh.agent.failures import failed_turn


class Compactor:
    """A strategy, and the model that writes its summaries. `model` is asked for anew each time."""

    def __init__(self, strategy: CompactionStrategy[Any], model: Callable[[], Model]) -> None:
        self._strategy = strategy
        self._model = model

    async def compact(self, messages: Sequence[ModelMessage], focus: str | None = None) -> list[ModelMessage]:
        """A shorter history that says the same; `focus` is what it must not lose. Raises what the model raises."""
        return await compact_now(self._strategy, list(messages), model=self._model(), deps=None, focus=focus)

    def tokens(self, messages: Sequence[ModelMessage]) -> int:
        """An estimate of what a history takes."""
        return estimate_token_count(list(messages))

    def reason(self, error: Exception) -> str:
        """Why a compaction failed, in one line."""
        return str(failed_turn(error)) if isinstance(error, AgentRunError) else f"{type(error).__name__}: {error}"
