"""Loads the providers of installed packages: bounded in time, checked, and never in the way of the others (R-63)."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple, cast

from xcsh.installed.entry_points import EntryPoint, find_entry_points, folders_outside
from xcsh.model.arguments import ArgumentSyntax
from xcsh.model.diagnostic import Report
from xcsh.model.provider import CommandTable, OwnerKeys, Provider, RuleFields, RuleTable
from xcsh.model.settings import Settings
from xcsh.model.source import Environment, Level, Root, Source
from xcsh.parsing.finding import Finding

GROUP = "xcsh.providers"
SECONDS = 5.0
"""How long importing a package's providers may take."""

HIGHEST = 39
"""The greatest priority of such a provider: below those of the reference."""

_MOST = 100
"""Providers of one entry point."""

_ROOTS = frozenset({Root.HOME, Root.CWD, Root.ANCESTORS, Root.ABOVE, Root.NESTED, Root.NEAREST})


class Installed(NamedTuple):
    """What was loaded, and the names of all entry points, those that are switched off too."""

    providers: tuple[Provider, ...] = ()
    names: tuple[str, ...] = ()


def load_installed(
    environment: Environment, settings: Settings, report: Report, taken: Collection[str], *, seconds: float = SECONDS
) -> Installed:
    """The providers of every entry point of the group that is not switched off; `taken` are ids that are given away.

    An entry point names a Provider, several of them, or a function that returns them. The id of each is the entry
    point's name, or begins with it and a hyphen. One that is none, raises or hangs is left out with a finding.
    """
    if settings.get("reference") is True or settings.get("discovery.providers") == "reference":
        return Installed()
    folders = folders_outside(sys.path, environment, _package_folders())
    points = find_entry_points(GROUP, folders)
    if not points:
        return Installed()
    from xcsh.bounded import call_bounded  # noqa: PLC0415 - only where something is installed

    disabled = settings.texts("discovery.disabled")
    ids = set(taken)
    found: list[Provider] = []
    for point in points:
        if point.name in disabled:
            continue
        outcome = call_bounded(lambda point=point: _checked(_load(point), point, ids), seconds)
        if outcome.value is None:
            _report(point, f"{type(outcome.error).__name__}: {outcome.error}", report)
            continue
        ids.update(provider.id for provider in outcome.value)
        found += outcome.value
    return Installed(tuple(found), tuple(point.name for point in points))


def _package_folders() -> list[str]:
    """The folders in which this Python keeps its packages, wherever they lie."""
    return [folder for folder in sys.path if folder.endswith(("site-packages", "dist-packages"))]


def _load(point: EntryPoint) -> object:
    from importlib import import_module  # noqa: PLC0415 - only where something is installed

    module, _, path = point.value.partition(":")
    target: object = import_module(module)
    for name in path.split(".") if path else ():
        target = getattr(target, name)
    return target() if callable(target) and not isinstance(target, Provider) else target


def _checked(value: object, point: EntryPoint, taken: Collection[str]) -> list[Provider]:
    """The providers of a value; raises ValueError or TypeError for what is none, or is one that cannot be."""
    values: list[object] = [value] if isinstance(value, Provider) else [*islice(cast("Iterable[object]", value), _MOST)]
    providers: list[Provider] = []
    for each in values:
        if not isinstance(each, Provider):
            raise TypeError(f"it gives {type(each).__name__!r}, which is no xcsh.model.provider.Provider")
        if each.id != point.name and not str(each.id).startswith(f"{point.name}-"):
            raise ValueError(f"the id {each.id!r} is neither {point.name!r} nor begins with it and a hyphen")
        if each.id in taken or any(each.id == other.id for other in providers):
            raise ValueError(f"another provider has the id {each.id!r}")
        _check_fields(each)
        providers.append(each._replace(reference=False, installed=point.distribution))
    return providers


def _check_fields(provider: Provider) -> None:
    if not (isinstance(provider.priority, int) and 1 <= provider.priority <= HIGHEST):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"the priority of {provider.id!r} is not between 1 and {HIGHEST}")
    if not all(isinstance(text, str) for text in (provider.title, provider.reads)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"title and reads of {provider.id!r} have to be texts")
    rules = cast("object", provider.rules)
    if rules is not None:
        if not isinstance(rules, RuleTable) or not isinstance(cast("object", rules.owner), OwnerKeys):
            raise TypeError(f"rules of {provider.id!r} is no RuleTable")
        if rules.fields is not None and not isinstance(cast("object", rules.fields), RuleFields):
            raise TypeError(f"fields of {provider.id!r} is no RuleFields")
        _check_sources(provider.id, rules.sources)
    for table in cast("tuple[object, ...]", (provider.commands, provider.prompts, provider.skills)):
        if table is None:
            continue
        if not isinstance(table, CommandTable):
            raise TypeError(f"a table of {provider.id!r} is no CommandTable")
        if table.arguments is not None and not isinstance(cast("object", table.arguments), ArgumentSyntax):
            raise TypeError(f"arguments of {provider.id!r} is no ArgumentSyntax")
        _check_sources(provider.id, table.sources)


def _check_sources(provider: str, sources: object) -> None:
    for source in cast("Iterable[object]", sources):
        if not isinstance(source, Source):
            raise TypeError(f"a row of {provider!r} is no Source")
        if source.root not in _ROOTS or source.level not in (Level.USER, Level.PROJECT):
            raise ValueError(f"a row of {provider!r} has the root {source.root!r} and the level {source.level!r}")
        parts = str(source.path).split("/")
        if "" in parts or ".." in parts:
            raise ValueError(f"the path {source.path!r} of {provider!r} does not lie below its root")


def _report(point: EntryPoint, why: str, report: Report) -> None:
    message = f"the provider {point.name!r} of the installed package {point.distribution} is left out: {why[:300]}"
    hint = f'mend or remove the package, or switch it off: discovery.disabled = ["{point.name}"]'
    report(Finding("", point.name).make("provider-failed", None, message, hint=hint))
