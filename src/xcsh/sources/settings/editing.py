"""Changes one setting in a settings.toml: adds to a list, takes out of one, sets, unsets; the rest stays as it is."""

from __future__ import annotations

import os
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any, cast

from xcsh.errors import MissingExtraError, UsageError
from xcsh.parsing.values import elements, mapping
from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.locking import held
from xcsh.sources.replacing import replace_file

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_LIMIT = 1_048_576
_PATIENCE = 10.0
_BOM = "\ufeff"
_BY_HAND = "correct the file, or write the setting into it yourself"
_Change = Callable[[MutableMapping[str, Any], str], bool]
"""Changes a document, that of tomlkit or the plain one, in place; whether it did. The path is for messages."""


def add_to_list(path: str, key: str, text: str) -> bool:
    """Adds `text` to the list `key` (`table.name`) of a settings file; False where it is in it already.

    Comments and order stay. A new file takes the old one's place, so that nobody reads half of one; whoever else adds
    to it waits. A link is followed. Raises UsageError where the file is no TOML, holds something else under the key,
    or cannot be read or written: it is not touched then. MissingExtraError without xcsh[agent].
    """
    return _edit(path, key, lambda document, path: _add(document, key, text, path))


def remove_from_list(path: str, key: str, text: str) -> bool:
    """Takes `text` out of the list `key` of a settings file; False where it is not in it. As `add_to_list`."""
    return _edit(path, key, lambda document, path: _remove(document, key, text, path))


def set_value(path: str, key: str, value: object) -> bool:
    """Sets `key` (`name` or `table.name`) of a settings file; False where it has just this value. As `add_to_list`.

    What stays in a list keeps its comments.
    """
    return _edit(path, key, lambda document, path: _set(document, key, value, path))


def unset_value(path: str, key: str) -> bool:
    """Takes `key` out of a settings file; False where it is not in it. As `add_to_list`."""
    return _edit(path, key, lambda document, _: _unset(document, key))


def _edit(path: str, key: str, change: _Change) -> bool:
    real = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(real), mode=0o700, exist_ok=True)
        with held(os.path.dirname(real), _PATIENCE):
            before = _text(real)
            after = _changed(before, key, change, real)
            if after == before:
                return False
            replace_file(real, after.encode("utf-8"))
            return True
    except BlockingIOError:
        raise UsageError(f"{real} is not changed: another process is changing it", "try again") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{real} cannot be written: {reason}", "check its permissions") from None
    except UnicodeEncodeError:
        raise UsageError(f"what `{key}` is to be set to is no text: it has bytes that are no UTF-8", _BY_HAND) from None


def _text(path: str) -> str:
    if not os.path.lexists(path):
        return ""
    try:
        return read_bytes(path, _LIMIT).decode("utf-8")
    except ReadRefusedError as refused:
        raise UsageError(f"{path} cannot be read, so it is not changed: {refused.message}", _BY_HAND) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8, so it is not changed", _BY_HAND) from None


def _changed(before: str, key: str, change: _Change, path: str) -> str:
    """The file's text with the change; that and nothing else must have changed what it says."""
    import tomllib  # noqa: PLC0415 - only where a setting is written down

    document = _parsed(before.removeprefix(_BOM), path)
    expected = document.unwrap()
    if not change(document, path):
        return before
    change(expected, path)
    after = document.as_string()
    if after and not after.endswith("\n"):
        after += "\n"
    try:
        same = _filled(tomllib.loads(after)) == _filled(expected)
    except ValueError:
        same = False
    if not same:
        raise UsageError(f"{path}: `{key}` cannot be changed without changing something else", _BY_HAND)
    return (_BOM if before.startswith(_BOM) else "") + after


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    """A document without tables that hold nothing: they say nothing, and one of dotted keys goes with its last."""
    return {key: value for key, value in document.items() if value != {}}


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
    holder, name = _holder(document, key, path)
    listed = holder.setdefault(name, [])
    known = elements(listed)
    if known is None:
        raise UsageError(f"{path}: `{key}` is no list, so nothing is added to it", f'make it one: {key} = ["…"]')
    if text in known:
        return False
    holder[name].append(text)
    return True


def _remove(document: MutableMapping[str, Any], key: str, text: str, path: str) -> bool:
    """Takes out every element that is the text."""
    holder, name = _holder(document, key, path)
    known = elements(holder.get(name, []))
    if known is None:
        raise UsageError(f"{path}: `{key}` is no list, so nothing is taken out of it", _BY_HAND)
    found = known.count(text)
    for _ in range(found):
        holder[name].remove(text)
    return found > 0


def _set(document: MutableMapping[str, Any], key: str, value: object, path: str) -> bool:
    """Gives the key its value; a list loses and gains elements where that comes to the same."""
    holder, name = _holder(document, key, path)
    wanted = list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value
    before = holder.get(name)
    if before == wanted and isinstance(before, bool) == isinstance(wanted, bool):
        return False
    known, new = elements(before), elements(wanted)
    kept = [element for element in known or () if element in (new or ())]
    if not kept or new is None or new[: len(kept)] != kept:
        holder[name] = wanted
        return True
    for element in [element for element in known or () if element not in new]:
        holder[name].remove(element)
    for element in new[len(kept) :]:
        holder[name].append(element)
    return True


def _unset(document: MutableMapping[str, Any], key: str) -> bool:
    table, _, name = key.rpartition(".")
    holder = document.get(table) if table else document
    if holder is None or mapping(holder) is None or name not in holder:
        return False
    del holder[name]
    return True


def _holder(document: MutableMapping[str, Any], key: str, path: str) -> tuple[MutableMapping[str, Any], str]:
    """The table that holds the key, made where it is missing, and the key's name in it."""
    table, _, name = key.rpartition(".")
    if not table:
        return document, name
    holder = document.setdefault(table, {})
    if mapping(holder) is None:
        raise UsageError(f"{path}: `{table}` is no table, so `{key}` cannot be set in it", f"make it one: [{table}]")
    return holder, name
