"""Reads Claude Code's registry of plugins: whose folders are looked at, and why others are not (C-8)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from xcsh.model.command import Kind
from xcsh.model.source import Environment, Level, Source
from xcsh.parsing.values import elements, mapping
from xcsh.sources.filesystem import ReadRefusedError
from xcsh.sources.json_object import quietly, read_json_object, report_malformed
from xcsh.sources.plugin_manifest import Plugin, rows_of
from xcsh.sources.skips import Skips

_REGISTRY = os.path.join(".claude", "plugins", "installed_plugins.json")
_SETTINGS = (os.path.join(".claude", "settings.json"), os.path.join(".claude", "settings.local.json"))
_LEVELS = {"user": Level.USER, "project": Level.PROJECT, "local": Level.PROJECT}


class _Entry(NamedTuple):
    plugin: str
    fields: dict[object, object]


def plugin_sources(environment: Environment, kind: str, skips: Skips, *, beyond: bool) -> tuple[Source, ...]:
    """Where the installed plugins keep their commands or skills, in the registry's own order, plugin by plugin.

    What is wrong with the registry is said for the commands only. `beyond`: manifests count too.
    """
    path = os.path.join(environment.home, _REGISTRY)
    if not os.path.lexists(path):
        return ()
    once = skips if kind == Kind.COMMAND else quietly(skips)
    document = read_json_object(path, once)
    if document is None:
        return ()
    plugins = mapping(document.get("plugins"))
    if plugins is None:
        report_malformed(path, "it holds no object `plugins`", once)
        return ()
    disabled = _disabled(environment, once)
    found = (_plugin(entry, path, disabled, environment, once) for entry in _entries(plugins, path, once))
    return tuple(row for plugin in found if plugin for row in rows_of(plugin, kind, skips, beyond=beyond))


def _entries(plugins: dict[object, object], path: str, skips: Skips) -> Iterator[_Entry]:
    """Version 2 gives each plugin a list of entries, version 1 a single one."""
    for name, value in plugins.items():
        listed = elements(value)
        for item in [value] if listed is None else listed:
            fields = mapping(item)
            if fields is None:
                report_malformed(path, f"the entry of the plugin {name!r} is no object", skips)
            else:
                yield _Entry(str(name), fields)


def _plugin(
    entry: _Entry, path: str, disabled: frozenset[str], environment: Environment, skips: Skips
) -> Plugin | None:
    root = entry.fields.get("installPath")
    scope = entry.fields.get("scope", "user")
    project = entry.fields.get("projectPath")
    level = _LEVELS.get(scope) if isinstance(scope, str) else None
    if not isinstance(root, str) or not os.path.isabs(root):
        report_malformed(path, f"the plugin {entry.plugin!r} has no absolute `installPath`", skips)
    elif level is None:
        report_malformed(path, f"the plugin {entry.plugin!r} has the unknown scope {scope!r}", skips)
    elif entry.plugin in disabled:
        skips.skip(root, "disabled", f"Claude Code's settings disable the plugin {entry.plugin}")
    elif isinstance(project, str) and not _is_here(project, environment):
        skips.skip(root, "disabled", f"the plugin {entry.plugin} is installed for {project}")
    elif not os.path.isdir(root):
        message = f"the plugin {entry.plugin!r} is registered, but {root} is no folder"
        skips.refuse(root, ReadRefusedError("dangling-link", "stale-plugin", message))
    else:
        return Plugin(entry.plugin.partition("@")[0], root, level)
    return None


def _is_here(project: str, environment: Environment) -> bool:
    here = {os.path.realpath(folder) for folder in (environment.cwd, environment.repo_root) if folder}
    return os.path.isabs(project) and os.path.isdir(project) and os.path.realpath(project) in here


def _disabled(environment: Environment, skips: Skips) -> frozenset[str]:
    """The plugins that Claude Code's settings switch off; the project's files come after the user's."""
    states: dict[str, bool] = {}
    for folder in (environment.home, environment.cwd):
        for name in _SETTINGS:
            path = os.path.join(folder, name)
            if os.path.lexists(path):
                document = read_json_object(path, skips) or {}
                enabled = mapping(document.get("enabledPlugins")) or {}
                states.update({str(plugin): value is not False for plugin, value in enabled.items()})
    return frozenset(plugin for plugin, enabled in states.items() if not enabled)
