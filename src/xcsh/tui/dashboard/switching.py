"""Switches items and providers off and on, in the user's settings (R-34)."""

from __future__ import annotations

import os
from typing import NamedTuple

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.source import Environment, Level
from xcsh.sources.settings.origin import accounts
from xcsh.sources.settings.reading import USER_FILE
from xcsh.sources.settings.values import texts_of
from xcsh.surfaces.config_listing import origin_text
from xcsh.surfaces.layout import shown_path, visible
from xcsh.tui.dashboard.row import EXTENSION, Row, State

_KEY = "discovery.disabled"
_IN_PYTHON = "what is written in Python is not switched in settings: /trust decides whether it runs"


class Switched(NamedTuple):
    """What became of a switch: whether it is as it was wanted, and a sentence about it."""

    done: bool
    text: str


def switch(environment: Environment, key: str, *, on: bool) -> Switched:
    """Takes `key`, an item (`rule:NAME`) or the id of a provider, out of the user's `discovery.disabled`, or adds it.

    Reads and writes files. UsageError where the settings cannot be changed; they are as they were then.
    """
    from xcsh.sources.settings.editing import add_to_list, remove_from_list  # noqa: PLC0415 - few sessions write settings

    path = os.path.join(environment.home, USER_FILE)
    shown = shown_path(path, environment)
    if not on:
        changed = add_to_list(path, _KEY, key)
        where = next((place for place in named_at(environment, key) if place.startswith(shown)), shown)
        return Switched(True, f"{visible(key)} is off: {_KEY} in {where}" + ("" if changed else " names it already"))
    changed = remove_from_list(path, _KEY, key) if os.path.lexists(path) else False
    others = _said(environment, key)
    everywhere = [place for place, reaches_everything in others if reaches_everything]
    if everywhere:
        return Switched(False, f"{visible(key)} stays off: {_KEY} names it in {', '.join(everywhere)}")
    done = f"{visible(key)} is on: {'taken out of' if changed else 'nothing names it in'} {_KEY} in {shown}"
    if others:
        return Switched(False, f"{done}; but for the project's own items it stays off, as {others[0][0]} says")
    return Switched(True, done)


def refusal_of(row: Row) -> str:
    """Why an item is not switched by itself; empty where it is."""
    if row.kind == EXTENSION:
        return _IN_PYTHON
    if row.state == State.OFF and not row.key:
        if row.off_by:
            return f"{row.name} is off with everything of {row.title}; P switches {row.title} on"
        return f"{row.name} is {row.label}; that setting is not changed here: /settings"
    return f"{row.name} is not used in any case: {row.label}" if row.state == State.SKIPPED else ""


def named_at(environment: Environment, key: str) -> list[str]:
    """Every place whose `discovery.disabled` names a key: `path:line`, a variable or a flag. Reads files."""
    return [place for place, _ in _said(environment, key)]


def _said(environment: Environment, key: str) -> list[tuple[str, bool]]:
    """Each place that names the key, and whether what it says reaches everything."""
    account = next(each for each in accounts(environment, _ignore) if each.setting.key == _KEY)
    return [
        (origin_text(said, environment, texts_of(said.value).index(key)), said.everywhere)
        for said in account.deciding(Level.PROJECT)
        if key in texts_of(said.value)
    ]


def _ignore(_: Diagnostic) -> None:
    """A discovery reports what is wrong with the files."""
