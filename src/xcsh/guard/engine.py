"""What the guard asks of a regular-expression engine."""

from __future__ import annotations

from typing import Protocol

from xcsh.parsing.patterns import Expression, OverrunError

SECONDS = 0.03
"""What one search may take."""

__all__ = ["SECONDS", "Engine", "OverrunError", "Searching", "compile_javascript"]


class Searching(Protocol):
    """A compiled condition."""

    @property
    def body(self) -> str:
        """The expression without leading flags."""
        ...

    @property
    def flags(self) -> str:
        """Some of `i`, `m` and `s`."""
        ...

    def search(self, text: str, start: int) -> tuple[int, int] | None:
        """The leftmost match from `start` on, in code points. Raises OverrunError where it would take too long."""
        ...


class Engine(Protocol):
    """Compiles a condition; raises ValueError for one that is no expression."""

    def __call__(self, source: str) -> Searching:
        """The compiled form of `source`, which may begin with a group of flags like `(?i)`."""
        ...


def compile_javascript(source: str) -> Searching:
    """The engine that is used where no other is given."""
    return Expression(source, SECONDS)
