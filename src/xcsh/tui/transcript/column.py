"""Entries one below the other: how high they are together, and which stands at a line. Nothing is painted here."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from xcsh.tui.transcript.entries import Entry


class Column:
    """The entries in their order. Heights may change; `touch` says from which entry on."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._tops: list[int] = [0]  # of each entry that is known, and of the one behind it

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    @property
    def height(self) -> int:
        """Lines of all entries."""
        return self.top(len(self.entries))

    def append(self, entry: Entry) -> None:
        """Adds an entry at the end."""
        self.entries.append(entry)

    def insert(self, index: int, entries: Iterable[Entry]) -> None:
        """Adds entries before that of an index."""
        self.entries[index:index] = entries
        self.touch(index)

    def remove(self, start: int, end: int | None = None) -> None:
        """Takes entries out."""
        del self.entries[start:end]
        self.touch(start)

    def clear(self) -> None:
        """Takes all entries out."""
        self.remove(0)

    def touch(self, index: int) -> None:
        """The entry of an index may be of another height than before."""
        del self._tops[index + 1 :]

    def find(self, entry: Entry) -> int:
        """Where an entry stands; late ones are found at once. Raises ValueError."""
        for at in range(len(self.entries) - 1, -1, -1):
            if self.entries[at] is entry:
                return at
        raise ValueError("the entry is not in the column")

    def top(self, index: int) -> int:
        """The first line of an entry."""
        tops = self._tops
        for at in range(len(tops) - 1, index):
            tops.append(tops[at] + self.entries[at].height)
        return tops[index]

    def at(self, line: int) -> tuple[int, int]:
        """The index of the entry at a line, and the line within it; behind the last entry beyond the end."""
        self.top(len(self.entries))
        index = bisect_right(self._tops, line, hi=len(self.entries)) - 1
        index = max(0, index)
        if not self.entries or line >= self.height:
            return len(self.entries), 0
        return index, line - self._tops[index]
