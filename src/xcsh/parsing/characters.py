"""Finds characters that a reviewer cannot see or that reorder what he sees."""

from __future__ import annotations

import re

from xcsh.model.diagnostic import Position, Report
from xcsh.parsing.block import position_at
from xcsh.parsing.finding import Finding

_SUSPECT = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u206a-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef\x00-\x08\x0b\x0e-\x1f\x7f]+"
)
_FLAG_TAGS = re.compile("[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f\\Z")
"""The tags of a flag of a region, such as Scotland's: short, lower-case letters and digits, and the end."""
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = frozenset("\u200c\u200d")
_MARKS = frozenset("\u200e\u200f\u061c")
_FLAG = "\U0001f3f4"
_MOST = 20


def report_hidden(text: str, report: Report, finding: Finding) -> None:
    """Reports each run of hidden characters in a text, at most 20 a file and the count of the rest."""
    found = [match for match in _SUSPECT.finditer(text) if not _legitimate(text, match)]
    for match in found[:_MOST]:
        run = match[0]
        names = ", ".join(dict.fromkeys(f"U+{ord(character):04X} {_name(character)}" for character in run))
        more = f" ({len(run)} characters)" if len(run) > 1 else ""
        report(finding.make(_code(run), position_at(text, match.start()), f"hidden: {names}{more}", length=len(run)))
    if len(found) > _MOST:
        place: Position = position_at(text, found[_MOST].start())
        report(
            finding.make("invisible-characters", place, f"and {len(found) - _MOST} more places with hidden characters")
        )


def find_deceptive(text: str) -> tuple[Position, str] | None:
    """The first place at which a text reads otherwise to people than to a model, and the character there.

    That are controls of the direction of text and tags, which can spell out whole sentences that nobody sees. Flags of
    regions are made of tags and are none.
    """
    for match in _SUSPECT.finditer(text):
        run = match[0]
        deceptive = next((each for each in run if each in _BIDI or "\U000e0000" <= each <= "\U000e007f"), None)
        if deceptive is not None and not _legitimate(text, match):
            place = position_at(text, match.start() + run.index(deceptive))
            return place, f"U+{ord(deceptive):04X} {_name(deceptive)}"
    return None


def _code(run: str) -> str:
    if any("\U000e0000" <= character <= "\U000e01ef" for character in run):
        return "unicode-tag-characters"
    return "bidi-control" if not _BIDI.isdisjoint(run) else "invisible-characters"


def _legitimate(text: str, match: re.Match[str]) -> bool:
    """Emoji joiners and tags of flags, joiners between letters of scripts that need them, marks beside such letters."""
    import unicodedata  # noqa: PLC0415 - only texts with such characters need it

    run = match[0]
    before = text[match.start() - 1] if match.start() else ""
    after = text[match.end()] if match.end() < len(text) else ""
    if before == _FLAG and _FLAG_TAGS.match(run):
        return True
    if len(run) > 1 or not before:
        return False
    if run in _JOINERS:
        emoji = unicodedata.category(before) in ("So", "Sk", "Mn") and ord(before) > 0x2000  # noqa: PLR2004 - symbols
        return bool(after) and (emoji or _joins(before))
    if run in _MARKS:
        return any(near and unicodedata.bidirectional(near) in ("R", "AL", "AN") for near in (before, after))
    return False


def _joins(character: str) -> bool:
    """Whether a letter belongs to the scripts from Arabic to Mongolian, in which joiners change the shape of words."""
    return 0x0600 <= ord(character) <= 0x18AF or 0xA800 <= ord(character) <= 0xABFF or ord(character) >= 0xFB50  # noqa: PLR2004


def _name(character: str) -> str:
    import unicodedata  # noqa: PLC0415 - as above

    return unicodedata.name(character, "unassigned").lower()
