"""Which folders' code may run: bound to the real path and to the content of everything that would take effect."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from xcsh.errors import UsageError
from xcsh.model.diagnostic import Report, ignore
from xcsh.model.source import Environment
from xcsh.sources.code_paths import COMMANDS, EXTENSIONS
from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.links import Boundary
from xcsh.sources.mcp_paths import MCP_FILES
from xcsh.sources.trust.store import Store, change_store, has_store, read_store

if TYPE_CHECKING:
    from xcsh.sources.trust.held_texts import HeldText

_SETTINGS = ".xcsh/settings.toml"
CODE_LIMIT = 1_048_576
"""Bytes that one file of code may have."""

_NAMED = 3


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
    """Whether a folder is trusted as it is now, why not where it is not, and all that the decision is about.

    `texts` are those that count only where they are accepted; each stands for itself, so that one that changes takes
    nothing else with it.
    """

    trusted: bool
    reason: str
    files: tuple[TrustFile, ...]
    texts: tuple[HeldText, ...] = ()


def trust_state(environment: Environment, report: Report = ignore, texts: tuple[HeldText, ...] = ()) -> TrustState:
    """Reads every file that would take effect, each once, and compares it with what was trusted.

    `texts` are what the registry holds back (`held_texts`); they decide too, but for nothing else.
    """
    stored = read_store(environment, report)
    state = _state(environment, stored.folders.get(os.path.realpath(environment.cwd)) if stored else None)
    if not texts:
        return state
    waiting = [os.path.relpath(held.path, environment.cwd) for held in texts if not held.accepted]
    reasons = [] if state.trusted or not state.files else [state.reason]
    reasons += [f"not accepted as it is now: {_few(waiting)}"] if waiting else []
    return TrustState(not reasons, "; ".join(reasons), state.files, texts)


def is_trusted(environment: Environment, report: Report = ignore, *, settings: bytes | None = None) -> bool:
    """Whether a folder is trusted; next to nothing is done where no folder ever was.

    `settings` are the bytes of the project's settings file, where the caller has read it: those must be the trusted
    ones, whatever stands in the file by now.
    """
    if not has_store(environment):
        return False
    stored = read_store(environment, report)
    entry = stored.folders.get(os.path.realpath(environment.cwd)) if stored else None
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

    def add(stored: Store) -> bool:
        stored.folders[os.path.realpath(environment.cwd)] = {file.name: file.sha256 for file in state.files}
        return True

    change_store(environment, add)
    if not state.texts:
        return trust_state(environment)
    from xcsh.sources.trust.held_texts import accept_texts  # noqa: PLC0415 - few folders have any

    accept_texts(environment, state.texts)
    return trust_state(environment, texts=tuple(held._replace(accepted=True) for held in state.texts))


def revoke(environment: Environment) -> bool:
    """Trusts the folder no longer, nor texts in it; whether it had been. Raises UsageError as `trust` does."""
    folder = os.path.realpath(environment.cwd)

    def remove(stored: Store) -> bool:
        return (stored.folders.pop(folder, None), stored.texts.pop(folder, None)) != (None, None)

    return has_store(environment) and change_store(environment, remove)


def trusted_folders(environment: Environment, report: Report = ignore) -> tuple[str, ...]:
    """The real paths of the folders that have been trusted, changed since or not."""
    stored = read_store(environment, report)
    return tuple(sorted({*stored.folders, *stored.texts})) if stored else ()


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
