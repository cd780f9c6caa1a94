"""Which folders' code may run: bound to the real path and to the content of everything that would take effect."""

from __future__ import annotations

import os
from typing import NamedTuple

from xcsh.errors import UsageError
from xcsh.model.diagnostic import Diagnostic, Report
from xcsh.model.source import Environment
from xcsh.parsing.finding import Finding
from xcsh.parsing.values import mapping
from xcsh.sources.filesystem import ReadRefusedError, read_bytes, refusal
from xcsh.sources.links import Boundary

EXTENSIONS = ".xcsh/extensions"
COMMANDS = ".xcsh/commands"
_SETTINGS = ".xcsh/settings.toml"
MCP_FILES = (".xcsh/mcp.json", ".mcp.json")
"""What names servers of the project, the first one first."""

STORE = os.path.join(".xcsh", "agent", "trust.json")
CODE_LIMIT = 1_048_576
"""Bytes that one file of code may have."""

_STORE_LIMIT = 16_777_216
_NAMED = 3
_VERSION = 1
_Store = dict[str, dict[str, str]]
"""Real path of a folder: for each file, named as below the folder, the SHA-256 of its content."""


class TrustFile(NamedTuple):
    """A file of a project that takes effect where the folder is trusted. `name` is its path below the folder.

    `data` are the bytes that `sha256` was made of. Where `problem` says why it cannot be read, both are empty.
    """

    name: str
    path: str
    data: bytes = b""
    sha256: str = ""
    problem: str = ""


class TrustState(NamedTuple):
    """Whether a folder is trusted as it is now, why not where it is not, and all that the decision is about."""

    trusted: bool
    reason: str
    files: tuple[TrustFile, ...]


def _ignore(_: Diagnostic) -> None:
    """For callers to whom a broken store means no more than that nothing is trusted."""


def trust_state(environment: Environment, report: Report = _ignore) -> TrustState:
    """Reads every file that would take effect, each once, and compares it with what was trusted."""
    stored = _read_store(environment, report) or {}
    return _state(environment, stored.get(os.path.realpath(environment.cwd)))


def is_trusted(environment: Environment, report: Report = _ignore, *, settings: bytes | None = None) -> bool:
    """Whether a folder is trusted; next to nothing is done where no folder ever was.

    `settings` are the bytes of the project's settings file, where the caller has read it: those must be the trusted
    ones, whatever stands in the file by now.
    """
    if not os.path.lexists(os.path.join(environment.home, STORE)):
        return False
    entry = (_read_store(environment, report) or {}).get(os.path.realpath(environment.cwd))
    if entry is None or not _state(environment, entry).trusted:
        return False
    return settings is None or entry.get(_SETTINGS) == _sha256(settings)


def trust(environment: Environment, seen: TrustState | None = None) -> TrustState:
    """Trusts the folder with the content of `seen`, by default the present one; what has changed since stays out.

    Raises UsageError where a file cannot be trusted, or the store cannot be read or written.
    """
    state = trust_state(environment) if seen is None else seen
    for file in state.files:
        if file.problem:
            raise UsageError(f"{file.name} {file.problem}", "correct or remove the file, then trust the folder")
    stored = _store_to_change(environment)
    stored[os.path.realpath(environment.cwd)] = {file.name: file.sha256 for file in state.files}
    _write_store(environment, stored)
    return trust_state(environment)


def revoke(environment: Environment) -> bool:
    """Trusts the folder no longer; whether it had been trusted. Raises UsageError as `trust` does."""
    stored = _store_to_change(environment)
    if stored.pop(os.path.realpath(environment.cwd), None) is None:
        return False
    _write_store(environment, stored)
    return True


def trusted_folders(environment: Environment, report: Report = _ignore) -> tuple[str, ...]:
    """The real paths of the folders that have been trusted, changed since or not."""
    return tuple(sorted(_read_store(environment, report) or {}))


def _state(environment: Environment, entry: dict[str, str] | None) -> TrustState:
    files = tuple(_files(environment))
    problems = [f"{file.name} {file.problem}" for file in files if file.problem]
    if entry is None:
        why = "this folder has not been trusted"
        return TrustState(False, f"{why}; {_few(problems)}" if problems else why, files)
    found = {file.name: file.sha256 for file in files}
    changes = problems + [
        f"{file.name} is new" if file.name not in entry else f"{file.name} has changed"
        for file in files
        if not file.problem and entry.get(file.name) != file.sha256
    ]
    changes += [f"{name} is gone" for name in sorted(entry) if name not in found]
    reason = f"since this folder was trusted: {_few(changes)}" if changes else ""
    return TrustState(not changes, reason, files)


def _files(environment: Environment) -> list[TrustFile]:
    """Everything in the folder that takes effect only with trust, in a fixed order."""
    boundary = Boundary(os.path.realpath(environment.repo_root or environment.cwd))
    found: list[TrustFile] = []
    for folder in (EXTENSIONS, COMMANDS):
        names, problem = python_files(os.path.join(environment.cwd, folder))
        if problem:
            found.append(TrustFile(folder, os.path.join(environment.cwd, folder), problem=problem))
        found.extend(_file(environment, f"{folder}/{name}", boundary) for name in names)
    found.extend(
        _file(environment, name, boundary)
        for name in (_SETTINGS, *MCP_FILES)
        if os.path.lexists(os.path.join(environment.cwd, *name.split("/")))
    )
    return found


def python_files(folder: str) -> tuple[list[str], str]:
    """The names in a folder that end in `.py`, but for hidden ones and folders; and why it cannot be listed, if so."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return [], "is a link that leads nowhere" if os.path.lexists(folder) else ""
    except OSError as error:
        return [], f"cannot be listed: {(error.strerror or str(error)).lower()}"
    files = (name for name in names if name.endswith(".py") and name[0] != ".")
    return sorted(name for name in files if not os.path.isdir(os.path.join(folder, name))), ""


def _file(environment: Environment, name: str, boundary: Boundary) -> TrustFile:
    path = os.path.join(environment.cwd, *name.split("/"))
    if (outside := boundary.outside(path)) is not None:
        return TrustFile(name, path, problem=f"is a link that leaves the project, to {outside}")
    try:
        data = read_bytes(path, CODE_LIMIT)
    except ReadRefusedError as refused:
        return TrustFile(name, path, problem=f"cannot be read: {refused.message}")
    return TrustFile(name, path, data, _sha256(data))


def _sha256(data: bytes) -> str:
    import hashlib  # noqa: PLC0415 - only where there is something to trust

    return hashlib.sha256(data).hexdigest()


def _few(texts: list[str]) -> str:
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return ", ".join(texts[:_NAMED]) + more


def _read_store(environment: Environment, report: Report) -> _Store | None:
    """What is trusted; nothing where nothing was, None with a diagnostic where the store cannot be read as a whole."""
    path = os.path.join(environment.home, STORE)
    if not os.path.lexists(path):
        return {}
    import json  # noqa: PLC0415 - most homes have no store

    try:
        stored = _checked(json.loads(read_bytes(path, _STORE_LIMIT)))
        problem = "it is not what xcsh writes"
    except ReadRefusedError as refused:
        stored, problem = None, refused.message
    except (ValueError, RecursionError):
        stored, problem = None, "it is no JSON"
    if stored is None:
        report(Finding(path).make("invalid-trust-file", None, f"{problem}; no folder is trusted"))
    return stored


def _checked(document: object) -> _Store | None:
    top = mapping(document) or {}
    folders = mapping(top.get("folders"))
    if folders is None or top.get("version") != _VERSION:
        return None
    stored: _Store = {}
    for folder, value in folders.items():
        entry = mapping(value)
        if entry is None or not all(isinstance(digest, str) for digest in entry.values()):
            return None
        stored[str(folder)] = {str(name): str(digest) for name, digest in entry.items()}
    return stored


def _store_to_change(environment: Environment) -> _Store:
    stored = _read_store(environment, _ignore)
    if stored is None:
        path = os.path.join(environment.home, STORE)
        raise UsageError(f"{path} cannot be read, so it is not changed", "correct or delete the file")
    return stored


def _write_store(environment: Environment, stored: _Store) -> None:
    """Puts a new file in the place of the old one, so that nobody ever reads half of it."""
    import json  # noqa: PLC0415 - only where something is trusted

    path = os.path.realpath(os.path.join(environment.home, STORE))
    data = json.dumps({"version": _VERSION, "folders": stored}, indent=2, sort_keys=True).encode("ascii")
    temporary = f"{path}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data + b"\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            if os.path.lexists(temporary):
                os.unlink(temporary)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {refusal(error).message}", "check its permissions") from None
