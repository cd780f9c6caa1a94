"""Trust in the folder: exactly what it is about, and then the session again with what takes effect."""

from __future__ import annotations

import asyncio

from xcsh.sources.trust.deciding import TrustState, revoke, trust, trust_state
from xcsh.sources.trust.held_texts import held_texts
from xcsh.surfaces.trust_listing import NOTHING_TO_TRUST, render_trust
from xcsh.tui.built_ins.call import Call
from xcsh.tui.built_ins.places import may_leave
from xcsh.tui.built_ins.rules import in_force
from xcsh.tui.front_end import Choice
from xcsh.tui.opening import Opening

_TRUST, _SHOW, _LEAVE, _REVOKE = "trust", "show", "leave", "revoke"


async def trust_folder(call: Call) -> str:
    """Shows what would take effect and asks; what was looked at is what is trusted, whatever changes meanwhile."""
    texts = await asyncio.to_thread(held_texts, call.session.context.registry)
    state = await asyncio.to_thread(trust_state, call.environment, texts=texts)
    if call.rest == _REVOKE:
        return await _revoke(call)
    if not state.files and not state.texts:
        return NOTHING_TO_TRUST
    if problems := [f"{file.name} {file.problem}" for file in state.files if file.problem]:
        return f"this folder cannot be trusted: {', '.join(problems)}\ncorrect or remove the file, then: /trust"
    about = "\n".join(_lines(call, state, with_content=False))
    if state.trusted:
        choices = (Choice(_LEAVE, "leave it so"), Choice(_REVOKE, "trust it no longer"))
        chosen = await call.front.choose("This folder is trusted, and nothing has changed since", choices, about=about)
        return await _revoke(call) if chosen == _REVOKE else ""
    while True:
        choices = (
            Choice(_LEAVE, "do not trust it"),
            Choice(_SHOW, "show the content of every file"),
            Choice(_TRUST, "trust this folder", "as long as none of this changes"),
        )
        chosen = await call.front.choose(f"Not trusted: {state.reason}", choices, about=about)
        if chosen != _SHOW:
            break
        about = "\n".join(_lines(call, state, with_content=True))
    if chosen != _TRUST:
        return "not trusted; nothing was changed"
    after = await asyncio.to_thread(trust, call.environment, state)
    if not after.trusted:
        return f"a file changed while you were reading: {after.reason}\nlook at it again: /trust"
    return await _again(call, "trusted, as long as none of this changes")


async def _revoke(call: Call) -> str:
    if not await asyncio.to_thread(revoke, call.environment):
        return "this folder was not trusted"
    return await _again(call, "this folder is no longer trusted")


async def _again(call: Call, said: str) -> str:
    """What needs trust is loaded when a session opens."""
    if not await may_leave(call):
        return f"{said}; it counts when the session is opened again"
    opened = await call.conversation.reopen(Opening(call.environment.cwd, call.session.id))
    return said if opened is None else f"{said}: {await in_force(call._replace(session=opened))}"


def _lines(call: Call, state: TrustState, *, with_content: bool) -> list[str]:
    return render_trust(call.environment, state, call.front.style, with_content=with_content)
