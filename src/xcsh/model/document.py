"""A file taken apart: fields with their places, and the body."""

from collections.abc import Mapping
from typing import NamedTuple

from xcsh.model.diagnostic import Position
from xcsh.model.source import Origin


class FieldValue(NamedTuple):
    """A frontmatter value, where it stands in the file, and how many characters it takes there."""

    value: object
    position: Position
    length: int = 0


class BlockState:
    """How the frontmatter came out. A FAILED block must never be read as "no key given"."""

    ABSENT = "absent"
    READ = "read"
    REPAIRED = "repaired"
    FALLBACK = "fallback"
    FAILED = "failed"


class Document(NamedTuple):
    """A SourceText split into fields and body; `body_line` is the 1-based line on which the body starts."""

    name: str
    origin: Origin
    body: str
    fields: Mapping[str, FieldValue]
    body_line: int
    state: str
    rank: tuple[int, int, str]
    text: str = ""
    """The whole text of the file."""
    body_column: int = 1
    """Where on its first line the body starts."""
