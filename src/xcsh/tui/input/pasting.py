"""Long pasted texts as one line in the prompt, which is put back in full when it is sent."""

from __future__ import annotations

import re

FOLDED_LINES = 12
FOLDED_LETTERS = 2_000
_MARK = re.compile(r"\[pasted (?:[\d,]+ lines|[\d,]+ letters)(?: #\d+)?\]")

_DRIVES = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_NOTHING = "\u200b"


def drawn(line: str) -> str:
    """A line as it may be drawn while it is edited: as many letters, as wide, and none that a terminal obeys."""
    if line.isprintable():
        return line
    return re.sub("[\ud800-\udfff]", "\ufffd", _DRIVES.sub(_NOTHING, line))


class Pastes:
    """What was pasted and stands in the prompt as a mark."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """The mark that stands for a long text; a short one as it is."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= FOLDED_LINES and len(text) <= FOLDED_LETTERS:
            return text
        what = f"{lines:,} lines" if lines > FOLDED_LINES else f"{len(text):,} letters"
        mark = f"[pasted {what}]"
        number = 2
        while self._texts.get(mark, text) != text:
            mark = f"[pasted {what} #{number}]"
            number += 1
        self._texts[mark] = text
        return mark

    def unfold(self, text: str) -> str:
        """The text with everything that was folded; a mark that stands for nothing stays. Pasted marks stay too."""
        return _MARK.sub(lambda match: self._texts.get(match[0], match[0]), text)
