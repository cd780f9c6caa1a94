"""What a path is really called: links followed, and each name in the case that its folder gives it."""

from __future__ import annotations

import os
from collections.abc import Iterable


def real_spelling(path: str, within: str) -> str:
    """The real path of an absolute one; below the real folder `within`, in the spelling of the disk.

    A file that is not there yet keeps its own name. What the system refuses to look at stays as it is.
    """
    try:
        real = os.path.realpath(path)
        below = within.rstrip(os.sep) + os.sep
        if not real.startswith(below):
            return real
        folder = within
        for name in real[len(below) :].split(os.sep):
            folder = os.path.join(folder, _on_disk(folder, name))
    except (OSError, ValueError):  # a loop, a folder that may not be listed, a name that no system has
        return path
    return folder


def spelled(name: str, names: Iterable[str]) -> str:
    """`name` as it stands among the names of a folder that takes case and composition for the same; else itself."""
    found = list(names)
    if name in found:
        return name
    return next((other for other in found if _folded(other) == _folded(name)), name)


def _on_disk(folder: str, name: str) -> str:
    """A folder is listed only where it answers to another case of the name: on most systems, never."""
    swapped = name.swapcase()
    if swapped == name or not os.path.lexists(os.path.join(folder, swapped)):
        return name
    return spelled(name, os.listdir(folder))


def _folded(name: str) -> str:
    from unicodedata import normalize  # noqa: PLC0415 - only on systems that ignore case

    return normalize("NFC", name.casefold())
