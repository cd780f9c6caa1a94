"""What one discovery found: an immutable snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xcsh.model.diagnostic import Diagnostic
from xcsh.model.rule import Entry, Rule
from xcsh.model.settings import Settings
from xcsh.model.source import Environment, Skipped


class Registry(NamedTuple):
    """Everything that was found: found = active + shadowed + skipped. A reload builds a new one.

    `all` is in registry order: providers by priority, rows, depth, file name; active and shadowed together.
    """

    environment: Environment
    settings: Settings
    all: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def active(self) -> tuple[Entry, ...]:
        """The entries that won their name, each in exactly one bucket."""
        return tuple(entry for entry in self.all if entry.shadowed_by is None)

    @property
    def shadowed(self) -> tuple[Entry, ...]:
        """The entries whose name was taken by an earlier one."""
        return tuple(entry for entry in self.all if entry.shadowed_by is not None)

    @property
    def found(self) -> int:
        """How many files were looked at."""
        return len(self.all) + len(self.skipped)

    def bucket(self, name: str) -> Iterator[Rule]:
        """The active rules of one bucket, in registry order."""
        return (entry.rule for entry in self.all if entry.bucket == name)
