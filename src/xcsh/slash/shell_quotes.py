"""Follows a shell line through its quotes, and through `$(…)`, in which quoting begins anew."""

from __future__ import annotations


class Quotes:
    """Which quotes are open. One that begins `inside` a bracket is at its end where `closed` is true."""

    __slots__ = ("_open",)

    def __init__(self, *, inside: bool = False) -> None:
        self._open = ["", ""] if inside else [""]

    @property
    def current(self) -> str:
        """The quote that is open; empty for none."""
        return self._open[-1]

    @property
    def closed(self) -> bool:
        """Whether no bracket is open."""
        return len(self._open) == 1

    def step(self, text: str, at: int) -> int:
        """Goes on over what stands at an offset; the offset behind it."""
        character, quote = text[at], self._open[-1]
        if character == "\\" and quote != "'":
            return at + 2
        if character == quote:
            self._open[-1] = ""
        elif not quote and character in "'\"":
            self._open[-1] = character
        elif quote != "'" and text.startswith("$(", at):
            self._open.append("")
            return at + 2
        elif character == "(" and not quote:
            self._open.append("")
        elif character == ")" and not quote and len(self._open) > 1:
            self._open.pop()
        return at + 1


def closing_bracket(text: str, at: int) -> int:
    """The offset of the bracket that closes what begins at `at`, behind its own; the text's end for none."""
    quotes = Quotes(inside=True)
    while at < len(text):
        behind = quotes.step(text, at)
        if quotes.closed:
            return at
        at = behind
    return len(text)
