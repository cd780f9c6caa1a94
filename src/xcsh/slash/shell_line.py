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

from xcsh.slash.shell_quotes import Quotes


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
    quotes = Quotes()
    for start, end, value in filled:
        before = line[position:start]
        at = 0
        while at < len(before):
            at = quotes.step(before, at)
        name = f"argument_{len(values) + 1}"
        values.append((name, value))
        pieces += (before, _reference(name, quotes.current))
        position = end
    pieces.append(line[position:])
    return "".join(pieces), tuple(values)


def _reference(name: str, quote: str) -> str:
    if quote == "'":
        return f"'\"${{{name}}}\"'"
    return f"${{{name}}}" if quote == '"' else f'"${{{name}}}"'
