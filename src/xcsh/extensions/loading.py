"""Loads extensions: the project's, then the user's, then those of installed packages. The first to take a name wins."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from xcsh.extensions.failures import UnusableError, failure
from xcsh.extensions.files import PROVIDER, Code, CodeFile
from xcsh.extensions.installed import Installed, installed_entry_points
from xcsh.extensions.modules import execute
from xcsh.extensions.registration import Extension, ExtensionCommand
from xcsh.extensions.running import LOAD_SECONDS, call_bounded
from xcsh.model.diagnostic import Diagnostic, Position, Report
from xcsh.model.source import Level, Skipped
from xcsh.parsing.finding import Finding

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Extensions(NamedTuple):
    """What the extensions registered, in order of precedence, and the extensions that were not loaded.

    `findings` are those of loading them, which holds until they are loaded again.
    """

    commands: tuple[ExtensionCommand, ...] = ()
    shadowed: tuple[ExtensionCommand, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    findings: tuple[Diagnostic, ...] = ()

    def find(self, name: str) -> ExtensionCommand | None:
        """The command that `/name` runs."""
        return next((command for command in self.commands if command.name == name), None)


class _Candidate(NamedTuple):
    """An extension that may be loaded. `path` is empty for one that an installed package brings."""

    name: str
    level: str
    path: str
    register: Callable[[Extension], None]


def load_extensions(code: Code, report: Report, *, seconds: float = LOAD_SECONDS, installed: bool = True) -> Extensions:
    """Runs every extension's top-level code and its `register`, each in at most `seconds`.

    One that raises, hangs or is no extension is skipped as a whole, with a diagnostic, and the others load.
    `installed`: those of the entry-point group `xcsh.extensions` too.
    """
    commands: dict[str, ExtensionCommand] = {}
    shadowed: list[ExtensionCommand] = []
    skipped = list(code.skipped_extensions)
    findings: list[Diagnostic] = []
    candidates = [_of_file(file) for file in code.extensions]
    for each in installed_entry_points(code.environment) if installed else ():
        if each.inside:
            skipped.append(_untrusted(each))
        else:
            candidates.append(_of_entry_point(each.entry))
    for candidate in candidates:
        extension = _load(candidate, seconds, skipped, findings.append)
        for command in extension.commands.values() if extension else ():
            winner = commands.setdefault(command.name, command)
            if winner is not command:
                shadowed.append(command)
                _report_taken(command, winner, findings.append)
    for diagnostic in findings:
        report(diagnostic)
    return Extensions(tuple(commands.values()), tuple(shadowed), tuple(skipped), tuple(findings))


def _load(candidate: _Candidate, seconds: float, skipped: list[Skipped], report: Report) -> Extension | None:
    found: list[Diagnostic] = []
    extension = Extension(candidate.name, candidate.level, candidate.path, found.append)
    outcome = call_bounded(lambda: candidate.register(extension), seconds)
    extension.close()
    if outcome.error is None:
        for diagnostic in found:
            report(diagnostic)
        return extension
    diagnostic = failure(extension.path, f"the extension {candidate.name!r}", outcome.error)
    report(diagnostic)
    skipped.append(Skipped(diagnostic.path or candidate.name, PROVIDER, "failed", diagnostic.message))
    return None


def _of_file(file: CodeFile) -> _Candidate:
    def register(extension: Extension) -> None:
        _call(getattr(execute(file, "extension"), "register", None), extension)

    return _Candidate(file.name, file.level, file.path, register)


def _of_entry_point(entry: EntryPoint) -> _Candidate:
    def register(extension: Extension) -> None:
        target: object = entry.load()
        extension.path = getattr(sys.modules.get(entry.module), "__file__", None) or ""
        _call(target if callable(target) else getattr(target, "register", None), extension)

    return _Candidate(entry.name, Level.USER, "", register)


def _call(register: object, extension: Extension) -> None:
    import inspect  # noqa: PLC0415 - a listing loads nothing

    if not callable(register):
        raise UnusableError("it defines no function `register(extension)`")
    if inspect.iscoroutinefunction(register):
        raise UnusableError("its function `register` must not be async; the handlers may be")
    register(extension)


def _untrusted(installed: Installed) -> Skipped:
    detail = (
        f"the entry point {installed.entry.name!r} of the group xcsh.extensions lies in the project, and `xcsh trust` "
        "does not cover it; install the package, or put the code into .xcsh/extensions"
    )
    return Skipped(installed.inside, PROVIDER, "untrusted", detail)


def _report_taken(command: ExtensionCommand, winner: ExtensionCommand, report: Report) -> None:
    position = Position(command.line, 1) if command.line else None
    message = (
        f"`/{command.name}` belongs to the extension {winner.extension!r}, which comes first; this one is left out"
    )
    related = (winner.path,) if winner.path else ()
    report(Finding(command.path, PROVIDER).make("command-refused", position, message, related=related))
