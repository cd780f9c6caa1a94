"""What one discovery found: an immutable snapshot."""

from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from xcsh.model.command import CommandEntry
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.extension import ExtensionFile
from xcsh.model.provider import Provider
from xcsh.model.rule import Entry, Rule
from xcsh.model.settings import Settings
from xcsh.model.source import Environment, Level, Skipped

EntryT = TypeVar("EntryT", Entry, CommandEntry)


class Items(NamedTuple, Generic[EntryT]):
    """What was found of one kind: found = active + shadowed + skipped.

    `all` is in registry order: providers by priority, rows, depth, file name; active and shadowed together.
    """

    all: tuple[EntryT, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    @property
    def active(self) -> tuple[EntryT, ...]:
        """The entries that won their name."""
        return tuple(entry for entry in self.all if entry.shadowed_by is None)

    @property
    def shadowed(self) -> tuple[EntryT, ...]:
        """The entries whose name was taken by an earlier one."""
        return tuple(entry for entry in self.all if entry.shadowed_by is not None)

    @property
    def found(self) -> int:
        """How many files were looked at."""
        return len(self.all) + len(self.skipped)


class Registry(NamedTuple):
    """Everything that was found, by kind, and every diagnostic. A reload builds a new one.

    What is said without a kind (`all`, `active`, `shadowed`, `skipped`, `found`, `bucket`) is about rules.
    """

    environment: Environment
    settings: Settings
    rules: Items[Entry]
    commands: Items[CommandEntry]
    prompts: Items[CommandEntry]
    skills: Items[CommandEntry]
    diagnostics: tuple[Diagnostic, ...]
    walk: object = None
    """What the search through sub-folders remembers for a reload."""
    installed: tuple[Provider, ...] = ()
    """The providers that installed packages bring."""
    extensions: tuple[ExtensionFile, ...] = ()
    """Extensions of the project and of the user, in the order in which they run; empty until somebody asks for them."""

    @property
    def all(self) -> tuple[Entry, ...]:
        """Every rule, active or shadowed, in registry order."""
        return self.rules.all

    @property
    def active(self) -> tuple[Entry, ...]:
        """The rules that won their name, each in exactly one bucket."""
        return self.rules.active

    @property
    def shadowed(self) -> tuple[Entry, ...]:
        """The rules whose name was taken by an earlier one."""
        return self.rules.shadowed

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The files that were found among rules and are none."""
        return self.rules.skipped

    @property
    def found(self) -> int:
        """How many files were looked at for rules."""
        return self.rules.found

    def paths(self) -> list[str]:
        """Every file and folder that was looked at, of all kinds."""
        paths = [entry.rule.path for entry in self.rules.all]
        for items in (self.commands, self.prompts, self.skills):
            paths += [entry.command.path for entry in items.all if entry.command.origin.level != Level.NATIVE]
        for skipped in (self.rules.skipped, self.commands.skipped, self.prompts.skipped, self.skills.skipped):
            paths += [item.path for item in skipped]
        return paths

    def bucket(self, name: str) -> Iterator[Rule]:
        """The active rules of one bucket, in registry order."""
        return (entry.rule for entry in self.rules.all if entry.bucket == name)
