"""Finds frontmatter and reads its fields: strictly as the reference does, or as the dialects mean them.

Most blocks are plain `key: value` lines on which no YAML reader could disagree; those take a fast path, and the rest
loads what it needs.
"""

from __future__ import annotations

from xcsh.model.diagnostic import Report
from xcsh.model.document import BlockState
from xcsh.parsing.block import Block, find_regular
from xcsh.parsing.finding import Finding
from xcsh.parsing.plain import Fields, read_plain

_LARGEST_BLOCK = 131_072


def find_meant(text: str, report: Report, finding: Finding) -> Block | None:
    """R-23: also behind blank lines, one comment, indentation or a code fence, and without an opening fence.

    Returns None where the text has no block; a Block in state FAILED, with an empty text and `body_start` 0, where
    one was begun and cannot be read.
    """
    block = find_regular(text)
    if block is not None or not ("---" in text or "+++" in text or text.lstrip().startswith("--")):
        return block
    from xcsh.parsing.fences import find_irregular  # noqa: PLC0415 - most files are regular

    return find_irregular(text, report, finding)


def read_strict(block: Block, report: Report, finding: Finding) -> tuple[Fields, str]:
    """R-22: YAML, or where that fails each `key: value` line as a string."""
    if (plain := read_plain(block, report, finding, repair=False)) is not None:
        return plain
    from xcsh.parsing import dialects  # noqa: PLC0415 - YAML is a fifth of a light verb's time

    return dialects.read_strict(block, report, finding)


def read_meant(block: Block, report: Report, finding: Finding) -> tuple[Fields, str]:
    """R-23: YAML where it is YAML, and where it is not, or says something else than its author meant, the meaning."""
    if (plain := read_plain(block, report, finding, repair=True)) is not None:
        return plain
    if len(block.text) > _LARGEST_BLOCK:
        message = f"the frontmatter is larger than {_LARGEST_BLOCK:,} characters and is not read"
        report(finding.make("frontmatter-too-large", block.position, message))
        return {}, BlockState.FAILED
    from xcsh.parsing import dialects  # noqa: PLC0415 - as above

    return dialects.read_meant(block, report, finding)
