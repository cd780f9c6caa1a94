"""Settings that the caller gives beside the files: `XCSH_…` variables, and `KEY=VALUE` of `--set`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xcsh.errors import UsageError
from xcsh.model.diagnostic import Report
from xcsh.model.settings import BY_KEY, PREFIX, SETTINGS, Setting, variable_of
from xcsh.model.source import Environment, Given
from xcsh.nearest import did_you_mean
from xcsh.parsing.finding import Finding
from xcsh.sources.settings.values import accept, cut, from_text, nearest_settings, refusal_of, unknown

_ALIKE = 0.8
_NO = ("0", "false")


def with_given(environment: Environment, variables: Mapping[str, str], settings: Mapping[str, object]) -> Environment:
    """The surroundings with those of the variables that could be settings, and with the settings of flags, checked.

    A variable that is empty says nothing. UsageError for an unknown key of `settings` or a value that it does not take.
    """
    own = sorted(item for item in variables.items() if item[0].startswith(PREFIX) and item[1])
    return environment._replace(given=Given(tuple(own), tuple(_checked(settings))))


def read_variables(variables: Iterable[tuple[str, str]], report: Report) -> dict[str, object]:
    """What the variables say, by key. A bad value is reported, and one whose name is nearly that of a setting."""
    by_name = {variable_of(setting.key): setting for setting in SETTINGS}
    values: dict[str, object] = {}
    finding = Finding("")
    for name, text in variables:
        setting = by_name.get(name)
        if setting is None:
            bare = {known.removeprefix(PREFIX).lower(): known for known in by_name}
            for near in nearest_settings(name.removeprefix(PREFIX), bare, alike=_ALIKE):
                message = f"the variable {cut(name)} is no setting; did you mean {bare[near]}?"
                report(finding.make("unknown-variable", None, message))
        elif (value := _value(setting, text)) is None:
            report(finding.make("invalid-variable", None, refusal_of(setting, text, name)))
        else:
            values[setting.key] = value
    return values


def parse_flag(text: str) -> tuple[str, object]:
    """Key and value of a `KEY=VALUE`; UsageError for an unknown key or a value that the setting does not take."""
    key, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set takes KEY=VALUE, not {cut(text)!r}", "such as: --set ttsr.enabled=false")
    setting = named(key.strip(), "--set: ")
    return setting.key, value_of(setting, value, "--set: ")


def named(key: str, who: str = "") -> Setting:
    """The setting of a name; UsageError with the nearest names where there is none."""
    setting = BY_KEY.get(key)
    if setting is None:
        hint = did_you_mean(nearest_settings(key, most=3), "all of them: xcsh config")
        raise UsageError(f"{who}{unknown(key).partition(';')[0]}", hint)
    return setting


def value_of(setting: Setting, text: str, who: str = "") -> object:
    """The value that a typed text means; UsageError with what the setting takes where it means none."""
    value = from_text(setting, text)
    if value is None:
        raise UsageError(f"{who}{refusal_of(setting, text)}", f"what it does: xcsh config {setting.key}")
    return value


def _value(setting: Setting, text: str) -> object | None:
    """As a flag's, but that any text but a no switches the reference on."""
    return text not in _NO if setting.key == "reference" else from_text(setting, text)


def _checked(settings: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in settings.items():
        setting = named(key)
        accepted = accept(setting, value)
        if accepted is None:
            raise UsageError(refusal_of(setting, value), f"what it does: xcsh config {key}")
        yield key, accepted
