"""Finds frontmatter that is not regular: other fences, things in front of it, an end that is missing or glued."""

from __future__ import annotations

import re

from xcsh.model.diagnostic import Position, Report
from xcsh.model.document import BlockState
from xcsh.parsing.block import Block, position_at
from xcsh.parsing.entries import KEY_LINE
from xcsh.parsing.finding import Finding
from xcsh.parsing.keys import ALL_KEYS, canonical

_CLOSE = re.compile(r"\n(?:---|[ \t]{1,3}-{3,}[ \t]*$)", re.MULTILINE)
_OPEN = re.compile(r"[ \t]*-{3,}[ \t]*(?:#.*)?$", re.MULTILINE)
_HTML_COMMENT = re.compile(r"[ \t]*<!--.*?-->[ \t]*\n?", re.DOTALL)
_SLASH_COMMENT = re.compile(r"[ \t]*//[^\n]*\n")
_CODE_FENCE = re.compile(r"[ \t]*```[\w-]*[ \t]*\n(?=[ \t]*---)")
_CODE_FENCE_END = re.compile(r"\s*```[ \t]*(?:\n|$)")
_BLANKS = re.compile(r"(?:[ \t]*\n)+")
_ITEM = re.compile(r"\s*(?:- |\[|\{)")
_DECISIVE_KEYS = ALL_KEYS - {"name", "type"}
_DECISIVE_KEY = "|".join(sorted(_DECISIVE_KEYS))
_LOST_KEY = re.compile(rf"^[ \t]*\S*(?:[ \t]\S+)?[ \t]*:|^[^\w\n]*(?:{_DECISIVE_KEY})\b", re.MULTILINE)
"""A line that may have been a key before a slip of one character."""
_OTHER_OPEN = re.compile(r"[ \t]*(\+{3,}|--)[ \t]*(?:#.*)?$", re.MULTILINE)
_OTHER_CLOSE = {
    "+": re.compile(r"^[ \t]*\+{3,}[ \t]*(?:#.*)?$", re.MULTILINE),
    "-": re.compile(r"^[ \t]*--[ \t]*$", re.MULTILINE),
}
_OTHER_KEY = re.compile(r"[ \t]*([\w.\"'-]+)[ \t]*[:=]")
_LONGEST_OTHER = 40
"""Lines in which a key has to stand where prose might stand as well."""
_FENCE_LEFT = re.compile(r".{0,2}-.?-|-\n--")
"""What a slip of one character may leave of an opening fence."""


def find_irregular(text: str, report: Report, finding: Finding) -> Block | None:
    """What `frontmatter.find_meant` returns, for every text; that function passes on what is not plainly regular."""
    if text.startswith("---\n"):
        start = opening = 0
    else:
        start = _skip_prelude(text)
        if other := _other_fence(text, start):
            return _between_others(other, text, report, finding)
        if not _OPEN.match(text, start):
            return _without_opening(text, report, finding)
        opening = start
    block_start = text.find("\n", opening) + 1
    close = _CLOSE.search(text, block_start - 1) if block_start else None
    if close is None:
        return _unterminated(text, opening, block_start, report, finding)
    block = text[block_start : close.start()]
    if not KEY_LINE.search(block) and block.strip():
        return _no_mapping(text, block, block_start, report, finding)
    if opening:
        place = position_at(text, opening + text[opening:].index("-"))
        report(
            finding.make(
                "frontmatter-not-first", place, "the frontmatter does not start on the first line; read all the same"
            )
        )
    elif not text.startswith("---\n"):
        place = position_at(text, text.index("-"))
        report(
            finding.make(
                "frontmatter-fence",
                place,
                "the opening fence is not exactly `---` at the start of its line; read all the same",
            )
        )
    body_start = _after_close(text, close.end(), report, finding)
    if opening and "```" in text[:opening] and (fence := _CODE_FENCE_END.match(text, body_start)):
        body_start = fence.end()
    state = BlockState.READ if text.startswith("---\n") else BlockState.REPAIRED
    return Block(block, Position(text.count("\n", 0, block_start) + 1, 1), body_start, state)


def _skip_prelude(text: str) -> int:
    """The offset behind blank lines, one comment, and the opening of a code fence."""
    at = 0
    if blanks := _BLANKS.match(text, at):
        at = blanks.end()
    if comment := _HTML_COMMENT.match(text, at) or _SLASH_COMMENT.match(text, at):
        at = comment.end()
    if blanks := _BLANKS.match(text, at):
        at = blanks.end()
    if fence := _CODE_FENCE.match(text, at):
        at = fence.end()
    return at


def _after_close(text: str, at: int, report: Report, finding: Finding) -> int:
    """Where the body starts: behind a run of dashes; text glued to the fence belongs to the body."""
    glued = at
    while glued < len(text) and text[glued] == "-":
        glued += 1
    end = text.find("\n", glued)
    rest = text[glued : end if end >= 0 else len(text)]
    if rest.strip():
        message = "text stands on the line of the closing `---`; the frontmatter ends there and the text is body"
        report(finding.make("frontmatter-fence", position_at(text, glued), message, length=len(rest)))
    return glued


def _without_opening(text: str, report: Report, finding: Finding) -> Block | None:
    """Only key lines, one of them known, above the first `---`: a block whose opening fence is missing."""
    close = text.find("\n---")
    if close < 0:
        return None
    if not KEY_LINE.match(text):
        return _damaged_opening(text, text[:close], report, finding)
    lines = text[:close].split("\n")
    keys = [KEY_LINE.match(line) for line in lines if line.strip()]
    if not all(keys) or not any(match and match["key"] in ALL_KEYS for match in keys):
        return None
    report(
        finding.make(
            "frontmatter-fence",
            Position(1, 1),
            "the opening `---` is missing; the lines above the first `---` are read as keys",
        )
    )
    return Block(text[:close], Position(1, 1), _after_close(text, close + 4, report, finding), BlockState.REPAIRED)


def _other_fence(text: str, start: int) -> re.Match[str] | None:
    """The opening fence at `start`, where it is none that tools know and a key of theirs follows; else None."""
    opening = _OTHER_OPEN.match(text, start)
    if opening is None:
        return None
    close = _OTHER_CLOSE[opening[1][0]].search(text, opening.end())
    is_toml = opening[1] != "--"
    if close is None and not is_toml:
        return None
    lines = text[opening.end() : close.start() if close else len(text)].split("\n")
    sure = is_toml and close is not None
    return opening if any(map(_holds_known_key, lines if sure else lines[:_LONGEST_OTHER])) else None


def _holds_known_key(line: str) -> bool:
    found = _OTHER_KEY.match(line)
    return found is not None and any(canonical(part.strip("\"'")) in _DECISIVE_KEYS for part in found[1].split("."))


def _between_others(fence: re.Match[str], text: str, report: Report, finding: Finding) -> Block:
    is_toml = fence[1] != "--"
    what = "TOML, between `+++`, which no tool reads in such a file" if is_toml else "between `--`, and not `---`"
    hint = "write `---` above and below, and `key: value` lines" if is_toml else None
    message = f"the frontmatter is {what}; the whole file is read as body"
    place = position_at(text, fence.start(1))
    report(finding.make("frontmatter-fence", place, message, length=len(fence[1]), hint=hint))
    return Block("", place, 0, BlockState.FAILED)


def _damaged_opening(text: str, head: str, report: Report, finding: Finding) -> Block | None:
    """Something like a fence on the first line, and something like keys between it and the first `---`."""
    if not _FENCE_LEFT.match(text) or not _LOST_KEY.search(head):
        return None
    message = "the opening fence is not `---` on a line of its own; the whole file is read as body"
    report(finding.make("frontmatter-fence", Position(1, 1), message))
    return Block("", Position(1, 1), 0, BlockState.FAILED)


def _unterminated(text: str, opening: int, block_start: int, report: Report, finding: Finding) -> Block | None:
    following = text[block_start:].lstrip("\n") if block_start else ""
    if not KEY_LINE.match(following):
        return None  # a lone thematic break
    place = position_at(text, opening + text[opening:].index("-"))
    report(
        finding.make(
            "unterminated-frontmatter",
            place,
            "the frontmatter has no closing `---`; the whole file is read as body",
            length=3,
        )
    )
    return Block("", place, 0, BlockState.FAILED)


def _no_mapping(text: str, block: str, block_start: int, report: Report, finding: Finding) -> Block | None:
    if not _ITEM.match(block) and not _LOST_KEY.search(block):
        return None  # prose between two thematic breaks
    from xcsh.parsing.mistakes import hint_for_no_mapping  # noqa: PLC0415 - most files have none

    place = position_at(text, block_start)
    report(
        finding.make(
            "frontmatter-not-mapping",
            place,
            "the block between the fences holds no `key: value` line; it is kept as body",
            hint=hint_for_no_mapping(block),
        )
    )
    return Block("", place, 0, BlockState.FAILED)
