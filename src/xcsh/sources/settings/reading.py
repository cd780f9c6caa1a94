"""Reads the settings of the user, the project, variables and flags as layers, each with its own reach (R-34)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from xcsh.model.diagnostic import Position, Report
from xcsh.model.settings import BY_KEY, Setting, Settings, defaults
from xcsh.model.source import Environment
from xcsh.parsing.block import position_at
from xcsh.parsing.finding import Finding
from xcsh.parsing.values import mapping
from xcsh.sources.decode import decode
from xcsh.sources.filesystem import ReadRefusedError, read_bytes

_LIMIT = 1_048_576
_TOML_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)\Z")
_TWICE = re.compile(r"Cannot (?:overwrite|declare)|Duplicate inline table key|Cannot mutate immutable namespace")
_LONG_NUMBER = re.compile(r"(?<![\d_])[\d_]{600}", re.ASCII)
_MANY_PARTS = re.compile(r"""(?<![\w-])(?:(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)[ \t]*\.[ \t]*){8,}""")
_MOST_EFFORT = 30_000_000
"""About a second."""
_LONGEST_REASON = 200
_LONGEST_NAME = 1_000
_MOST_UNKNOWN = 20
USER_FILE = os.path.join(".xcsh", "agent", "settings.toml")
PROJECT_FILE = os.path.join(".xcsh", "settings.toml")


class Layer(NamedTuple):
    """What one place says. `kind`: user, project, variable or flag; of a file also its path and text.

    `everywhere`: whether it reaches every item, or only those of the project.
    """

    kind: str
    values: dict[str, object]
    everywhere: bool = True
    path: str = ""
    text: str = ""


def load_settings(environment: Environment, report: Report, *, reference: bool = False) -> Settings:
    """The effective settings by level: flags before variables, those before the project's file, that before the user's.

    A project's file reaches only keys that a project may set, and its own items; that of a trusted folder reaches
    every key and every item (R-34), but for those that are the user's alone.
    """
    return effective(read_layers(environment, report), reference=reference)


def read_layers(environment: Environment, report: Report) -> tuple[Layer, ...]:
    """Every place that says something, the weakest first. Reads files; what is wrong with one is reported."""
    user_path = os.path.join(environment.home, USER_FILE)
    project_path = os.path.join(environment.cwd, PROJECT_FILE)
    layers: list[Layer] = []
    if os.path.lexists(user_path):
        layers.append(_parsed(Layer("user", {}, path=user_path), _bytes(user_path, report), report))
    if project_path != user_path and os.path.lexists(project_path):
        data = _bytes(project_path, report)
        trusted = data is not None and _is_trusted(data, environment, report)
        layer = Layer("project", {}, trusted, project_path)
        layers.append(_parsed(layer, data, report, may_set=_in_trusted if trusted else _in_project))
    given = environment.given
    if given.variables:
        from xcsh.sources.settings.given import read_variables  # noqa: PLC0415 - most calls have none

        layers.append(Layer("variable", read_variables(given.variables, report)))
    layers.extend(Layer("flag", {key: value}) for key, value in given.flags)
    return tuple(layers)


def effective(layers: Iterable[Layer], *, reference: bool = False) -> Settings:
    """The settings that layers, the weakest first, come to. Lists add up."""
    layers = tuple(layers)
    everywhere = _merged((layer.values for layer in layers if layer.everywhere), reference=reference)
    return Settings(everywhere, _merged((layer.values for layer in layers), reference=reference))


def is_forced(setting: Setting, settings: dict[str, object]) -> bool:
    """Whether the reference decides a setting, whatever else is said of it."""
    return settings["reference"] is True and setting.reference is not None


def _merged(layers: Iterable[dict[str, object]], *, reference: bool) -> dict[str, object]:
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


def _in_trusted(setting: Setting) -> bool:
    return not setting.user_only


def _in_project(setting: Setting) -> bool:
    return setting.project


def _anything(_: Setting) -> bool:
    return True


def _is_trusted(data: bytes, environment: Environment, report: Report) -> bool:
    """Whether the folder is trusted with just these settings."""
    from xcsh.sources.trust.deciding import is_trusted  # noqa: PLC0415 - most projects have no settings file

    return is_trusted(environment, report, settings=data)


def _bytes(path: str, report: Report) -> bytes | None:
    try:
        return read_bytes(path, _LIMIT)
    except ReadRefusedError as problem:
        report(Finding(path).make("invalid-settings-file", problem.position, problem.message))
        return None


def _parsed(
    layer: Layer, data: bytes | None, report: Report, *, may_set: Callable[[Setting], bool] = _anything
) -> Layer:
    """The layer with what its file says. `may_set`: which settings this file may set."""
    if data is None:
        return layer
    finding = Finding(layer.path)
    try:
        text = decode(data, report, finding)
    except ReadRefusedError as problem:
        report(finding.make("invalid-settings-file", problem.position, problem.message))
        return layer
    import tomllib  # noqa: PLC0415 - most projects have no settings file

    if (deep := _too_deep(text)) is not None:
        report(finding.make("invalid-settings-file", deep, "a key has thousands of parts; the file is not read"))
        return layer
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason, position = _toml_problem(error, text)
        report(finding.make("invalid-settings-file", position, f"not TOML: {reason}"))
        return layer
    return layer._replace(values=_checked(document, text, report, finding, may_set), text=text)


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

    from xcsh.sources.settings.values import cut  # noqa: PLC0415 - as above

    end = position_at(text, len(text))
    if isinstance(error, RecursionError):
        return "it is nested too deeply", end
    if not isinstance(error, tomllib.TOMLDecodeError):
        number = _LONG_NUMBER.search(text)
        return "a number of thousands of digits", position_at(text, number.start()) if number else end
    reason = str(error)
    place = _TOML_PLACE.search(reason)
    position = Position(int(place[1]), int(place[2])) if place else end
    if _TWICE.match(reason):
        from xcsh.sources.settings.places import set_twice  # noqa: PLC0415 - only for this fault

        if (twice := set_twice(_before(text, position))) is not None:
            key, position, line = twice
            return f"`{key}` is set twice, first on line {line}", position
    return cut(reason[: place.start() if place else None].strip(), _LONGEST_REASON), position


def _before(text: str, position: Position) -> str:
    """The text up to a place."""
    lines = text.split("\n", position.line)
    return "\n".join([*lines[: position.line - 1], lines[position.line - 1][: position.column - 1]])


def _checked(
    document: dict[str, object], text: str, report: Report, finding: Finding, may_set: Callable[[Setting], bool]
) -> dict[str, object]:
    from xcsh.sources.settings.values import accept, refusal_of, unknown  # noqa: PLC0415 - as above

    values: dict[str, object] = {}
    strange: list[tuple[str, object]] = []
    faults: list[tuple[str, str, str]] = []
    for key, value in _flat(document):
        setting = BY_KEY.get(key)
        if setting is None:
            strange.append((key, value))
        elif not may_set(setting):
            faults.append((key, "setting-not-allowed", _refusal_to_project(setting)))
        elif (accepted := accept(setting, value)) is None:
            faults.append((key, "invalid-setting", refusal_of(setting, value)))
        else:
            values[key] = accepted
    faults.extend((key, "unknown-setting", unknown(key, value)) for key, value in strange[:_MOST_UNKNOWN])
    if len(strange) > _MOST_UNKNOWN:
        more = len(strange) - _MOST_UNKNOWN
        faults.append((strange[_MOST_UNKNOWN][0], "unknown-setting", f"and {more:,} more unknown settings"))
    if faults:
        from xcsh.sources.settings.places import places_of  # noqa: PLC0415 - only where something is wrong

        places = places_of(text, {key for key, _, _ in faults})
        for key, code, message in faults:
            report(finding.make(code, places[key].key if key in places else None, message))
    return values


def _refusal_to_project(setting: Setting) -> str:
    if setting.user_only:
        return f"no project, trusted or not, can set `{setting.key}`; it is ignored"
    return f"a project cannot set `{setting.key}`; it is ignored until the folder is trusted: xcsh trust"


def _flat(document: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Keys of the top and of its tables, no longer than needed to tell them from every setting."""
    for key, value in document.items():
        table = mapping(value)
        name = key[:_LONGEST_NAME]
        if table and key not in BY_KEY:
            yield from ((f"{name}.{inner}", table[inner]) for inner in table)
        elif table is None or key in BY_KEY or not any(known.startswith(f"{key}.") for known in BY_KEY):
            yield name, value
