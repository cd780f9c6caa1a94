"""Notices when a file changes that discovery looks at, or would look at if it were there (C-32)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from xcsh.api import providers_of, rediscover
from xcsh.model.provider import Provider
from xcsh.model.registry import Registry
from xcsh.model.source import Environment, Root, Source
from xcsh.sources.settings.reading import PROJECT_FILE, USER_FILE

_MOST_FOLDERS = 2_000
_MOST_FILES = 20_000
_QUIET_MS, _AT_MOST_MS = 100, 1_000

Fingerprint = frozenset[tuple[str, int, int, int]]


class Watched(NamedTuple):
    """`places` are the files and folders that matter, there or not; `folders` are those that are there to be watched,
    each without what lies below it; `above` are all folders in which a place lies, at any depth.
    """

    places: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    above: frozenset[str] = frozenset()

    def matters(self, path: str) -> bool:
        """Whether a change of `path` may change what is found: it is a place, lies in one, or holds one."""
        return path in self.above or path in self.places or any(folder in self.places for folder in _above(path))


class UnwatchableError(Exception):
    """The system watches nothing, or no more; what it said."""


async def watch(registry: Callable[[], Registry], on_change: Callable[[], Awaitable[None]]) -> None:
    """Calls `on_change` after files have changed that matter to the registry, until it is cancelled.

    What changes together, or while `on_change` runs, is one change. `registry` is asked anew afterwards, since other
    files may matter then. Raises UnwatchableError where the system does not watch.
    """
    seen: Fingerprint | None = None
    known = Watched()
    while True:
        watched = await asyncio.to_thread(watched_by, registry())
        changing = asyncio.ensure_future(_next_change(watched))
        try:
            await asyncio.sleep(0)  # it watches from here on
            both = watched._replace(folders=watched.folders & known.folders)
            if seen is None:
                changed = await asyncio.to_thread(_is_stale, registry())
            else:
                changed = await asyncio.to_thread(fingerprint, both) != _of(seen, both)
            if not changed:
                await changing
        finally:
            changing.cancel()
            await asyncio.wait({changing})  # awaiting it would take our own cancellation for its
        if not changing.cancelled():
            changing.result()
        known = await asyncio.to_thread(watched_by, registry())
        seen = await asyncio.to_thread(fingerprint, known)
        await on_change()


def _is_stale(registry: Registry) -> bool:
    """Whether something has changed between the making of a registry and the beginning of the watch."""
    now = rediscover(registry)
    if now.settings != registry.settings or set(now.diagnostics) - set(registry.diagnostics):
        return True
    kinds = ((now.rules, registry.rules), (now.commands, registry.commands), (now.prompts, registry.prompts))
    return any(new != old for new, old in (*kinds, (now.skills, registry.skills)))


def _of(seen: Fingerprint, watched: Watched) -> Fingerprint:
    return frozenset(each for each in seen if os.path.dirname(each[0]) in watched.folders and watched.matters(each[0]))


async def _next_change(watched: Watched) -> None:
    """Returns when something has changed that matters, and nothing changes any more."""
    from watchfiles import awatch  # noqa: PLC0415 # pyright: ignore[reportUnknownVariableType] - names trio's types

    def matters(_: object, path: str) -> bool:
        return watched.matters(path)

    try:
        changes = awatch(
            *watched.folders,
            watch_filter=matters,
            debounce=_AT_MOST_MS,
            step=_QUIET_MS,
            recursive=False,
            ignore_permission_denied=True,
        )
        async for _ in changes:
            return
    except (OSError, RuntimeError) as error:
        raise UnwatchableError(str(error)) from error


def watched_by(registry: Registry) -> Watched:
    """What to watch for a registry. Reads folders.

    Folders further down that hold rules of their own are among them once they have been found.
    """
    environment = registry.environment
    places = set(_named(environment, providers_of(registry)))
    for path in registry.paths():
        places.add(path)
        places.add(os.path.realpath(path))
    folders: set[str] = set()
    for place in places:
        if os.path.isdir(place):
            folders.update(_all_folders(place))
        folders.add(_nearest_folder(os.path.dirname(place)))
    above = frozenset(folder for place in places for folder in _above(place))
    return Watched(frozenset(places), frozenset(sorted(folders)[:_MOST_FOLDERS]), above)


def fingerprint(watched: Watched) -> Fingerprint:
    """What the files that matter look like from outside: two are equal where nothing has changed. Reads folders."""
    seen: set[tuple[str, int, int, int]] = set()
    for folder in watched.folders:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if not watched.matters(entry.path) or len(seen) >= _MOST_FILES:
                    continue
                with suppress(OSError):
                    status = entry.stat()
                    is_file = entry.is_file()
                    seen.add((entry.path, status.st_ino, status.st_size if is_file else 0,
                              status.st_mtime_ns if is_file else 0))  # fmt: skip
    return frozenset(seen)


def _named(environment: Environment, providers: Iterable[Provider]) -> Iterator[str]:
    """Every path that a table or the settings name, there or not."""
    yield os.path.join(environment.home, USER_FILE)
    yield os.path.join(environment.cwd, PROJECT_FILE)
    for provider in providers:
        for table in (provider.rules, provider.commands, provider.prompts, provider.skills):
            for source in () if table is None else table.sources:
                place = source.path.replace("/", os.sep)
                if place.endswith("*"):
                    place = os.path.dirname(place)  # what begins so may come to be there
                folder = dict(environment.given.folders).get(source.variable or "")
                if folder:
                    yield os.path.join(folder, *place.split(os.sep)[1:])
                for base in _bases(source, environment):
                    yield os.path.join(base, place)


def _bases(source: Source, environment: Environment) -> Iterator[str]:
    """The folders that the path of a row is looked for in; what lies further down is known when it has been found."""
    if source.root == Root.HOME:
        yield environment.home
    elif source.root == Root.ABSOLUTE:
        yield os.sep
    elif source.root == Root.CWD:
        yield environment.cwd
    elif source.root in (Root.ANCESTORS, Root.ABOVE, Root.NEAREST):
        top = environment.repo_root or environment.cwd
        folder = environment.cwd
        yield folder
        while folder != top and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
            yield folder


def _above(path: str) -> Iterator[str]:
    """The folders around a path, from the nearest to the root."""
    while (folder := os.path.dirname(path)) != path:
        yield folder
        path = folder


def _all_folders(top: str) -> Iterator[str]:
    for count, (folder, names, _) in enumerate(os.walk(top)):
        if count >= _MOST_FOLDERS:
            return
        names[:] = [name for name in names if not name.startswith(".")]
        yield folder


def _nearest_folder(path: str) -> str:
    """The folder itself, or the first one above it that is there."""
    while not os.path.isdir(path):
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return path
