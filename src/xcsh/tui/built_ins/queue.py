"""What waits to be sent: each text to be edited, dropped or sent now (S-25)."""

from __future__ import annotations

from xcsh.session.outbox import Waiting
from xcsh.tui.built_ins.call import Call
from xcsh.tui.front_end import Choice

_ALL = "all"
_EDIT, _DROP, _NOW = "edit", "drop", "now"
_SHOWN = 60


async def queue(call: Call) -> str:
    """Chooses an entry, then what becomes of it. What was delivered meanwhile is said."""
    waiting = call.session.waiting
    if not waiting:
        return "nothing waits to be sent"
    choices = [Choice(str(at), _line(entry), _when(entry)) for at, entry in enumerate(waiting)]
    if len(waiting) > 1:
        choices.append(Choice(_ALL, "all of them, back into the prompt"))
    chosen = await call.front.choose("What waits to be sent", choices)
    if chosen is None:
        return ""
    if chosen == _ALL:
        call.front.put("\n\n".join(call.session.withdraw()))
        return ""
    return await _edit(call, waiting[int(chosen)])


async def _edit(call: Call, entry: Waiting) -> str:
    choices = (
        Choice(_EDIT, "edit it", "back into the prompt"),
        Choice(_NOW, "send it now", "before the others"),
        Choice(_DROP, "drop it"),
    )
    what = await call.front.choose(f"What becomes of: {_line(entry)}", choices)
    if what is None:
        return ""
    if what == _NOW:
        return "" if call.session.send_now(entry) else f"that cannot be sent now: {_why_not(call, entry)}"
    texts = call.session.withdraw(entry)
    if not texts:
        return f"that cannot be taken back: {_why_not(call, entry)}"
    if what == _EDIT:
        call.front.put(texts[0])
        return ""
    return f"dropped: {_line(entry)}"


def _why_not(call: Call, entry: Waiting) -> str:
    if all(each.entry is not entry.entry for each in call.session.waiting):
        return "it has been sent meanwhile"
    if call.session.is_compacting:
        return "the history is being made shorter"
    return "it is on its way already"


def _line(entry: Waiting) -> str:
    line = " ".join(entry.typed.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _when(entry: Waiting) -> str:
    if entry.on_its_way:
        return "on its way"
    return "before the next request" if entry.kind == "steer" else "after the turn"
