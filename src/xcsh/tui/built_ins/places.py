"""Another session, or another folder: /new, /resume, /move (S-22)."""

from __future__ import annotations

import asyncio
import os
import time

from xcsh.agent.consent.settings import permissions_of
from xcsh.api import rediscover
from xcsh.errors import UsageError
from xcsh.session.store import list_sessions, read_session, resolve_session, sessions_folder
from xcsh.session.store.listing import SessionSummary
from xcsh.session.store.records import ENDING
from xcsh.session.store.rendering import age
from xcsh.sources.filesystem import make_environment
from xcsh.surfaces.layout import plural, shown_path
from xcsh.tui.built_ins.call import Call
from xcsh.tui.built_ins.rules import in_force
from xcsh.tui.front_end import Choice
from xcsh.tui.opening import Opening

_MOST = 200


async def new(call: Call) -> str:
    """Another session in this folder; the one that is left is kept, or the user agrees that it is not."""
    if not is_kept(call) and call.session.messages:
        about = "this session is written down nowhere (--no-session), so that it would be gone"
        if not await call.agreed("Begin another session?", "begin another", "go on with this one", about=about):
            return ""
    elif not await may_leave(call):
        return ""
    left = call.session.id if is_kept(call) and call.session.messages else ""
    if await call.conversation.reopen(Opening(call.environment.cwd)) is None:
        return ""
    return "a new session" + (f"; the one before: /resume {left}" if left else "")


async def resume(call: Call) -> str:
    """Goes on with a kept session, in its folder."""
    folder = sessions_folder(os.environ, call.environment.home)
    wanted = call.rest
    if not wanted:
        found = await asyncio.to_thread(_resumable, call, folder)
        if not found:
            return "there is no other session yet"
        wanted = await call.front.choose("Go on with which session?", found) or ""
    if not wanted:
        return ""
    path = await asyncio.to_thread(resolve_session, folder, wanted, cwd=call.environment.cwd)
    stored = await asyncio.to_thread(read_session, path)
    if stored.id == call.session.id:
        return "that is this session"
    cwd = stored.cwd or call.environment.cwd
    if not await asyncio.to_thread(os.path.isdir, cwd):
        about = f"its folder is gone: {cwd}"
        here = f"go on with it in {call.environment.cwd}"
        if not await call.agreed("Go on with it here?", here, "leave it", about=about):
            return ""
        cwd = call.environment.cwd
    if not await may_leave(call):
        return ""
    opened = await call.conversation.reopen(Opening(cwd, stored.id))
    return "" if opened is None else f"going on with {stored.id} ({plural(stored.turns, 'turn')}), in {cwd}"


async def move(call: Call) -> str:
    """The same session in another folder, with what is in force there. Nothing is left before that is known."""
    if not call.rest:
        return f"this is {call.environment.cwd}\nto go on in another folder: /move DIR"
    cwd = _folder(call.rest, call.environment.cwd, call.environment.home)
    if cwd == call.environment.cwd:
        return f"this is {cwd} already"
    await asyncio.to_thread(_check, call, cwd)
    if not await may_leave(call):
        return ""
    opened = await call.conversation.reopen(Opening(cwd, call.session.id))
    if opened is None:
        return ""
    waiting = f"\n{plural(len(opened.waiting), 'text')} waiting, sent after the next prompt" if opened.waiting else ""
    return f"now in {cwd}: {await in_force(call._replace(session=opened))}{waiting}"


def is_kept(call: Call) -> bool:
    """Whether the session is written down."""
    folder = sessions_folder(os.environ, call.environment.home)
    return os.path.exists(os.path.join(folder, call.session.id + ENDING))


async def may_leave(call: Call) -> bool:
    """Whether what runs may be ended; nobody is asked where nothing does."""
    if not (call.session.is_streaming or call.session.is_compacting):
        return True
    what = "a turn is running" if call.session.is_streaming else "the history is being made shorter"
    return await call.agreed(f"{what}. End it?", "end it, and go", "stay", detail="what was finished is kept")


def _folder(typed: str, cwd: str, home: str) -> str:
    """The folder that was meant: relative to the working folder, or below `~`; quotes around it are taken off."""
    if len(typed) > 1 and typed[0] == typed[-1] and typed[0] in "\"'":
        typed = typed[1:-1]
    if typed == "~" or typed.startswith("~" + os.sep):
        typed = home + typed[1:]
    return os.path.normpath(os.path.join(cwd, typed))


def _check(call: Call, cwd: str) -> None:
    """Raises UsageError where a session could not be opened there. Reads what would be in force."""
    if not os.path.isdir(cwd):
        what = "is no folder" if os.path.lexists(cwd) else "is not there"
        raise UsageError(f"{cwd} {what}", "name a folder that exists: /move DIR")
    if not os.access(cwd, os.R_OK | os.X_OK):
        raise UsageError(f"{cwd} may not be read", "check its permissions")
    environment = make_environment(cwd, call.environment.home)._replace(given=call.environment.given)
    permissions_of(rediscover(call.registry._replace(environment=environment)), asks=True)


def _resumable(call: Call, folder: str) -> list[Choice]:
    """The sessions that could be resumed, those of this folder first."""
    found = [each for each in list_sessions(folder) if each.id != call.session.id and not each.problem][:_MOST]
    here = [each for each in found if each.is_of(call.environment.cwd)]
    elsewhere = [each for each in found if each not in here]
    return [_choice(call, each) for each in here] + [_choice(call, each, with_folder=True) for each in elsewhere]


def _choice(call: Call, each: SessionSummary, *, with_folder: bool = False) -> Choice:
    words = each.title or each.prompt or each.id
    about = [age(each.updated, time.time()), plural(each.turns, "turn")]
    about += [shown_path(each.cwd, call.environment)] if with_folder else []
    return Choice(each.id, words, " · ".join(part for part in about if part))
