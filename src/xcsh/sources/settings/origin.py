"""Where each setting's value comes from: what every place says of it, and which of them decides."""

from __future__ import annotations

from typing import NamedTuple

from xcsh.model.diagnostic import Position, Report
from xcsh.model.settings import BY_KEY, SETTINGS, Setting, variable_of
from xcsh.model.source import Environment, Level
from xcsh.sources.settings.reading import Layer, effective, is_forced, read_layers


class Said(NamedTuple):
    """What one place says of a setting. `kind`: user, project, variable or flag.

    `where` is the file's path, the variable's name or the flag; a file has `position`, a list there one for each
    element. `everywhere`: whether it reaches every item, or only those of the project.
    """

    kind: str
    where: str
    value: object
    everywhere: bool = True
    position: Position | None = None
    elements: tuple[Position, ...] = ()


class Account(NamedTuple):
    """A setting with its values for the user's items and for the project's, and all that was said, weakest first.

    `forced`: the reference decides, whatever was said; `project_forced` for the project's items.
    """

    setting: Setting
    value: object
    project_value: object
    said: tuple[Said, ...]
    forced: bool = False
    project_forced: bool = False

    def deciding(self, level: str = Level.USER) -> tuple[Said, ...]:
        """What made the value for items of a level; nothing where it is the default or forced. Lists add up."""
        own = level == Level.PROJECT
        if self.project_forced if own else self.forced:
            return ()
        reaching = tuple(said for said in self.said if own or said.everywhere)
        return reaching if isinstance(self.setting.default, tuple) else reaching[-1:]

    @property
    def differs_in_project(self) -> bool:
        """Whether the project's own items have another value."""
        return self.project_value != self.value


def accounts(environment: Environment, report: Report, *, reference: bool = False) -> tuple[Account, ...]:
    """An account of every setting, in the order of the table. Reads files; what is wrong with one is reported."""
    layers = read_layers(environment, report)
    settings = effective(layers, reference=reference)
    said: dict[str, list[Said]] = {key: [] for key in BY_KEY}
    for layer in layers:
        for key, one in _said(layer):
            said[key].append(one)
    if reference:
        said["reference"].append(Said("flag", "--reference", True))
    return tuple(
        Account(
            setting,
            settings.user[setting.key],
            settings.project[setting.key],
            tuple(said[setting.key]),
            is_forced(setting, settings.user),
            is_forced(setting, settings.project),
        )
        for setting in SETTINGS
    )


def _said(layer: Layer) -> list[tuple[str, Said]]:
    if not layer.path:
        flag = layer.kind == "flag"
        return [
            (key, Said(layer.kind, "--set" if flag else variable_of(key), value)) for key, value in layer.values.items()
        ]
    if not layer.values:
        return []
    from xcsh.sources.settings.places import places_of  # noqa: PLC0415 - only where a file says something

    places = places_of(layer.text, layer.values)
    found: list[tuple[str, Said]] = []
    for key, value in layer.values.items():
        place = places.get(key)  # a key that is spelled with escapes has none
        position, elements = (place.key, tuple(place.elements)) if place is not None else (None, ())
        found.append((key, Said(layer.kind, layer.path, value, layer.everywhere, position, elements)))
    return found
