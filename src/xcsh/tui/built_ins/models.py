"""Which model answers, and how hard it thinks."""

from __future__ import annotations

import asyncio
import os

from xcsh.llm.choose import detected_models
from xcsh.session.command_turn import model_of
from xcsh.session.session_model import LEVELS
from xcsh.session.store import list_sessions, sessions_folder
from xcsh.sources.settings import USER_FILE
from xcsh.sources.settings_edit import set_value
from xcsh.tui.built_ins.call import Call
from xcsh.tui.front_end import Choice

_SAVE = "--save"
_OTHER = "--other"
_DEFAULT = "default"
_RECENT = 5


async def model(call: Call) -> str:
    """Without a name chooses one; `--save` makes it that of every new session."""
    words = call.rest.split()
    save = _SAVE in words
    names = [word for word in words if word != _SAVE]
    if len(names) > 1:
        return f"one model at a time, not {len(names)} words\ntype: /model NAME"
    if names:
        return await _use(call, names[0], save=save)
    if save:
        return await _save(call)
    offered = await asyncio.to_thread(_offered, call)
    now = call.session.model_name if call.session.model.problem is None else "none"
    chosen = await call.front.choose(f"Which model? {now} answers now", offered)
    if chosen == _SAVE:
        return await _save(call)
    if chosen == _OTHER:
        call.front.put("/model ")
    return await _use(call, chosen) if chosen not in (None, _OTHER) else ""


async def thinking(call: Call) -> str:
    """Without a level chooses one."""
    level = call.rest.lower()
    if not level:
        now = call.session.thinking or _DEFAULT
        choices = [Choice(each, each, "now" if each == now else "") for each in (_DEFAULT, *LEVELS)]
        level = await call.front.choose(f"How hard should {call.session.model_name} think?", choices) or ""
    if not level:
        return ""
    takes = call.session.model.think("" if level == _DEFAULT else level)
    call.front.status_changed()
    if not takes:
        return f"thinking: {level}; {call.session.model_name} is not known to take that, and may do as it always does"
    return f"thinking: {level}, from the next request on"


async def _use(call: Call, name: str, *, save: bool = False) -> str:
    if name == call.session.model_name and call.session.model.problem is None:
        said = f"{name} answers already"
    else:
        await call.session.model.use(name)
        call.front.status_changed()
        said = f"{name} answers from the next turn on" if call.session.is_streaming else f"{name} answers from now on"
    return f"{said}\n{await _save(call)}" if save else said


async def _save(call: Call) -> str:
    call.session.model.check()
    path = os.path.join(call.environment.home, USER_FILE)
    name = call.session.model_name
    changed = await asyncio.to_thread(set_value, path, "model", name)
    return f"new sessions have {name} too: it is {'set' if changed else 'already set'} in {path}"


def _offered(call: Call) -> list[Choice]:
    """The models that there is a reason to offer, each once, with the first reason. Opens a socket."""
    registry = call.registry
    now = call.session.model_name
    found = [Choice(now, now, "answers now")] if call.session.model.problem is None else []
    if setting := str(registry.settings.get("model") or ""):
        found.append(Choice(setting, setting, "the setting `model`"))
    found += [
        Choice(wanted, wanted, f"/{entry.command.name} wants it")
        for entry in registry.commands.active
        if (wanted := model_of(entry.command)) and ":" in wanted
    ]
    found += [Choice(each.name, each.name, each.decided_by) for each in detected_models(os.environ)]
    sessions = list_sessions(sessions_folder(os.environ, call.environment.home))
    recent = list(dict.fromkeys(each.model for each in sessions if each.model))[:_RECENT]
    found += [Choice(name, name, "used before") for name in recent]
    distinct: dict[str, Choice] = {}
    for choice in found:
        distinct.setdefault(choice.value, choice)
    choices = [*distinct.values(), Choice(_OTHER, "another, by its name", "PROVIDER:NAME, or replay:FILE")]
    if call.session.model.problem is None:
        choices.append(Choice(_SAVE, f"keep {now} for new sessions", "writes it into your settings"))
    return choices
