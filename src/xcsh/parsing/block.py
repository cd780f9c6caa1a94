"""The frontmatter block of a file: where it stands in the text, found as the reference finds it."""

from typing import NamedTuple

from xcsh.model.diagnostic import Position
from xcsh.model.document import BlockState


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


def find_regular(text: str) -> Block | None:
    """A block that stands at the very top between two `---` lines and begins with a key: as nearly all do."""
    if not text.startswith("---\n"):
        return None
    close = text.find("\n---", 3)
    block = text[4:close] if close > 0 else "--"
    end = close + 4
    if "--" in block or not (end == len(text) or text[end] == "\n") or not (not block or _begins_with_key(block)):
        return None
    return Block(block, Position(2, 1), end, BlockState.READ)


def _begins_with_key(block: str) -> bool:
    key, colon, rest = block.partition("\n")[0].partition(":")
    return bool(colon) and key.isidentifier() and rest[:1] in ("", " ")


def position_at(text: str, offset: int) -> Position:
    """The 1-based line and column of an offset."""
    line_start = text.rfind("\n", 0, offset) + 1
    return Position(text.count("\n", 0, offset) + 1, offset - line_start + 1)
