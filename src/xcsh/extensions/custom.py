"""Custom commands: Python modules whose `run` answers `/NAME`. Listing them runs nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xcsh.extensions.failures import UnusableError, failure
from xcsh.extensions.files import PROVIDER, Code, CodeFile
from xcsh.extensions.modules import execute
from xcsh.extensions.registration import CommandContext
from xcsh.extensions.running import LOAD_SECONDS, Outcome, call_handler, call_in_thread
from xcsh.model.diagnostic import Report
from xcsh.model.source import Skipped
from xcsh.parsing.finding import Finding
from xcsh.slash.builtins import BUILTIN_COMMANDS


class CustomCommand(NamedTuple):
    """A module that is a command. Description and hint are its literals of these names, where it has them."""

    name: str
    description: str
    argument_hint: str | None
    file: CodeFile

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return self.file.path

    @property
    def level(self) -> str:
        """Whose it is."""
        return self.file.level


class CustomCommands(NamedTuple):
    """The custom commands, the project's first; those whose name was taken, and the files that are none."""

    commands: tuple[CustomCommand, ...] = ()
    shadowed: tuple[CustomCommand, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def find(self, name: str) -> CustomCommand | None:
        """The command that `/name` runs."""
        return next((command for command in self.commands if command.name == name), None)


def list_custom_commands(code: Code, report: Report) -> CustomCommands:
    """The commands in `.xcsh/commands/*.py`, the project's before the user's. No code runs."""
    commands: dict[str, CustomCommand] = {}
    shadowed: list[CustomCommand] = []
    skipped = list(code.skipped_commands)
    for file in code.commands:
        try:
            texts = _literals(file)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            diagnostic = failure(file.path, f"the command {file.name!r}", error)
            report(diagnostic)
            skipped.append(Skipped(file.path, PROVIDER, "failed", diagnostic.message))
            continue
        command = CustomCommand(file.name, texts.get("description", ""), texts.get("argument_hint"), file)
        if commands.setdefault(file.name, command) is not command:
            shadowed.append(command)
        _report_name(file, report)
    return CustomCommands(tuple(commands.values()), tuple(shadowed), tuple(skipped))


async def run_custom_command(
    command: CustomCommand, context: CommandContext, args: Iterable[str], *, seconds: float = LOAD_SECONDS
) -> Outcome:
    """Executes the module anew and calls its `run`; the value is a text, or None. What fails is in the outcome.

    `seconds` bounds the module's top-level code, not `run`.
    """
    loaded = await call_in_thread(lambda: getattr(execute(command.file, "command"), "run", None), seconds)
    if loaded.error is not None:
        return loaded
    if not callable(loaded.value):
        return Outcome(error=UnusableError("it defines no function `run(context, args)`"))
    return await call_handler(loaded.value, context, list(args), _text)


def _text(value: object) -> str | None:
    """What `run` returned, as a plain text."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise UnusableError(f"`run` returned {type(value).__name__} instead of a text or None")
    return str.__str__(value)


def _literals(file: CodeFile) -> dict[str, str]:
    """The texts that are assigned at the top level, as they stand; what would have to be computed is left out."""
    import ast  # noqa: PLC0415 - most projects have no such file

    found: dict[str, str] = {}
    for node in ast.parse(file.data, file.path).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            found.update({target.id: value.value for target in targets if isinstance(target, ast.Name)})
    return found


def _report_name(file: CodeFile, report: Report) -> None:
    finding = Finding(file.path, PROVIDER)
    if any(character.isspace() for character in file.name):
        message = f"`/{file.name}` cannot be typed: the name ends at the first white space"
        report(finding.make("unreachable-command", None, message))
    elif file.name in BUILTIN_COMMANDS:
        message = f"`/{file.name}` is built in, and in interactive mode the built-in answers"
        report(finding.make("shadowed-by-builtin", None, message))
