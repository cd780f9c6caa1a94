"""Which model answers, and how hard it thinks."""

from __future__ import annotations

import asyncio
import os

from xcsh.session.offered_models import offered_models
from xcsh.session.session_model import LEVELS
from xcsh.sources.settings.editing import set_value
from xcsh.sources.settings.reading import USER_FILE
from xcsh.tui.built_ins.call import Call
from xcsh.tui.front_end import Choice

_SAVE = "--save"
_OTHER = "--other"
_DEFAULT = "default"


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
    """Opens a socket."""
    choices = [Choice(each.name, each.name, each.why) for each in offered_models(call.session)]
    choices.append(Choice(_OTHER, "another, by its name", "PROVIDER:NAME, or replay:FILE"))
    if call.session.model.problem is None:
        now = call.session.model_name
        choices.append(Choice(_SAVE, f"keep {now} for new sessions", "writes it into your settings"))
    return choices
