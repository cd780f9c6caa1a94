"""Reads the file of an image: a regular file, not too large, that is an image by its content."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from xcsh.errors import UsageError
from xcsh.sources.filesystem import lies_in

MOST_BYTES = 3_750_000
"""5 MB in base64, the least that one of the large providers takes."""

ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_RIFF, _WEBP = b"RIFF", b"WEBP"
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not be waited for
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)


class ImageError(UsageError):
    """What should be an image cannot be sent as one."""


class Image(NamedTuple):
    """An image as it is sent: `name` is what the model is told it is called."""

    name: str
    media_type: str
    data: bytes


def image_of(name: str, data: bytes) -> Image:
    """An image of this content. ImageError: it is too large, or no PNG, JPEG, GIF or WebP."""
    _check_size(name, len(data))
    media_type = next((kind for beginning, kind in _BEGINNINGS if data.startswith(beginning)), "")
    if data.startswith(_RIFF) and data[8:12] == _WEBP:
        media_type = "image/webp"
    if not media_type:
        raise ImageError(f"{name} is no image: what is in it is no PNG, JPEG, GIF or WebP", "convert it to one")
    return Image(" ".join(name.split()), media_type, data)


def read_image(path: str | os.PathLike[str], *, name: str = "", project: str = "") -> Image:
    """Reads an image, which is called `name`, else as its path. ImageError: it cannot be sent, and why.

    A link is followed, but not one in the folder `project` that leads out of it: who names a file of a project should
    not send one of their own.
    """
    name = name or os.fspath(path)
    if "\0" in os.fspath(path):
        raise ImageError(f"{name!r} cannot be read: no path holds a null character", "check the path")
    place = os.path.abspath(path)
    real = os.path.realpath(place)
    if project and lies_in(place, os.path.abspath(project)) and not lies_in(real, os.path.realpath(project)):
        raise ImageError(f"{name} is a link that leads out of the project", "name the file that it leads to")
    try:
        descriptor = os.open(real, _FLAGS)
        try:
            data = _content(descriptor, name)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ImageError(
            f"{name} cannot be read: {(error.strerror or str(error)).lower()}", "check the path and its permissions"
        ) from None
    return image_of(name, data)


def _content(descriptor: int, name: str) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise ImageError(f"{name} is {what}, and no image", "name an image")
    _check_size(name, status.st_size)
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(MOST_BYTES + 1)  # it may have grown meanwhile


def _check_size(name: str, size: int) -> None:
    if size > MOST_BYTES:
        raise ImageError(
            f"{name} has {size / 1e6:,.1f} MB, and an image may have {MOST_BYTES / 1e6} MB",
            "make it smaller, or send a part of it",
        )
