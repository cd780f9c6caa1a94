"""Adds to a list in the user's settings.toml, with everything else in it kept as it stands."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Generator, MutableMapping
from typing import TYPE_CHECKING, Any

from xcsh.errors import MissingExtraError, UsageError
from xcsh.parsing.values import elements, mapping
from xcsh.sources.filesystem import ReadRefusedError, read_bytes, refusal

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_LIMIT = 1_048_576
_LOCK = ".lock"
_BOM = "\ufeff"
_BY_HAND = "correct the file, or write the setting into it yourself"


def add_to_list(path: str, key: str, text: str) -> bool:
    """Adds `text` to the list `key` (`table.name`) of a settings file; False where it is in it already.

    Comments and order stay. A new file takes the old one's place, so that nobody reads half of one; whoever else adds
    to it waits. A link is followed. Raises UsageError where the file is no TOML, holds something else under the key,
    or cannot be read or written: it is not touched then. MissingExtraError without xcsh[agent].
    """
    real = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(real), mode=0o700, exist_ok=True)
        with _locked(real + _LOCK):
            before = _text(real)
            after = _with_addition(before, key, text, real)
            if after == before:
                return False
            _replace(real, after.encode("utf-8"))
            return True
    except OSError as error:
        raise UsageError(f"{real} cannot be written: {refusal(error).message}", "check its permissions") from None


@contextlib.contextmanager
def _locked(path: str) -> Generator[None]:
    """Holds a lock that ends with the process at the latest. Where there are no such locks, writers may overtake."""
    with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "wb") as file:
        with contextlib.suppress(ImportError):
            import fcntl  # noqa: PLC0415 - not on Windows

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _text(path: str) -> str:
    if not os.path.lexists(path):
        return ""
    try:
        return read_bytes(path, _LIMIT).decode("utf-8")
    except ReadRefusedError as refused:
        raise UsageError(f"{path} cannot be read, so it is not changed: {refused.message}", _BY_HAND) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8, so it is not changed", _BY_HAND) from None


def _with_addition(before: str, key: str, text: str, path: str) -> str:
    """The file's text with the addition; that and nothing else must have changed what it says."""
    import tomllib  # noqa: PLC0415 - only where a setting is written down

    document = _parsed(before.removeprefix(_BOM), path)
    expected = document.unwrap()
    if not _add(document, key, text, path):
        return before
    _add(expected, key, text, path)
    after = document.as_string()
    try:
        told = tomllib.loads(after)
    except ValueError:
        told = {}
    if told != expected:
        raise UsageError(f"{path}: `{key}` cannot be added to without changing something else", _BY_HAND)
    return (_BOM if before.startswith(_BOM) else "") + after


def _parsed(text: str, path: str) -> TOMLDocument:
    try:
        import tomlkit  # noqa: PLC0415 - as above
        from tomlkit.exceptions import ParseError  # noqa: PLC0415
    except ModuleNotFoundError:
        raise MissingExtraError("to change settings.toml, the package tomlkit is needed") from None
    try:
        return tomlkit.parse(text)
    except ParseError as error:
        reason = str(error).partition(" at line ")[0]
        raise UsageError(
            f"{path}:{error.line}:{error.col}: no TOML, so it is not changed: {reason}", _BY_HAND
        ) from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is no TOML, so it is not changed", _BY_HAND) from None


def _add(document: MutableMapping[str, Any], key: str, text: str, path: str) -> bool:
    """Puts the text at the end of the list, wherever it is kept: in a table, inline, or under a dotted key."""
    table, _, name = key.rpartition(".")
    holder = document.setdefault(table, {})
    if mapping(holder) is None:
        raise UsageError(f"{path}: `{table}` is no table, so `{key}` cannot be added to", f"make it one: [{table}]")
    listed = holder.setdefault(name, [])
    known = elements(listed)
    if known is None:
        raise UsageError(f"{path}: `{key}` is no list, so nothing is added to it", f'make it one: {key} = ["…"]')
    if text in known:
        return False
    holder[name].append(text)
    return True


def _replace(path: str, data: bytes) -> None:
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o600
    handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
