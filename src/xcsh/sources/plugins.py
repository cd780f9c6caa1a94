"""Reads Claude Code's registry of plugins: whose `commands` folders are looked at, and why others are not (C-8)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from xcsh.model.diagnostic import Position
from xcsh.model.source import Environment, Level, Root, Source
from xcsh.parsing.values import elements, mapping
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.skips import Skips

_LIMIT = 4_194_304
_REGISTRY = os.path.join(".claude", "plugins", "installed_plugins.json")
_SETTINGS = (os.path.join(".claude", "settings.json"), os.path.join(".claude", "settings.local.json"))
_LEVELS = {"user": Level.USER, "project": Level.PROJECT, "local": Level.PROJECT}


class _Entry(NamedTuple):
    plugin: str
    fields: dict[object, object]


def plugin_sources(environment: Environment, skips: Skips) -> tuple[Source, ...]:
    """The `commands` folders of the installed plugins, in the registry's own order, plugin by plugin."""
    path = os.path.join(environment.home, _REGISTRY)
    if not os.path.lexists(path):
        return ()
    document = _json(path, skips)
    if document is None:
        return ()
    plugins = mapping(document.get("plugins"))
    if plugins is None:
        _malformed(path, "it holds no object `plugins`", skips)
        return ()
    disabled = _disabled(environment, skips)
    return tuple(
        source
        for entry in _entries(plugins, path, skips)
        if (source := _source(entry, path, disabled, environment, skips)) is not None
    )


def _entries(plugins: dict[object, object], path: str, skips: Skips) -> Iterator[_Entry]:
    """Version 2 gives each plugin a list of entries, version 1 a single one."""
    for name, value in plugins.items():
        listed = elements(value)
        for item in [value] if listed is None else listed:
            fields = mapping(item)
            if fields is None:
                _malformed(path, f"the entry of the plugin {name!r} is no object", skips)
            else:
                yield _Entry(str(name), fields)


def _source(
    entry: _Entry, path: str, disabled: frozenset[str], environment: Environment, skips: Skips
) -> Source | None:
    root = entry.fields.get("installPath")
    scope = entry.fields.get("scope", "user")
    project = entry.fields.get("projectPath")
    level = _LEVELS.get(scope) if isinstance(scope, str) else None
    if not isinstance(root, str) or not os.path.isabs(root):
        _malformed(path, f"the plugin {entry.plugin!r} has no absolute `installPath`", skips)
    elif level is None:
        _malformed(path, f"the plugin {entry.plugin!r} has the unknown scope {scope!r}", skips)
    elif entry.plugin in disabled:
        skips.skip(root, "disabled", f"Claude Code's settings disable the plugin {entry.plugin}")
    elif isinstance(project, str) and not _is_here(project, environment):
        skips.skip(root, "disabled", f"the plugin {entry.plugin} is installed for {project}")
    elif not os.path.isdir(root):
        message = f"the plugin {entry.plugin!r} is registered, but {root} is no folder"
        skips.refuse(root, ReadRefusedError("dangling-link", "stale-plugin", message))
    else:
        name = entry.plugin.partition("@")[0]
        return Source(Root.ABSOLUTE, os.path.join(root, "commands"), level, (".md",), plugin=name)
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
                document = _json(path, skips) or {}
                enabled = mapping(document.get("enabledPlugins")) or {}
                states.update({str(plugin): value is not False for plugin, value in enabled.items()})
    return frozenset(plugin for plugin, enabled in states.items() if not enabled)


def _json(path: str, skips: Skips) -> dict[object, object] | None:
    """The JSON object that a file holds; None, with a diagnostic, where it holds none."""
    import json  # noqa: PLC0415 - only where Claude Code has a registry of plugins

    try:
        document = mapping(json.loads(decode(read_bytes(path, _LIMIT), skips.report, skips.finding(path))))
        if document is None:
            _malformed(path, "it is no JSON object", skips)
    except ReadRefusedError as problem:
        skips.report(skips.finding(path).make("invalid-plugin-registry", problem.position, problem.message))
    except json.JSONDecodeError as error:
        _malformed(path, f"it is no JSON ({error.msg})", skips, Position(error.lineno, error.colno))
    except RecursionError:
        _malformed(path, "it is nested too deeply", skips)
    except ValueError as error:
        _malformed(path, f"it holds a value that cannot be read ({error})", skips)
    else:
        return document
    return None


def _malformed(path: str, message: str, skips: Skips, place: Position | None = None) -> None:
    skips.report(skips.finding(path).make("invalid-plugin-registry", place, message))
