"""Finds entry points of one group without `importlib.metadata`, whose import takes as long as a whole light verb."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from xcsh.model.source import Environment

_FILE = "entry_points.txt"
_LARGEST = 262_144
_METADATA = (".dist-info", ".egg-info")


class EntryPoint(NamedTuple):
    """`name` and `value` as the package declares them; `folder` holds the package's metadata."""

    name: str
    value: str
    distribution: str
    folder: str


def find_entry_points(group: str, folders: Iterable[str]) -> list[EntryPoint]:
    """The entry points of a group in the folders of Python's path, sorted by name. Nothing is imported.

    Of a distribution that is there twice the first one counts, as for Python. A folder or file that cannot be read
    brings nothing.
    """
    wanted = f"[{group}]".encode()
    seen: set[str] = set()
    found: list[EntryPoint] = []
    for folder in dict.fromkeys(os.path.abspath(folder) for folder in folders):
        for name, data in _metadata(folder, _stamp(folder)):
            key = name.rpartition(".")[0].partition("-")[0].lower().replace("_", "-")  # the version may be missing
            if key not in seen and wanted in data:
                distribution = name.rpartition(".")[0]
                found += (EntryPoint(*pair, distribution, folder) for pair in _of_group(data, group))
            seen.add(key)
    return sorted(found)


def folders_outside(folders: Iterable[str], environment: Environment, own: Iterable[str]) -> list[str]:
    """The folders of Python's path in which a project cannot have put anything; `own` are always among those.

    Python looks for packages in the working folder too, and what a checkout brings must not run by itself.
    """
    project = {_real(each) for each in (environment.cwd, environment.repo_root or environment.cwd, os.curdir)} - {""}
    installed = {_real(folder) for folder in own}
    return [
        folder
        for folder in folders
        if (real := _real(folder or os.curdir))
        and (
            real in installed
            or not any(real == each or real.startswith(each.rstrip(os.sep) + os.sep) for each in project)
        )
    ]


def _real(folder: str) -> str:
    """The real path; empty for a relative one where the working folder is gone, and nothing can lie in it."""
    try:
        return os.path.realpath(folder)
    except OSError:
        return ""


def _stamp(folder: str) -> int:
    """When something was last put into a folder or taken out; 0 where there is none."""
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def _metadata(folder: str, stamp: int) -> tuple[tuple[str, bytes], ...]:
    """Name of the metadata and content of its entry points, for each distribution that has some, by name.

    A folder is read again when something was put into it, which is what installers do; `stamp` says so.
    """
    del stamp
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(_METADATA))
    except OSError:
        return ()
    found: list[tuple[str, bytes]] = []
    for name in names:
        try:
            descriptor = os.open(os.path.join(folder, name, _FILE), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            continue
        try:
            found.append((name, os.read(descriptor, _LARGEST)))
        except OSError:
            continue
        finally:
            os.close(descriptor)
    return tuple(found)


def _of_group(data: bytes, group: str) -> Iterator[tuple[str, str]]:
    inside = False
    for raw in data.decode("utf-8", "replace").splitlines():
        line = raw.strip()
        if line.startswith("["):
            inside = line == f"[{group}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield name.strip(), value.strip().partition(" ")[0]
