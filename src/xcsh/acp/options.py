"""What an editor's user can choose for a session: whether changes are asked about, the model, how hard it thinks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Literal, NamedTuple

from acp import RequestError
from acp.schema import (
    ConfigOptionUpdate,
    SessionConfigOptionBoolean,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
)

from xcsh.session.agent_session import AgentSession
from xcsh.session.offered_models import offered_models
from xcsh.session.session_model import LEVELS

MODE, MODEL, THINKING = "mode", "model", "thinking"
_ASK, _EDIT = "ask", "edit"
_MODES = (
    SessionMode(id=_EDIT, name="Edit", description="files in the folder are changed without asking, and can be undone"),
    SessionMode(
        id=_ASK,
        name="Ask",
        description="a change is shown first, and asked about, unless one of your patterns allows it",
    ),
)
_DEFAULT, _NONE = "default", "none"


class Options(NamedTuple):
    """The options of a session as they are now; those of older clients are the modes alone."""

    modes: SessionModeState
    config: list[SessionConfigOptionSelect | SessionConfigOptionBoolean]

    @property
    def update(self) -> ConfigOptionUpdate:
        """The options as a client is told of them."""
        return ConfigOptionUpdate(session_update="config_option_update", config_options=self.config)


async def options_of(session: AgentSession) -> Options:
    """What can be chosen, and what is."""
    mode = _EDIT if session.permissions.policy.edits else _ASK
    offered = await asyncio.to_thread(offered_models, session)
    names = {each.name: each.why for each in offered}
    now = session.model_name
    if (problem := session.model.problem) is not None:
        now = _NONE
        names = {now: str(problem), **names}
    config: list[SessionConfigOptionSelect | SessionConfigOptionBoolean] = [
        _select(MODE, "Changes", "mode", mode, ((each.id, each.name, each.description or "") for each in _MODES)),
        _select(MODEL, "Model", "model", now, ((name, name, why) for name, why in names.items())),
        _select(
            THINKING, "Thinking", "thought_level", session.thinking or _DEFAULT,
            ((level, level, "") for level in (_DEFAULT, *LEVELS)),
        ),
    ]  # fmt: skip
    return Options(SessionModeState(current_mode_id=mode, available_modes=list(_MODES)), config)


async def choose(session: AgentSession, option: str, value: str) -> None:
    """Sets an option. RequestError for one that is none; UsageError for a value that cannot be."""
    setter = _SETTERS.get(option)
    if setter is None:
        raise RequestError.invalid_params(
            {"reason": f"there is no option {option!r}; choose of: {', '.join(_SETTERS)}"}
        )
    await setter(session, value)


async def _choose_mode(session: AgentSession, mode: str) -> None:
    if mode not in [each.id for each in _MODES]:
        raise RequestError.invalid_params({"reason": f"there is no mode {mode!r}; choose {_ASK} or {_EDIT}"})
    session.permissions.ask_about_edits(ask=mode == _ASK)


async def _choose_model(session: AgentSession, name: str) -> None:
    if name != (_NONE if session.model.problem else session.model_name):
        await session.model.use(name)


async def _choose_thinking(session: AgentSession, level: str) -> None:
    session.model.think("" if level == _DEFAULT else level)


_SETTERS: dict[str, Callable[[AgentSession, str], Awaitable[None]]] = {
    MODE: _choose_mode,
    MODEL: _choose_model,
    THINKING: _choose_thinking,
}


def _select(
    id: str,  # noqa: A002 - as the protocol calls it
    name: str,
    category: Literal["mode", "model", "thought_level"],
    now: str,
    values: Iterable[tuple[str, str, str]],
) -> SessionConfigOptionSelect:
    options = [
        SessionConfigSelectOption(value=value, name=label, description=why or None) for value, label, why in values
    ]
    return SessionConfigOptionSelect(
        id=id, name=name, category=category, current_value=now, options=options, type="select"
    )
