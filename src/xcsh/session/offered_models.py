"""The models that there is a reason to offer for a session."""

from __future__ import annotations

import os
from typing import NamedTuple

from xcsh.llm.choose import detected_models
from xcsh.session.agent_session import AgentSession
from xcsh.session.command_turn import model_of
from xcsh.session.store import list_sessions, sessions_folder

_RECENT = 5


class OfferedModel(NamedTuple):
    """A model by its name, and why it is offered."""

    name: str
    why: str


def offered_models(session: AgentSession) -> list[OfferedModel]:
    """Each once, with the first reason; that which answers now is the first. Opens a socket, and reads files."""
    registry = session.context.registry
    found = [OfferedModel(session.model_name, "answers now")] if session.model.problem is None else []
    if setting := str(registry.settings.get("model") or ""):
        found.append(OfferedModel(setting, "the setting `model`"))
    found += [
        OfferedModel(wanted, f"/{entry.command.name} wants it")
        for entry in registry.commands.active
        if (wanted := model_of(entry.command)) and ":" in wanted
    ]
    found += [OfferedModel(each.name, each.decided_by) for each in detected_models(os.environ)]
    sessions = list_sessions(sessions_folder(os.environ, registry.environment.home))
    recent = list(dict.fromkeys(each.model for each in sessions if each.model))[:_RECENT]
    found += [OfferedModel(name, "used before") for name in recent]
    distinct: dict[str, OfferedModel] = {}
    for each in found:
        distinct.setdefault(each.name, each)
    return list(distinct.values())
