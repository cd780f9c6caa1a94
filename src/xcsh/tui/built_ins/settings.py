"""Each setting, where its value comes from, and another value for it, in the user's own file."""

from __future__ import annotations

import asyncio
import os

from xcsh.agent.consent.settings import check_patterns
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.settings import Setting
from xcsh.sources.settings.editing import set_value, unset_value
from xcsh.sources.settings.given import named, value_of
from xcsh.sources.settings.origin import Account, accounts
from xcsh.sources.settings.reading import USER_FILE
from xcsh.sources.settings.values import kind_of, texts_of
from xcsh.surfaces.config_listing import origin_text, render_setting, summary_of, value_text
from xcsh.tui.built_ins.call import Call
from xcsh.tui.front_end import Choice

_UNSET = "unset"
_WHEN_OPENED = ("consent.", "sandbox", "undo.", "compaction.", "requests.", "mcp.", "model")
"""Keys that count from the moment that a session opens."""


async def settings(call: Call) -> str:
    """`/settings`, `/settings KEY`, `/settings KEY VALUE`, `/settings KEY unset`."""
    key, _, value = call.rest.partition(" ")
    found = await asyncio.to_thread(_accounts, call)
    if not key:
        choices = [_choice(call, account) for account in found]
        key = await call.front.choose("Which setting? * is not the default", choices) or ""
    if not key:
        return ""
    setting = named(key)
    account = next(each for each in found if each.setting == setting)
    if value.strip():
        return await _change(call, setting, value.strip())
    chosen = await _chosen(call, account)
    return await _change(call, setting, chosen) if chosen else ""


async def _chosen(call: Call, account: Account) -> str:
    """A value for a setting that has few; else the prompt holds the beginning of the command, and nothing is chosen."""
    setting = account.setting
    about = "\n".join(render_setting(account, call.environment, call.front.style))
    unset = Choice(
        _UNSET, "take it out of your settings", f"it is {value_text(setting.default)} then, if nobody else says"
    )
    values = setting.choices or (("true", "false") if isinstance(setting.default, bool) else ())
    now = value_text(account.value)
    if values:
        choices = [*(Choice(each, each, "now" if each == now else "") for each in values), unset]
        return await call.front.choose(f"{setting.key}: {summary_of(setting)}", choices, about=about) or ""
    choices = [Choice("type", "type another value", f"it takes {kind_of(setting)}"), unset]
    chosen = await call.front.choose(f"{setting.key}: {summary_of(setting)}", choices, about=about)
    if chosen == "type":
        call.front.put(f"/settings {setting.key} {'' if account.value in ('', ()) else _typed(account)}")
    return _UNSET if chosen == _UNSET else ""


async def _change(call: Call, setting: Setting, text: str) -> str:
    """Writes it down, reads everything again, and says where somebody else decides all the same."""
    path = os.path.join(call.environment.home, USER_FILE)
    value: object = None
    if text == _UNSET:
        changed = await asyncio.to_thread(lambda: os.path.lexists(path) and unset_value(path, setting.key))
        said = f"{setting.key} is {'no longer' if changed else 'not'} set in {path}"
    else:
        value = value_of(setting, text)
        check_patterns(setting.key, texts_of(value))
        changed = await asyncio.to_thread(set_value, path, setting.key, value)
        said = f"{setting.key} is {value_text(value)} in {path}" + ("" if changed else ", as it was")
    await call.session.reload()
    call.front.status_changed()
    account = next(each for each in await asyncio.to_thread(_accounts, call) if each.setting == setting)
    if value is not None and not isinstance(value, tuple) and account.value != value:
        why = origin_text(account.deciding()[-1], call.environment) if account.deciding() else "the reference"
        return f"{said}\nit is {value_text(account.value)} all the same, because of {why}"
    if setting.key.startswith(_WHEN_OPENED):
        return f"{said}\nit counts for sessions that are opened from now on"
    return said


def _accounts(call: Call) -> tuple[Account, ...]:
    reference = call.registry.settings.get("reference") is True
    return accounts(call.environment, _ignore, reference=reference)


def _choice(call: Call, account: Account) -> Choice:
    deciding = account.deciding()
    origin = origin_text(deciding[-1], call.environment) if deciding else "default"
    mark = "* " if account.value != account.setting.default else "  "
    return Choice(account.setting.key, f"{mark}{account.setting.key} = {value_text(account.value)}", origin)


def _typed(account: Account) -> str:
    """The value as it would be typed."""
    return ", ".join(texts_of(account.value)) or str(account.value)


def _ignore(_: Diagnostic) -> None:
    """What is wrong in a settings file, /doctor says."""
