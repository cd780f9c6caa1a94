"""The file that says what the user trusts: folders with their code, and single texts; read and replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from xcsh.errors import UsageError
from xcsh.model.diagnostic import Report, ignore
from xcsh.model.source import Environment
from xcsh.parsing.finding import Finding
from xcsh.parsing.values import mapping
from xcsh.sources.filesystem import ReadRefusedError, read_bytes, refusal
from xcsh.sources.replacing import replace_file

STORE = os.path.join(".xcsh", "agent", "trust.json")
_LIMIT = 16_777_216
_VERSION = 1
_PATIENCE = 10.0
_Digests = dict[str, dict[str, str]]


class Store(NamedTuple):
    """By the real path of a folder: for each file, the SHA-256 of its content.

    `folders` are trusted as a whole, their files named as below the folder. `texts` are accepted one by one, each by
    the absolute path of its file; the digest also says for what.
    """

    folders: _Digests
    texts: _Digests


def has_store(environment: Environment) -> bool:
    """Whether anything ever was trusted."""
    return os.path.lexists(os.path.join(environment.home, STORE))


def read_store(environment: Environment, report: Report) -> Store | None:
    """What is trusted; nothing where nothing was, None with a diagnostic where the store cannot be read as a whole."""
    path = os.path.join(environment.home, STORE)
    if not os.path.lexists(path):
        return Store({}, {})
    import json  # noqa: PLC0415 - most homes have no store

    try:
        stored = _checked(json.loads(read_bytes(path, _LIMIT)))
        problem = "it is not what xcsh writes"
    except ReadRefusedError as refused:
        stored, problem = None, refused.message
    except (ValueError, RecursionError):
        stored, problem = None, "it is no JSON"
    if stored is None:
        report(Finding(path).make("invalid-trust-file", None, f"{problem}; no folder is trusted"))
    return stored


def change_store(environment: Environment, change: Callable[[Store], bool]) -> bool:
    """Changes the store by what `change` does to it in place; whether it did. Whoever else changes it waits meanwhile.

    A new file takes the old one's place, so that nobody ever reads half of it. Raises UsageError where the store cannot
    be read or written; it stays as it is then.
    """
    from xcsh.sources.locking import held  # noqa: PLC0415 - only where something is trusted

    path = os.path.realpath(os.path.join(environment.home, STORE))
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with held(folder, _PATIENCE):
            stored = read_store(environment, ignore)
            if stored is None:
                raise UsageError(f"{path} cannot be read, so it is not changed", "correct or delete the file")
            if not change(stored):
                return False
            replace_file(path, _written(stored))
    except BlockingIOError:
        raise UsageError(f"{path} is not changed: another process is changing it", "try again") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {refusal(error).message}", "check its permissions") from None
    return True


def _written(stored: Store) -> bytes:
    import json  # noqa: PLC0415 - as above

    document: dict[str, object] = {"version": _VERSION, "folders": stored.folders}
    if stored.texts:
        document["texts"] = stored.texts
    return json.dumps(document, indent=2, sort_keys=True).encode("ascii") + b"\n"


def _checked(document: object) -> Store | None:
    top = mapping(document) or {}
    folders, texts = _digests(top.get("folders")), _digests(top.get("texts", {}))
    return None if folders is None or texts is None or top.get("version") != _VERSION else Store(folders, texts)


def _digests(value: object) -> _Digests | None:
    folders = mapping(value)
    if folders is None:
        return None
    stored: _Digests = {}
    for folder, files in folders.items():
        entry = mapping(files)
        if entry is None or not all(isinstance(digest, str) for digest in entry.values()):
            return None
        stored[str(folder)] = {str(name): str(digest) for name, digest in entry.items()}
    return stored
