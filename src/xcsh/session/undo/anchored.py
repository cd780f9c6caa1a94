"""Files below one folder, reached by open folders and never through a link, so that nothing can lead out of it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple, Self

from xcsh.agent.changes.file_state import ABSENT, FileState, open_to_read, read_state
from xcsh.errors import UsageError

_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_PIECE = 1024 * 1024


class LinkError(OSError):
    """On the way to a file, or in its place, is a link or something else that is not followed."""


class ChangedMeanwhileError(OSError):
    """Somebody else wrote a file between the look at it and the moment of replacing it."""


class Seen(NamedTuple):
    """A file as it was looked at; `stamp` tells whether it is still that one."""

    state: FileState
    stamp: tuple[int, ...] = ()


class Anchor:
    """A folder that is held open. Paths are relative to it, with `/`. Use as a context manager.

    Raises UsageError where the platform cannot open files relative to a folder, and OSError where there is none.
    """

    def __init__(self, folder: str) -> None:
        if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            raise UsageError("undo needs a POSIX system", "on Windows, use the Windows Subsystem for Linux")
        self.folder = os.path.realpath(folder)
        self._descriptor = os.open(self.folder, os.O_RDONLY | _FOLDER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def inside(self, root: str, path: str) -> str | None:
        """A recorded path as one below this folder; None where it lies elsewhere or is none."""
        parts = path.split("/")
        if not path or not _is_name(root + path) or any(part in ("", ".", "..") for part in parts):
            return None
        whole = os.path.normpath(os.path.join(root, path))
        prefix = self.folder.rstrip("/") + "/"
        return whole[len(prefix) :] if os.path.isabs(root) and whole.startswith(prefix) else None

    def look(self, path: str, limit: int) -> Seen:
        """What stands at a path. Raises LinkError where that is a link, or no file."""
        try:
            with self._parent(path) as (folder, name):
                info = _stat(folder, name)
                if info is None:
                    return Seen(ABSENT)
                if not stat.S_ISREG(info.st_mode):
                    raise LinkError(errno.ELOOP, "is a link now" if stat.S_ISLNK(info.st_mode) else "is no file now")
                descriptor = open_to_read(name, folder)
                try:
                    stamp = _stamp(os.fstat(descriptor))
                    return Seen(read_state(descriptor, limit), stamp)
                finally:
                    os.close(descriptor)
        except FileNotFoundError:
            return Seen(ABSENT)

    def replace(self, path: str, content: bytes, mode: int, seen: Seen, temporary: str) -> None:
        """Puts a whole new file in the place of the one that was seen, or where none was.

        `temporary`: name for the file beside it that is written first. Raises ChangedMeanwhileError where another file
        is there by now. After a crash there is the old file or the new one, and perhaps the temporary one.
        """
        with self._parent(path) as (folder, name):
            _remove_file(folder, temporary)
            descriptor = os.open(temporary, _NEW_FILE, 0o600, dir_fd=folder)
            try:
                try:
                    view = memoryview(content)
                    while view:
                        view = view[os.write(descriptor, view[:_PIECE]) :]
                    os.fchmod(descriptor, mode)
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
                _check(folder, name, seen)
                if seen.stamp:
                    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                else:
                    _link_new(folder, temporary, name)
            finally:
                _remove_file(folder, temporary)
            os.fsync(folder)

    def remove(self, path: str, seen: Seen) -> None:
        """Removes the file that was seen. Raises ChangedMeanwhileError where it is another one by now."""
        with self._parent(path) as (folder, name):
            _check(folder, name, seen)
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def clear(self, path: str, temporary: str) -> None:
        """Removes a temporary file that a crash left beside a path."""
        try:
            with self._parent(path) as (folder, _):
                _remove_file(folder, temporary)
        except OSError:
            return  # looking at the path itself says what is wrong there

    def folder_state(self, path: str) -> tuple[int, bool] | None:
        """Permission bits of a folder and whether it is empty; None where there is no such folder."""
        try:
            with self._parent(path) as (parent, name), _opened(name, parent) as folder:
                return stat.S_IMODE(os.fstat(folder).st_mode), not os.listdir(folder)
        except (FileNotFoundError, LinkError):
            return None

    def make_folder(self, path: str, mode: int) -> None:
        """Makes one folder."""
        with self._parent(path) as (parent, name):
            os.mkdir(name, 0o700, dir_fd=parent)
            with _opened(name, parent) as folder:
                os.fchmod(folder, mode)
            os.fsync(parent)

    def remove_folder(self, path: str) -> None:
        """Removes one folder. Raises OSError where it is not empty."""
        with self._parent(path) as (parent, name):
            os.rmdir(name, dir_fd=parent)
            os.fsync(parent)

    @contextmanager
    def _parent(self, path: str) -> Generator[tuple[int, str]]:
        """The folder that holds a path, open, and the name in it."""
        *ways, name = path.split("/")
        folder = os.dup(self._descriptor)
        try:
            for way in ways:
                inner = _open_folder(way, folder)
                os.close(folder)
                folder = inner
            yield folder, name
        finally:
            os.close(folder)


def _is_name(path: str) -> bool:
    """Whether the system could take it: a damaged record may hold anything."""
    return "\0" not in path and path.encode("utf-8", "replace").decode() == path


def _open_folder(name: str, parent: int) -> int:
    try:
        return os.open(name, os.O_RDONLY | _FOLDER, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise LinkError(errno.ELOOP, f"lies behind {name}, which is no folder now") from None
        raise


@contextmanager
def _opened(name: str, parent: int) -> Generator[int]:
    folder = _open_folder(name, parent)
    try:
        yield folder
    finally:
        os.close(folder)


def _stat(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _stamp(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_mode, info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _check(folder: int, name: str, seen: Seen) -> None:
    info = _stat(folder, name)
    if (() if info is None else _stamp(info)) != seen.stamp:
        raise ChangedMeanwhileError(errno.EAGAIN, "was changed at this very moment")


def _link_new(folder: int, temporary: str, name: str) -> None:
    """Gives a new file its name only if nobody else has taken it."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise ChangedMeanwhileError(errno.EAGAIN, "was made at this very moment") from None
    except OSError:
        # A file system without hard links, and without another way to be sure.
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _remove_file(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
