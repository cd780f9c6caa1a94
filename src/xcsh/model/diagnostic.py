"""A finding about a file, and the shape in which it reaches people and programs."""

from collections.abc import Callable
from typing import ClassVar, NamedTuple


class Severity:
    """The severities, most severe first, named as in JSON; numbers as in the Language Server Protocol."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"
    ORDER: ClassVar[dict[str, int]] = {ERROR: 1, WARNING: 2, INFORMATION: 3, HINT: 4}


class Position(NamedTuple):
    """A place in a text: 1-based line and column, columns counted in code points after a BOM is removed."""

    line: int
    column: int


class Diagnostic(NamedTuple):
    """One finding. `code` is a key of `model.codes.CODES`; `path` is absolute, or empty where no file is meant."""

    code: str
    severity: str
    message: str
    path: str = ""
    position: Position | None = None
    end: Position | None = None
    hint: str = ""
    provider: str = ""
    related: tuple[str, ...] = ()

    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """The one total order of diagnostics: by place, then severity, code and message."""
        line, column = self.position or (0, 0)
        return (self.path, line, column, Severity.ORDER[self.severity], self.code, self.message)


Report = Callable[[Diagnostic], None]


def ignore(_: Diagnostic) -> None:
    """A report for callers who have nobody to tell, or to whom a finding means no more than what is returned."""
