"""Takes a frontmatter block apart into its entries, as text: what every reading of it that is not YAML starts from."""

from __future__ import annotations

import re
from typing import NamedTuple

from xcsh.parsing.block import Block

KEY_LINE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<quote>[\"']?)(?P<key>[A-Za-z_][\w.-]*)(?P=quote)[ \t]*:(?=[ \t]|$)", re.MULTILINE
)


class RawEntry(NamedTuple):
    """A key as it stands in the text: value on its own line, lines below up to the next key, place of the value."""

    key: str
    first: str
    rest: str
    line: int
    column: int


def split_entries(block: Block) -> list[RawEntry]:
    """The block's entries: every key line at the block's own indentation, with what follows it."""
    matches = list(KEY_LINE.finditer(block.text))
    if not matches:
        return []
    indent = matches[0]["indent"]
    matches = [match for match in matches if match["indent"] == indent]
    ends = [match.start() for match in matches[1:]] + [len(block.text)]
    entries: list[RawEntry] = []
    line = counted = 0
    for match, end in zip(matches, ends, strict=True):
        line += block.text.count("\n", counted, match.start())
        counted = match.start()
        first, _, rest = block.text[match.end() : end].partition("\n")
        lead = len(first) - len(first.lstrip()) if first.strip() else 0
        column = match.end() - match.start() + lead
        entries.append(RawEntry(match["key"], first.strip(), rest.rstrip("\n"), line, column))
    return entries
