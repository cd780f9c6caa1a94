"""Finds the frontmatter block of a file: exactly as the reference does, or as its author meant it."""

from typing import NamedTuple

from xcsh.model.diagnostic import Position, Report
from xcsh.model.document import BlockState
from xcsh.parsing.finding import Finding


class Block(NamedTuple):
    """The text between the fences, the place of its first character, and where the body starts."""

    text: str
    position: Position
    body_start: int
    state: str


def find_strict(text: str) -> Block | None:
    """R-20: from one character after an opening `---` to the first line that begins so; None where there is none."""
    if not text.startswith("---"):
        return None
    end = text.find("\n---", 3)
    if end < 0:
        return None
    position = Position(2, 1) if text[3] == "\n" else Position(1, 5)
    return Block(text[4:end], position, end + 4, BlockState.READ)


def find_meant(text: str, report: Report, finding: Finding) -> Block | None:
    """R-23: also behind blank lines, one comment, indentation or a code fence, and without an opening fence.

    Returns None where the text has no block; a Block in state FAILED, with an empty text and `body_start` 0, where
    one was begun and cannot be read.
    """
    if text.startswith("---\n"):
        close = text.find("\n---", 3)
        block = text[4:close] if close > 0 else "--"
        end = close + 4
        if "--" not in block and (end == len(text) or text[end] == "\n") and (not block or _begins_with_key(block)):
            return Block(block, Position(2, 1), end, BlockState.READ)
    elif "---" not in text:
        return None
    from xcsh.parsing import fences  # noqa: PLC0415 - most files are regular

    return fences.find_irregular(text, report, finding)


def _begins_with_key(block: str) -> bool:
    key, colon, rest = block.partition("\n")[0].partition(":")
    return bool(colon) and key.isidentifier() and rest[:1] in ("", " ")


def position_at(text: str, offset: int) -> Position:
    """The 1-based line and column of an offset."""
    line_start = text.rfind("\n", 0, offset) + 1
    return Position(text.count("\n", 0, offset) + 1, offset - line_start + 1)
