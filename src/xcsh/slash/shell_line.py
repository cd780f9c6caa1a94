"""Makes the line that a shell gets of an included command: arguments are variables, never part of the line (C-42).

A placeholder becomes a reference to a variable, `"${argument_1}"`, and the value goes to the shell by its environment.
A shell does not read a variable's value as code, whatever stands in it and wherever the reference stands. The quotes
around a placeholder only decide on its form, so that the value stays one word: none get double ones, within double
quotes the reference stands alone, single quotes are closed for it and opened again. Where this reading of the quotes
and the shell's differ, the value may fall into several words, or the reference show as text. It is no code of this
shell; a line that hands it to `eval`, `sh -c` or arithmetic has it read by those.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Filled(NamedTuple):
    """A placeholder of a text: its offsets, and the value that it stands for."""

    start: int
    end: int
    value: str


def refer(line: str, filled: Iterable[Filled]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The line with a reference for each placeholder, and name and value of the variables."""
    values: list[tuple[str, str]] = []
    pieces: list[str] = []
    position = 0
    quotes = _Quotes()
    for start, end, value in filled:
        quotes.read(line[position:start])
        name = f"argument_{len(values) + 1}"
        values.append((name, value))
        pieces += (line[position:start], _reference(name, quotes.current))
        position = end
    pieces.append(line[position:])
    return "".join(pieces), tuple(values)


def _reference(name: str, quote: str) -> str:
    if quote == "'":
        return f"'\"${{{name}}}\"'"
    return f"${{{name}}}" if quote == '"' else f'"${{{name}}}"'


class _Quotes:
    """Follows a line through its quotes, and through `$(…)`, in which quoting begins anew."""

    def __init__(self) -> None:
        self._open = [""]

    @property
    def current(self) -> str:
        """The quote that is open; empty for none."""
        return self._open[-1]

    def read(self, text: str) -> None:
        """Goes on over a part of the line."""
        at = 0
        while at < len(text):
            character, quote = text[at], self._open[-1]
            if character == "\\" and quote != "'":
                at += 1
            elif character == quote:
                self._open[-1] = ""
            elif not quote and character in "'\"":
                self._open[-1] = character
            elif quote != "'" and text.startswith("$(", at):
                self._open.append("")
                at += 1
            elif character == "(" and not quote:
                self._open.append("")
            elif character == ")" and not quote and len(self._open) > 1:
                self._open.pop()
            at += 1
