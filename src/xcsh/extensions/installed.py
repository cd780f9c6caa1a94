"""Which entry points installers have put in place, and which a project could have: those must not run by themselves."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from xcsh.model.source import Environment

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "xcsh.extensions"


class Installed(NamedTuple):
    """An entry point. Where `inside` is not empty, it is the place in the project that it, or its module, lies in."""

    entry: EntryPoint
    inside: str = ""


def installed_entry_points(environment: Environment) -> list[Installed]:
    """Sorted by name, since the order of installed packages is nobody's intention. Nothing is imported."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes as long as a light verb

    project = _Project(environment)
    found = sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: (entry.name, entry.value))
    return [Installed(entry, project.place_of(entry)) for entry in found]


class _Project:
    """The folders that somebody else may have filled: Python looks for packages in the working folder too."""

    def __init__(self, environment: Environment) -> None:
        import sysconfig  # noqa: PLC0415 - only where something is loaded

        working = os.curdir  # the process's own folder is the one on Python's path, whatever `--cwd` says
        folders = (environment.cwd, environment.repo_root or environment.cwd, working)
        self._folders = {os.path.realpath(folder) for folder in folders}
        self._packages = {os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")}

    def place_of(self, entry: EntryPoint) -> str:
        """The first place inside the project, of the distribution and then of the module; empty where there is none."""
        location = "" if entry.dist is None else str(entry.dist.locate_file(""))
        if place := self._inside(location):
            return place
        return next((place for each in _module_places(entry.module) if (place := self._inside(each))), "")

    def _inside(self, path: str) -> str:
        real = os.path.realpath(path)
        if any(_within(real, folder) for folder in self._packages):
            return ""
        return real if any(_within(real, folder) for folder in self._folders) else ""


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _module_places(module: str) -> list[str]:
    """The files and folders that importing the module would execute, as far as that is known without importing."""
    from importlib.machinery import PathFinder  # noqa: PLC0415 - only where something is loaded
    from importlib.util import find_spec  # noqa: PLC0415

    names = module.split(".")
    places: list[str] = []
    try:
        spec: ModuleSpec | None = find_spec(names[0])  # of a name without a dot: this imports nothing
        for at in range(1, len(names) + 1):
            if spec is None:
                break
            places += [spec.origin] if spec.has_location and spec.origin else []
            folders = spec.submodule_search_locations
            if folders is None:
                break
            places += folders
            spec = PathFinder.find_spec(".".join(names[: at + 1]), folders) if at < len(names) else None
    except (ImportError, ValueError, AttributeError):
        return places  # loading it says what is wrong
    return places
