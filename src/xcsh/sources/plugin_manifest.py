"""Where a Claude Code plugin keeps commands and skills: its own folders, and what its manifest names besides (C-40)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from xcsh.model.command import Kind
from xcsh.model.source import Root, Source
from xcsh.parsing.values import elements
from xcsh.sources.json_object import quietly, read_json_object
from xcsh.sources.links import Boundary
from xcsh.sources.skips import Skips

_MANIFEST = os.path.join(".claude-plugin", "plugin.json")
_MARKER = "SKILL.md"
_KEYS = {Kind.COMMAND: "commands", Kind.SKILL: "skills", Kind.RULE: "rules"}


class Plugin(NamedTuple):
    """An installed plugin: its name without the market, its folder, and whose it is."""

    name: str
    root: str
    level: str


def rows_of(plugin: Plugin, kind: str, skips: Skips, *, beyond: bool) -> Iterator[Source]:
    """The rows of one plugin; `beyond`: those that its manifest names too, by a path, or a list of paths."""
    key = _KEYS[kind]
    yield _folder(plugin, kind, os.path.join(plugin.root, key))
    manifest = os.path.join(plugin.root, _MANIFEST)
    if not beyond or not os.path.lexists(manifest):
        return
    document = read_json_object(manifest, skips if kind == Kind.COMMAND else quietly(skips)) or {}
    value = document.get(key)
    listed = elements(value)
    for path in () if value is None else ([value] if listed is None else listed):
        if (row := _named(plugin, kind, path)) is not None:
            yield row
        else:
            message = f"`{key}` names {path!r}, which is no path inside of the plugin {plugin.name!r}"
            skips.report(skips.finding(manifest).make("invalid-plugin-registry", None, message))


def _named(plugin: Plugin, kind: str, path: object) -> Source | None:
    """The row of a path that a manifest names; None where that leads out of the plugin, or nowhere."""
    if not isinstance(path, str) or os.path.isabs(path):
        return None
    place = os.path.normpath(os.path.join(plugin.root, path))
    outside = Boundary(os.path.realpath(plugin.root)).outside(place)
    if outside is not None or not os.path.exists(place):
        return None
    if os.path.isdir(place):
        skill = kind == Kind.SKILL and os.path.isfile(os.path.join(place, _MARKER))
        return _file(plugin, os.path.join(place, _MARKER), place) if skill else _folder(plugin, kind, place)
    return _file(plugin, place, place.rpartition(".")[0]) if kind == Kind.COMMAND else None


def _folder(plugin: Plugin, kind: str, path: str) -> Source:
    if kind == Kind.SKILL:
        return Source(Root.ABSOLUTE, path, plugin.level, marker=_MARKER, plugin=plugin.name, base=plugin.root)
    return Source(Root.ABSOLUTE, path, plugin.level, (".md",), plugin=plugin.name, base=plugin.root)


def _file(plugin: Plugin, path: str, named: str) -> Source:
    return Source(Root.ABSOLUTE, path, plugin.level, name=os.path.basename(named), plugin=plugin.name, base=plugin.root)
