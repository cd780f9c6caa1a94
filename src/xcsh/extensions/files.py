"""Which files of Python code there are, and which of them may run. Every byte that will run is read here, once."""

from __future__ import annotations

import os
from typing import NamedTuple

from xcsh.model.diagnostic import Report
from xcsh.model.source import Environment, Level, Skipped
from xcsh.sources.code_paths import COMMANDS, EXTENSIONS, USER_COMMANDS, USER_EXTENSIONS
from xcsh.sources.filesystem import ReadRefusedError, read_bytes
from xcsh.sources.skips import Skips
from xcsh.sources.trust.deciding import CODE_LIMIT, TrustState, python_files, trust_state

PROVIDER, TITLE = "native", "xcsh"
"""These are xcsh's own files: they are listed with its other ones."""


class CodeFile(NamedTuple):
    """A file that may run. `data` is what will run, whatever stands in the file by then."""

    name: str
    path: str
    level: str
    data: bytes


class Code(NamedTuple):
    """The code around a folder: the project's first, then the user's, by file name."""

    environment: Environment
    extensions: tuple[CodeFile, ...]
    commands: tuple[CodeFile, ...]
    skipped_extensions: tuple[Skipped, ...]
    skipped_commands: tuple[Skipped, ...]


def read_code(environment: Environment, report: Report) -> Code:
    """Reads the code of the project, where it is trusted, and of the user. Nothing runs."""
    state = trust_state(environment, report)
    extensions, no_extensions = _read(EXTENSIONS, USER_EXTENSIONS, environment, state, report)
    commands, no_commands = _read(COMMANDS, USER_COMMANDS, environment, state, report)
    return Code(environment, extensions, commands, no_extensions, no_commands)


def _read(
    project_folder: str, user_folder: str, environment: Environment, state: TrustState, report: Report
) -> tuple[tuple[CodeFile, ...], tuple[Skipped, ...]]:
    skipped: list[Skipped] = []
    skips = Skips(PROVIDER, TITLE, skipped, report)
    found: list[CodeFile] = []
    for file in state.files:
        folder, _, base = file.name.rpartition("/")
        if project_folder not in (folder, file.name):
            continue
        if state.trusted:
            found.append(CodeFile(base.removesuffix(".py"), file.path, Level.PROJECT, file.data))
        else:
            skips.skip(file.path, "untrusted", f"{state.reason}; to see what would run and to trust it: xcsh trust")
    folder = os.path.join(environment.home, user_folder)
    names, problem = python_files(folder)
    if problem:
        skips.refuse(folder, ReadRefusedError("unreadable", "unreadable-folder", f"it {problem}"))
    for name in names:
        path = os.path.join(folder, name)
        try:
            found.append(CodeFile(name.removesuffix(".py"), path, Level.USER, read_bytes(path, CODE_LIMIT)))
        except ReadRefusedError as refused:
            skips.refuse(path, refused)
    return tuple(found), tuple(skipped)
