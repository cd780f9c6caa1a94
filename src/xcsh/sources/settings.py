"""Reads settings.toml of the user and of the project, each with its own reach (R-34)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from xcsh.model.diagnostic import Position, Report
from xcsh.model.settings import BY_KEY, Setting, Settings, defaults
from xcsh.model.source import Environment
from xcsh.parsing.block import position_at
from xcsh.parsing.finding import Finding
from xcsh.parsing.values import as_text, elements, mapping, type_name
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes

_LIMIT = 1_048_576
_TOML_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)\Z")
_HEADING = re.compile(r"[ \t]*\[{1,2}([^\[\]]+)\]")
_LONG_NUMBER = re.compile(r"(?<![\d_])[\d_]{600}", re.ASCII)
_MANY_PARTS = re.compile(r"""(?<![\w-])(?:(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)[ \t]*\.[ \t]*){8,}""")
_MOST_EFFORT = 30_000_000
"""About a second."""
_LARGEST = 2**63 - 1
"""The largest integer that every reader of TOML takes."""
_LONGEST_SHOWN = 60
_LONGEST_REASON = 200
_LONGEST_NAME = 1_000
_MOST_UNKNOWN = 20
USER_FILE = os.path.join(".xcsh", "agent", "settings.toml")
PROJECT_FILE = os.path.join(".xcsh", "settings.toml")


def load_settings(environment: Environment, report: Report, *, reference: bool = False) -> Settings:
    """The effective settings by level.

    A project's file reaches only keys that a project may set, and its own items; that of a trusted folder reaches
    every key and every item (R-34), but for those that are the user's alone.
    """
    user_path = os.path.join(environment.home, USER_FILE)
    project_path = os.path.join(environment.cwd, PROJECT_FILE)
    user = _read(user_path, report)
    project: dict[str, object] = {}
    trusted = False
    if project_path != user_path and os.path.lexists(project_path):
        data = _bytes(project_path, report)
        trusted = data is not None and _is_trusted(data, environment, report)
        project = _parsed(project_path, data, report, may_set=_in_trusted if trusted else _in_project)
    everywhere = _effective((user, project) if trusted else (user,), reference=reference)
    return Settings(everywhere, _effective((user, project), reference=reference))


def _in_trusted(setting: Setting) -> bool:
    return not setting.user_only


def _in_project(setting: Setting) -> bool:
    return setting.project


def _anything(_: Setting) -> bool:
    return True


def _is_trusted(data: bytes, environment: Environment, report: Report) -> bool:
    """Whether the folder is trusted with just these settings."""
    from xcsh.sources.trust import is_trusted  # noqa: PLC0415 - most projects have no settings file

    return is_trusted(environment, report, settings=data)


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


def _read(path: str, report: Report) -> dict[str, object]:
    return _parsed(path, _bytes(path, report), report) if os.path.lexists(path) else {}


def _bytes(path: str, report: Report) -> bytes | None:
    try:
        return read_bytes(path, _LIMIT)
    except ReadRefusedError as problem:
        report(Finding(path).make("invalid-settings-file", problem.position, problem.message))
        return None


def _parsed(
    path: str, data: bytes | None, report: Report, *, may_set: Callable[[Setting], bool] = _anything
) -> dict[str, object]:
    """The settings in a file. `may_set`: which of them this file may set."""
    if data is None:
        return {}
    finding = Finding(path)
    try:
        text = decode(data, report, finding)
    except ReadRefusedError as problem:
        report(finding.make("invalid-settings-file", problem.position, problem.message))
        return {}
    import tomllib  # noqa: PLC0415 - most projects have no settings file

    if (deep := _too_deep(text)) is not None:
        report(finding.make("invalid-settings-file", deep, "a key has thousands of parts; the file is not read"))
        return {}
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason, position = _toml_problem(error, text)
        report(finding.make("invalid-settings-file", position, f"not TOML: {reason}"))
        return {}
    return _checked(document, text, report, finding, may_set)


def _too_deep(text: str) -> Position | None:
    """Where a key has so many parts that TOML would stall: it takes their square, and theirs for each line below."""
    lines = text.count("\n") + 1
    squares = 0
    for match in _MANY_PARTS.finditer(text):
        parts = match[0].count(".")
        squares += parts * parts
        if squares + 10 * parts * lines > _MOST_EFFORT:
            return position_at(text, match.start())
    return None


def _toml_problem(error: Exception, text: str) -> tuple[str, Position]:
    """Why a text is no TOML, and where it shows."""
    import tomllib  # noqa: PLC0415 - as above

    end = position_at(text, len(text))
    if isinstance(error, RecursionError):
        return "it is nested too deeply", end
    if not isinstance(error, tomllib.TOMLDecodeError):
        number = _LONG_NUMBER.search(text)
        return "a number of thousands of digits", position_at(text, number.start()) if number else end
    reason = str(error)
    place = _TOML_PLACE.search(reason)
    position = Position(int(place[1]), int(place[2])) if place else end
    return _cut(reason[: place.start() if place else None].strip(), _LONGEST_REASON), position


def _checked(
    document: dict[str, object], text: str, report: Report, finding: Finding, may_set: Callable[[Setting], bool]
) -> dict[str, object]:
    values: dict[str, object] = {}
    unknown: list[str] = []
    faults: list[tuple[str, str, str]] = []
    for key, value in _flat(document):
        setting = BY_KEY.get(key)
        if setting is None:
            unknown.append(key)
        elif not may_set(setting):
            who = "no project, trusted or not, can" if setting.user_only else "a project cannot"
            faults.append((key, "setting-not-allowed", f"{who} set `{key}`; it is ignored"))
        elif (accepted := _accept(setting, value)) is None:
            faults.append((key, "invalid-setting", f"`{key}` takes {_kind(setting)}, not {_shown(value)}"))
        else:
            values[key] = accepted
    faults.extend((key, "unknown-setting", _unknown(key)) for key in unknown[:_MOST_UNKNOWN])
    if len(unknown) > _MOST_UNKNOWN:
        more = len(unknown) - _MOST_UNKNOWN
        faults.append((unknown[_MOST_UNKNOWN], "unknown-setting", f"and {more:,} more unknown settings"))
    lines = _lines(text, {key for key, _, _ in faults}) if faults else {}
    for key, code, message in faults:
        report(finding.make(code, Position(lines[key], 1) if key in lines else None, message))
    return values


def _flat(document: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Keys of the top and of its tables, no longer than needed to tell them from every setting."""
    for key, value in document.items():
        table = mapping(value)
        name = key[:_LONGEST_NAME]
        if table is not None and key not in BY_KEY:
            yield from ((f"{name}.{inner}", table[inner]) for inner in table)
        else:
            yield name, value


def _accept(setting: Setting, value: object) -> object | None:
    if isinstance(setting.default, tuple):
        listed = elements(value)
        return None if listed is None or not all(isinstance(element, str) for element in listed) else tuple(listed)
    if type(value) is not type(setting.default) or (setting.choices and value not in setting.choices):
        return None
    if isinstance(value, int) and not isinstance(value, bool) and not setting.least <= value <= _LARGEST:
        return None
    return value


def _kind(setting: Setting) -> str:
    if setting.choices:
        return " or ".join(f'"{choice}"' for choice in setting.choices)
    if isinstance(setting.default, tuple):
        return "a list of texts"
    if type(setting.default) is int:
        return f"a {'positive number' if setting.least else 'number from 0 on'} of 64 bits"
    return type_name(setting.default)


def _shown(value: object) -> str:
    """A value as a message shows it: as TOML writes the simple ones, and no more of it than fits on a line."""
    try:
        return _cut(repr(value) if isinstance(value, str) else as_text(value))
    except ValueError:
        return "a number of thousands of digits"


def _cut(text: str, longest: int = _LONGEST_SHOWN) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _lines(text: str, wanted: set[str]) -> dict[str, int]:
    """The line on which each wanted key is first set, under its table's heading or dotted."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _HEADING.match(line):
            name = table = _bare(match[1][:_LONGEST_NAME])
        else:
            key, equals, _ = line.partition("=")
            if not equals or "#" in key:
                continue
            name = f"{table}.{_bare(key)}" if table else _bare(key)
        first, _, rest = name.partition(".")
        for spelled in (name, f"{first}.{rest.partition('.')[0]}", first):
            if spelled in wanted:
                found.setdefault(spelled, number)
    return found


def _bare(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def _unknown(key: str) -> str:
    import difflib  # noqa: PLC0415 - only where a key is unknown

    near = difflib.get_close_matches(key, BY_KEY, 1)
    return f"unknown setting `{_cut(key)}`" + (f"; did you mean `{near[0]}`?" if near else "")
