"""Which model answers a session, and how hard it thinks: as it was opened, or as it was chosen since."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast, get_args

from pydantic_ai import RunContext
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings, ThinkingEffort

from xcsh.errors import UsageError
from xcsh.llm.absent import AbsentModel
from xcsh.session.command_turn import OpenModel
from xcsh.session.results import ClosedSessionError

OFF, ON = "off", "on"
LEVELS: tuple[str, ...] = (OFF, ON, *get_args(ThinkingEffort))
"""How hard a model may be told to think, least first but for `on`, which leaves that to its provider."""


class SessionModel:
    """The model of a session. One that is chosen later is opened here, and closed with the session.

    `name` is what it was chosen by; `thinking` one of `LEVELS`, or empty for what the provider does unasked.
    `on_change` is called when either is another.
    """

    def __init__(self, model: Model, name: str, open_model: OpenModel | None, thinking: object = "") -> None:
        self.name = name or model.model_name
        self.thinking = thinking if isinstance(thinking, str) and thinking in LEVELS else ""
        self._model = model
        self._chosen: Model | None = None
        self.on_change: Callable[[], None] = lambda: None
        self._open_model = open_model
        self._close = asyncio.Event()
        self._choosing = asyncio.Lock()  # what was chosen last counts, however long another takes to open
        self._open: list[asyncio.Task[None]] = []

    @property
    def model(self) -> Model:
        """The model that answers next."""
        return self._chosen or self._model

    @property
    def chosen(self) -> Model | None:
        """The model that was chosen since the session was opened; None for that which it was opened with."""
        return self._chosen

    @property
    def problem(self) -> UsageError | None:
        """Why no model answers, where that which the session was to be opened with could not be."""
        return self.model.problem if isinstance(self.model, AbsentModel) else None

    def check(self) -> None:
        """Raises UsageError where no model answers."""
        if (problem := self.problem) is not None:
            raise UsageError(str(problem), problem.hint)

    @property
    def can_think(self) -> bool:
        """Whether the model is known to take a level of thinking."""
        profile = self.model.profile
        return bool(profile.get("supports_thinking") or profile.get("thinking_always_enabled"))

    async def use(self, name: str) -> None:
        """Opens a model, which answers from the next turn on. UsageError: it cannot be used, and nothing changes."""
        async with self._choosing:
            if self._close.is_set():
                raise ClosedSessionError
            if self._open_model is None:
                raise UsageError("this session keeps the model that it was opened with", "open another session")
            opened: asyncio.Future[Model] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(self._keep_open(self._open_model, name, opened))
            self._open.append(task)
            try:
                self._chosen = await opened
            except asyncio.CancelledError:
                task.cancel()
                raise
            self.name = name
            self.on_change()

    def think(self, level: str) -> bool:
        """Has the model think so hard from the next request on; empty for what the provider does unasked.

        False where the model is not known to take that. UsageError: there is no such level.
        """
        if level and level not in LEVELS:
            raise UsageError(f"{level!r} is no level of thinking", f"choose of: {', '.join(LEVELS)}")
        self.thinking = level
        self.on_change()
        return self.can_think

    def settings(self, ctx: RunContext[Any]) -> ModelSettings:
        """What each request says of it."""
        del ctx
        if not self.thinking:
            return ModelSettings()
        simple = {OFF: False, ON: True}.get(self.thinking)
        return ModelSettings(thinking=cast("ThinkingEffort", self.thinking) if simple is None else simple)

    async def close(self) -> None:
        """Closes what was opened here."""
        self._close.set()
        if self._open:
            await asyncio.wait(self._open)

    async def _keep_open(self, open_model: OpenModel, name: str, opened: asyncio.Future[Model]) -> None:
        """A model's whole life in one task: what a library opens in a task, it may want to close in the same."""
        try:
            async with open_model(name) as model:
                if not opened.done():
                    opened.set_result(model)
                await self._close.wait()
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)
