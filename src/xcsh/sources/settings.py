"""Reads settings.toml of the user and of the project, each with its own reach (R-34)."""

from __future__ import annotations

import os
import re

from xcsh.model.diagnostic import Position, Report
from xcsh.model.settings import BY_KEY, Setting, Settings, defaults
from xcsh.model.source import Environment
from xcsh.parsing.finding import Finding
from xcsh.parsing.values import elements, mapping, type_name
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes

_LIMIT = 1_048_576
_TOML_PLACE = r"\(at line (\d+), column (\d+)\)"
USER_FILE = os.path.join(".xcsh", "agent", "settings.toml")
PROJECT_FILE = os.path.join(".xcsh", "settings.toml")


def load_settings(environment: Environment, report: Report, *, reference: bool = False) -> Settings:
    """The effective settings by level. A project's file reaches only keys that a project may set, and its own items."""
    user_path = os.path.join(environment.home, USER_FILE)
    project_path = os.path.join(environment.cwd, PROJECT_FILE)
    user = _read(user_path, report, project=False)
    project = _read(project_path, report, project=True) if project_path != user_path else {}
    return Settings(_effective((user,), reference=reference), _effective((user, project), reference=reference))


def _effective(layers: tuple[dict[str, object], ...], *, reference: bool) -> dict[str, object]:
    given: dict[str, object] = {}
    for layer in layers:
        for key, value in layer.items():
            earlier = given.get(key)
            adds = isinstance(value, tuple) and isinstance(earlier, tuple)
            given[key] = (*earlier, *value) if adds else value  # type: ignore[misc]
    if reference or given.get("reference") is True:
        forced = {setting.key for setting in BY_KEY.values() if setting.reference is not None}
        given = {key: value for key, value in given.items() if key not in forced}
        return {**defaults(reference=True), **given, "reference": True}
    return {**defaults(), **given}


def _read(path: str, report: Report, *, project: bool) -> dict[str, object]:
    if not os.path.lexists(path):
        return {}
    finding = Finding(path)
    try:
        text = decode(read_bytes(path, _LIMIT), report, finding)
    except ReadRefusedError as problem:
        report(finding.make("invalid-settings-file", problem.position, problem.message))
        return {}
    import tomllib  # noqa: PLC0415 - most projects have no settings file

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(_TOML_PLACE, str(error))
        last = text.rpartition("\n")[2]
        end = Position(text.count("\n") + 1, len(last) + 1)
        position = Position(int(place[1]), int(place[2])) if place else end
        reason = re.sub(_TOML_PLACE, "", str(error)).strip()
        report(finding.make("invalid-settings-file", position, f"not TOML: {reason}"))
        return {}
    return _checked(document, text, report, finding, project=project)


def _checked(
    document: dict[str, object], text: str, report: Report, finding: Finding, *, project: bool
) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in _flat(document):
        setting = BY_KEY.get(key)
        place = _place(text, key)
        if setting is None:
            report(finding.make("unknown-setting", place, f"unknown setting `{key}`{_nearest(key)}"))
        elif project and not setting.project:
            report(finding.make("setting-not-allowed", place, f"a project cannot set `{key}`; it is ignored"))
        elif (accepted := _accept(setting, value)) is None:
            report(finding.make("invalid-setting", place, f"`{key}` takes {_kind(setting)}, not {value!r}"))
        else:
            values[key] = accepted
    return values


def _flat(document: dict[str, object]) -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = []
    for key, value in document.items():
        table = mapping(value)
        if table is not None and key not in BY_KEY:
            pairs.extend((f"{key}.{inner}", table[inner]) for inner in table)
        else:
            pairs.append((key, value))
    return pairs


def _accept(setting: Setting, value: object) -> object | None:
    if isinstance(setting.default, tuple):
        listed = elements(value)
        return None if listed is None or not all(isinstance(element, str) for element in listed) else tuple(listed)
    if type(value) is not type(setting.default) or (setting.choices and value not in setting.choices):
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value <= 0:
        return None
    return value


def _kind(setting: Setting) -> str:
    if setting.choices:
        return " or ".join(f'"{choice}"' for choice in setting.choices)
    if isinstance(setting.default, tuple):
        return "a list of texts"
    return "a positive number" if type(setting.default) is int else type_name(setting.default)


def _place(text: str, key: str) -> Position | None:
    """The line on which a key is set: under its table's heading, or dotted."""
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if match := re.match(r"[ \t]*\[([^\[\]]+)\]", line):
            table = _bare(match[1]) + "."
        elif (match := re.match(r"[ \t]*([^=#]+?)[ \t]*=", line)) and table + _bare(match[1]) == key:
            return Position(number, 1)
    return None


def _bare(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def _nearest(key: str) -> str:
    import difflib  # noqa: PLC0415 - only where a key is unknown

    near = difflib.get_close_matches(key, BY_KEY, 1)
    return f"; did you mean `{near[0]}`?" if near else ""
