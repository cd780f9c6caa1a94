"""The JSON shape of `xcsh config` (U-3)."""

from __future__ import annotations

import os
from collections.abc import Iterable

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.settings import variable_of
from xcsh.model.source import Environment, Level
from xcsh.sources.settings.origin import Account, Said
from xcsh.sources.settings.reading import PROJECT_FILE, USER_FILE
from xcsh.sources.settings.values import texts_of
from xcsh.surfaces.config_listing import summary_of
from xcsh.surfaces.shapes import Shape, diagnostic_shape


def config_shape(environment: Environment, accounts: Iterable[Account], diagnostics: Iterable[Diagnostic]) -> Shape:
    """`xcsh config --json`: the two files, and settings in the order of the table."""
    files = {"user": os.path.join(environment.home, USER_FILE), "project": os.path.join(environment.cwd, PROJECT_FILE)}
    return {
        "cwd": environment.cwd,
        "files": {kind: {"path": path, "exists": os.path.lexists(path)} for kind, path in files.items()},
        "settings": [setting_shape(account) for account in accounts],
        "diagnostics": [diagnostic_shape(diagnostic) for diagnostic in diagnostics],
    }


def setting_shape(account: Account) -> Shape:
    """One setting: its value and what made it, the same for the project's own items, and all that was said."""
    setting = account.setting
    return {
        "key": setting.key,
        "value": _plain(account.value),
        "origin": _origin(account, Level.USER, forced=account.forced),
        "projectValue": _plain(account.project_value),
        "projectOrigin": _origin(account, Level.PROJECT, forced=account.project_forced),
        "default": _plain(setting.default),
        "reference": _plain(setting.default if setting.reference is None else setting.reference),
        "changed": account.value != setting.default,
        "summary": summary_of(setting),
        "choices": list(setting.choices),
        "variable": variable_of(setting.key),
        "setBy": "user" if setting.user_only else "project" if setting.project else "trusted",
        "said": [_said_shape(account, said) for said in account.said],
    }


def _origin(account: Account, level: str, *, forced: bool) -> str:
    """The kind of the strongest place that decides; lists may have several, which `said` tells."""
    deciding = account.deciding(level)
    return deciding[-1].kind if deciding else "reference" if forced else "default"


def _said_shape(account: Account, said: Said) -> Shape:
    line, column = said.position or (None, None)
    return {
        "kind": said.kind,
        "where": said.where,
        "line": line,
        "column": column,
        "value": _plain(said.value),
        "lines": [position.line for position in said.elements],
        "counts": said in account.deciding(),
        "countsInProject": said in account.deciding(Level.PROJECT),
    }


def _plain(value: object) -> object:
    return list(texts_of(value)) if texts_of(value) or value == () else value
