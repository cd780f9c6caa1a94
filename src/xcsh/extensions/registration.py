"""What the authors of extensions meet: `Extension`, on which commands are registered, and a handler's context."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple, TypeVar

from xcsh.model.diagnostic import Position, Report
from xcsh.model.registry import Registry
from xcsh.parsing.finding import Finding
from xcsh.slash.builtins import BUILTIN_COMMANDS
from xcsh.slash.invocation import parse_invocation


class CommandContext(NamedTuple):
    """What a handler can use: the working folder, the user's home, everything that was found, and a way to speak.

    `say` shows a text to the person. It may be called from any thread.
    """

    cwd: str
    home: str
    registry: Registry
    say: Callable[[str], None]


Handler = Callable[[CommandContext, str], Awaitable[None] | None]
"""Takes the context and the argument text as typed. Runs in a thread of its own unless it is `async`."""

Completer = Callable[[str], Iterable[str]]
"""Takes what has been typed of the arguments and returns what they could become."""

_HandlerT = TypeVar("_HandlerT", bound=Handler)


class ExtensionCommand(NamedTuple):
    """A command that an extension registered, on line `line` of `path`; 0 where that is not known."""

    name: str
    handler: Handler
    description: str
    argument_hint: str | None
    complete: Completer | None
    extension: str
    level: str
    path: str
    line: int


class Extension:
    """Handed to the `register` function of an extension, which registers its commands on it."""

    def __init__(self, name: str, level: str, path: str, report: Report) -> None:
        self.name = name
        self.level = level
        self.path = path
        self.commands: dict[str, ExtensionCommand] = {}
        self._report = report
        self._closed = False

    def command(
        self, name: str, *, description: str = "", argument_hint: str | None = None, complete: Completer | None = None
    ) -> Callable[[_HandlerT], _HandlerT]:
        """Makes the function below it the handler of `/name`.

        A name that cannot be typed, that a built-in has or that is registered already is a finding, and the command is
        left out. Raises TypeError where no name is given, RuntimeError once `register` is over.
        """
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - the author may not check types
            raise TypeError('a command needs a name: @extension.command("name")')
        if self._closed:
            raise RuntimeError("commands are registered in register(), not later")
        line = self._line_of_the_caller()

        def register(handler: _HandlerT) -> _HandlerT:
            problem = self._problem(name)
            if problem:
                position = Position(line, 1) if line else None
                self._report(Finding(self.path, "native").make("command-refused", position, problem))
            else:
                self.commands[name] = ExtensionCommand(
                    name, handler, description, argument_hint, complete, self.name, self.level, self.path, line
                )
            return handler

        return register

    def close(self) -> None:
        """Takes no more commands."""
        self._closed = True

    def _problem(self, name: str) -> str:
        invocation = parse_invocation(f"/{name}")
        if invocation is None or invocation.name != name or "/" in name or not name.isprintable():
            return f"{name!r} cannot be typed as the name of a command; it is left out"
        if name in BUILTIN_COMMANDS:
            return f"`/{name}` is built in; the extension's command is left out"
        if earlier := self.commands.get(name):
            where = f" on line {earlier.line}" if earlier.line else ""
            return f"`/{name}` is registered already{where}; the first one counts"
        return ""

    def _line_of_the_caller(self) -> int:
        import inspect  # noqa: PLC0415 - a listing never registers anything

        frame = inspect.currentframe()
        while frame is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0
